package retrygrpc

import (
	"context"
	"io"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/outlast-dev/outlast/retry"
)

// unary implements [grpc.UnaryClientInterceptor].
func (c *client) unary(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn,
	invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	call := c.newCall(ctx, conn, method)
	attempt := func(ctx context.Context) error {
		var seen observed
		err := invoke(call.announced(ctx), method, req, reply, conn, seen.watching(opts)...)
		if err == io.EOF { //nolint:errorlint // this very value
			err = errClosedEarly
		}
		return call.failure(ctx, err, &seen)
	}
	own := c.options(conn, method, opts)
	var first error // of an attempt that ended when the configuration had come
	err := retry.Do(ctx, call.policy, func(ctx context.Context) error {
		if first = attempt(ctx); call.learned {
			return errLearned
		}
		return first
	}, own...)
	if call.learned {
		err = retry.Do(ctx, call.policy, func(ctx context.Context) error {
			if err := first; err != nil {
				first = nil
				return err
			}
			return attempt(ctx)
		}, own...)
		if first != nil {
			err = withFirst(err, first)
		}
	}
	return finalError(err)
}

// errClosedEarly stands for the io.EOF with which gRPC reports that a stream was
// closed, by a refusal for instance, before the request could be sent over it; the
// status that it was closed with is not to be had. When there is no peer either, it
// was the only stream of the call, and the server has seen nothing.
var errClosedEarly = status.Error(codes.Unavailable, "the stream was closed before the request had been sent")

// observed is what gRPC tells about an attempt besides its error.
type observed struct {
	peer    peer.Peer
	header  metadata.MD
	trailer metadata.MD
}

// watching are the options of a call with those that fill o.
func (o *observed) watching(opts []grpc.CallOption) []grpc.CallOption {
	return append(slices.Clip(opts), grpc.Peer(&o.peer), grpc.Header(&o.header), grpc.Trailer(&o.trailer))
}
