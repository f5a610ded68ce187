package compare

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/failsafe-go/failsafe-go"
	"github.com/failsafe-go/failsafe-go/failsafegrpc"
	"github.com/failsafe-go/failsafe-go/failsafehttp"
	"github.com/hashicorp/go-retryablehttp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

var adapterClaims = []claim{
	{
		name: "post_is_not_repeated",
		what: "A POST is not sent twice unless something makes that safe",
		how:  "POST without an Idempotency-Key; the receiver does the work, then answers 503; default policies",
		ours: "sent once; with an Idempotency-Key, repeated",
		peers: []rival{
			defect(failsafeGo, "sent three times by its HTTP helper", bubble(func(t *testing.T) {
				g := newTarget()
				post(t, &http.Client{Transport: failsafehttp.NewRoundTripper(failing(g, http.StatusServiceUnavailable), failsafehttp.NewRetryPolicyBuilder().Build())}, "")
				exactly(t, "requests", g.hits(), 3)
			})),
			defect(retryableHTTP, "sent five times", bubble(func(t *testing.T) {
				g := newTarget()
				client := retryablehttp.NewClient()
				client.Logger, client.HTTPClient = nil, &http.Client{Transport: failing(g, http.StatusServiceUnavailable)}
				post(t, client.StandardClient(), "")
				exactly(t, "requests", g.hits(), 5)
			})),
		},
		outlast: bubble(func(t *testing.T) {
			plain, keyed := newTarget(), newTarget()
			post(t, &http.Client{Transport: retryhttp.Default(failing(plain, http.StatusServiceUnavailable))}, "")
			exactly(t, "requests without a key", plain.hits(), 1)
			post(t, &http.Client{Transport: retryhttp.New(failing(keyed, http.StatusServiceUnavailable), policy(t, retry.Attempts(3)))}, "order-1")
			exactly(t, "requests with a key", keyed.hits(), 3)
		}),
	},
	{
		name: "grpc_resource_exhausted",
		what: "RESOURCE_EXHAUSTED is repeated only when the server says when",
		how:  "a unary call is answered RESOURCE_EXHAUSTED without RetryInfo; default policy of the gRPC helper",
		ours: "one attempt; with RetryInfo, repeated after that time",
		peers: []rival{defect(failsafeGo, "three attempts at the same moment", bubble(func(t *testing.T) {
			g := newTarget()
			intercept := failsafegrpc.NewUnaryClientInterceptorWithExecutor[any](failsafe.With[any](failsafegrpc.NewRetryPolicyBuilder[any]().Build()))
			err := intercept(t.Context(), "/shop.Orders/List", nil, nil, nil, answers(g, status.Error(codes.ResourceExhausted, "quota")))
			exactly(t, "code", status.Code(err), codes.ResourceExhausted)
			exactly(t, "attempts", g.hits(), 3)
			exactly(t, "moments", instants(g.times()), 1)
		}))},
		outlast: bubble(func(t *testing.T) {
			without, with := newTarget(), newTarget()
			p := policy(t, retry.Attempts(3), retry.Idempotent())
			_ = retry.Do(t.Context(), p, fails(without, 0, status.Error(codes.ResourceExhausted, "quota")))
			exactly(t, "attempts without RetryInfo", without.hits(), 1)
			told, err := status.New(codes.ResourceExhausted, "quota").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(10 * time.Second)})
			if err != nil {
				t.Fatal(err)
			}
			_ = retry.Do(t.Context(), p, fails(with, 0, told.Err()))
			exactly(t, "attempts with RetryInfo", with.hits(), 3)
			atLeast(t, "wait", with.gaps()[0], 10*time.Second)
		}),
	},
}

// failing is a transport in this process that answers with one status.
func failing(g *target, code int) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		g.hit()
		return &http.Response{
			StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{}, Body: io.NopCloser(strings.NewReader("")), Request: r,
		}, nil
	}
}

// post sends an order, whatever comes of it.
func post(t *testing.T, client *http.Client, key string) {
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://shop.test/orders", strings.NewReader(`{"item": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
	if response, err := client.Do(request); err == nil {
		_ = response.Body.Close()
	}
}

// answers is a unary call that always ends with err.
func answers(g *target, err error) grpc.UnaryInvoker {
	return func(context.Context, string, any, any, *grpc.ClientConn, ...grpc.CallOption) error {
		g.hit()
		return err
	}
}
