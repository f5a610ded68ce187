package retrygrpc

import (
	"context"
	"testing"

	"google.golang.org/grpc"
)

// BenchmarkUnary is a success over a connection that costs nothing: what the
// interceptor adds.
func BenchmarkUnary(b *testing.B) {
	conn, err := grpc.NewClient("passthrough:///nobody", grpc.WithInsecure()) //nolint:staticcheck // nothing is dialed
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	intercept := UnaryClient(nil)
	invoke := func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error { return nil }
	b.ReportAllocs()
	for b.Loop() {
		if err := intercept(context.Background(), methodCall, nil, nil, conn, invoke); err != nil {
			b.Fatal(err)
		}
	}
}
