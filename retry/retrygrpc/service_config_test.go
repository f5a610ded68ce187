package retrygrpc

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/outlast-dev/outlast/retry"
)

// fourAttempts is a service configuration with a retryPolicy.
func fourAttempts(codes string) grpc.DialOption {
	return grpc.WithDefaultServiceConfig(fmt.Sprintf(`{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": 4,
		"initialBackoff": "0.001s", "maxBackoff": "0.002s", "backoffMultiplier": 3, "retryableStatusCodes": [%s]}}]}`, codes))
}

func alwaysFailing(err error) *service {
	return failing(err, err, err, err, err, err, err, err, err, err)
}

// TestServiceConfig: what the service configuration says of retries is taken over, from
// the first call on, and does not multiply.
func TestServiceConfig(t *testing.T) {
	const listed = `"UNAVAILABLE", "INTERNAL", "ABORTED", "RESOURCE_EXHAUSTED"`
	yes := IdempotentIf(func(string) bool { return true })
	for name, c := range map[string]struct {
		config string
		opts   []Option
		call   []grpc.CallOption
		policy []retry.Option
		code   codes.Code
		want   int
	}{
		"a listed code":              {listed, nil, nil, nil, codes.Unavailable, 4},
		"a listed code, idempotent":  {listed, []Option{yes}, nil, nil, codes.Unavailable, 4},
		"listed, the server's bug":   {listed, nil, nil, nil, codes.Internal, 4},
		"listed, a conflict":         {listed, nil, nil, nil, codes.Aborted, 4},
		"listed, exhausted":          {listed, nil, nil, nil, codes.ResourceExhausted, 4},
		"no listed code":             {`"ABORTED"`, []Option{yes}, nil, nil, codes.Unavailable, 1},
		"the policy is never":        {listed, nil, nil, []retry.Option{retry.NotIdempotent()}, codes.Unavailable, 1},
		"the call is never":          {listed, nil, []grpc.CallOption{NotIdempotent()}, nil, codes.Unavailable, 1},
		"never on, by the policy":    {listed, nil, nil, []retry.Option{retry.GiveUpOn("UNAVAILABLE")}, codes.Unavailable, 1},
		"its own policy":             {listed, []Option{OwnPolicy(), yes}, nil, nil, codes.Unavailable, 3},
		"its own policy, undeclared": {listed, []Option{OwnPolicy()}, nil, nil, codes.Unavailable, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := alwaysFailing(status.Error(c.code, "not now"))
			conn := dial(t, append(DialOptions(policy(t, c.policy...), c.opts...), serve(t, s), fourAttempts(c.config))...)
			for n := 1; n <= 2; n++ { // the configuration comes with the first call
				_, err := call1(t.Context(), conn, "", c.call...)
				if status.Code(err) != c.code || s.calls() != n*c.want {
					t.Errorf("call %d: %v after %d calls in all, not %d", n, err, s.calls(), n*c.want)
				}
				if end, ok := errors.AsType[*retry.Error](err); !ok || end.Attempts != c.want {
					t.Errorf("call %d: %v", n, err)
				}
			}
		})
	}
}

// TestServiceConfigStream: a stream is repeated as the configuration says, too.
func TestServiceConfigStream(t *testing.T) {
	s := &service{stream: func(int, grpc.ServerStream) error { return errUnavailable }}
	conn := dial(t, append(DialOptions(policy(t)), serve(t, s), fourAttempts(`"UNAVAILABLE"`))...)
	for n := 1; n <= 2; n++ {
		stream, err := conn.NewStream(t.Context(), descDown, methodDown)
		if err == nil {
			_, err = receive(stream)
		}
		if status.Code(err) != codes.Unavailable || s.calls() != 4*n {
			t.Errorf("call %d: %v after %d calls in all", n, err, s.calls())
		}
	}
}

// TestServiceConfigSucceeds: the attempt that brought the configuration is one of the
// attempts, and guards see it once.
func TestServiceConfigSucceeds(t *testing.T) {
	breaker, err := retry.NewBreaker(retry.BreakerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	s := failing(errUnavailable, errUnavailable)
	conn := dial(t, append(DialOptions(policy(t, retry.WithBreaker(breaker))), serve(t, s), fourAttempts(`"UNAVAILABLE"`))...)
	if text, err := call1(t.Context(), conn, "hello"); text != "hello" || err != nil || s.announced() != ",1,2" {
		t.Errorf("%q, %v after %q", text, err, s.announced())
	}
	if view := breaker.View(time.Now()); view.Failures != 2 || view.Calls != 3 {
		t.Errorf("the breaker has seen %d failures of %d calls", view.Failures, view.Calls)
	}
}

// TestServiceConfigRefused: when a guard refuses the operation that begins anew, the
// failure of the attempt before it is not lost.
func TestServiceConfigRefused(t *testing.T) {
	for name, call := range map[string]func(*grpc.ClientConn) error{
		"unary": func(conn *grpc.ClientConn) error { _, err := call1(t.Context(), conn, ""); return err },
		"stream": func(conn *grpc.ClientConn) error {
			stream, err := conn.NewStream(t.Context(), descDown, methodDown)
			if err == nil {
				_, err = receive(stream)
			}
			return err
		},
	} {
		rate, err := retry.NewRate(retry.RateConfig{PerSecond: 0.0001})
		if err != nil {
			t.Fatal(err)
		}
		s := alwaysFailing(errUnavailable)
		s.stream = func(int, grpc.ServerStream) error { return errUnavailable }
		conn := dial(t, append(DialOptions(policy(t, retry.WithRate(rate))), serve(t, s), fourAttempts(`"UNAVAILABLE"`))...)
		err = call(conn)
		end, ok := errors.AsType[*retry.Error](err)
		if !ok || end.Attempts != 1 || !errors.Is(err, retry.ErrRate) || status.Code(err) != codes.Unavailable || s.calls() != 1 {
			t.Errorf("%s: %v after %d calls", name, err, s.calls())
		}
	}
}

// TestServiceConfigOnce: no policy repeats the attempt that brought the configuration,
// nor throws away what a repeat has answered.
func TestServiceConfigOnce(t *testing.T) {
	for name, option := range map[string]retry.Option{
		"on":     retry.On(retry.Canceled),
		"a rule": retry.Rules(retry.Rule{When: []retry.Category{retry.Canceled}, Then: retry.Retry}),
		"a classifier": retry.Classifiers(func(error) (retry.Verdict, bool) {
			return retry.Verdict{Category: retry.Unavailable, Effect: retry.NotSent}, true
		}),
	} {
		s := failing(errUnavailable)
		conn := dial(t, append(DialOptions(policy(t, option, retry.Idempotent())), serve(t, s), fourAttempts(`"UNAVAILABLE"`))...)
		if text, err := call1(t.Context(), conn, "hello"); text != "hello" || err != nil || s.announced() != ",1" {
			t.Errorf("%s: %q, %v after %q", name, text, err, s.announced())
		}
	}
}

// TestServiceConfigOK: OK in the list, which gRPC allows, does not undo the rest.
func TestServiceConfigOK(t *testing.T) {
	s := alwaysFailing(errUnavailable)
	conn := dial(t, append(DialOptions(policy(t)), serve(t, s), fourAttempts(`"OK", "UNAVAILABLE"`))...)
	if _, err := call1(t.Context(), conn, ""); status.Code(err) != codes.Unavailable || s.calls() != 4 {
		t.Errorf("%v after %d calls", err, s.calls())
	}
}

// TestServiceConfigAlone: the interceptor by itself leaves the retries of gRPC alone.
func TestServiceConfigAlone(t *testing.T) {
	s := alwaysFailing(errUnavailable)
	conn := dial(t, serve(t, s), fourAttempts(`"UNAVAILABLE"`), grpc.WithChainUnaryInterceptor(UnaryClient(policy(t))))
	if _, err := call1(t.Context(), conn, ""); status.Code(err) != codes.Unavailable || s.calls() != 4 {
		t.Errorf("%v after %d calls", err, s.calls())
	}
}

// TestServiceConfigWaits: waits are those of gRPC, and the cap of hints is not lower.
func TestServiceConfigWaits(t *testing.T) {
	r := retryPolicy{attempts: 5, initial: time.Second, most: 4 * time.Second, multiplier: 3, retryableCodes: 1 << codes.Unavailable}
	for cap, want := range map[time.Duration]time.Duration{time.Second: 4 * time.Second, time.Minute: time.Minute, 0: 0} {
		c := newClient(policy(t, retry.Exponential(time.Millisecond, 2, cap)), nil)
		p := c.under(r)
		if got := fmt.Sprint(p.Plan(9)); got != "[1s 3s 4s 4s]" || p.Cap() != want {
			t.Errorf("%s, capped at %v", got, p.Cap())
		}
		if p != c.under(r) || c.under(retryPolicy{}) != c.policy {
			t.Error("the variant is made more than once, or without need")
		}
		if low, high := p.Jitter().Draw(retry.Window{Nominal: time.Second}, zero{}), p.Jitter().Draw(retry.Window{Nominal: time.Second}, one{}); low != 800*time.Millisecond || high < 1199*time.Millisecond || high > 1200*time.Millisecond {
			t.Errorf("between %v and %v", low, high)
		}
	}
}

// TestServiceConfigLongest: gRPC cuts what a configuration says to the longest duration,
// which must not come out as no wait.
func TestServiceConfigLongest(t *testing.T) {
	r := retryPolicy{attempts: 3, initial: math.MaxInt64, most: math.MaxInt64, multiplier: 3, retryableCodes: 1 << codes.Unavailable}
	if plan := newClient(policy(t), nil).under(r).Plan(3); slices.Min(plan) < math.MaxInt64 {
		t.Error(plan)
	}
}

type (
	zero struct{}
	one  struct{}
)

func (zero) Float64() float64 { return 0 }
func (one) Float64() float64  { return 0.999999 }
