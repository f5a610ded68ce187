package retrygrpc

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/outlast-dev/outlast/retry"
)

func TestRepeats(t *testing.T) {
	s := failing(errUnavailable, errUnavailable)
	conn := connect(t, s, policy(t))
	if text, err := call1(t.Context(), conn, "hello", Idempotent()); err != nil || text != "hello" {
		t.Errorf("%q, %v", text, err)
	}
	if got := s.announced(); got != ",1,2" {
		t.Errorf("announced %q", got)
	}
}

// TestNotIdempotent: by default a call that a server may have worked on is not
// repeated, and its error looks as if there were no interceptor.
func TestNotIdempotent(t *testing.T) {
	s := failing(errUnavailable)
	_, err := call1(t.Context(), connect(t, s, policy(t)), "hello")
	given, ok := status.FromError(err)
	if !ok || given.Code() != codes.Unavailable || given.Message() != "not now" || s.calls() != 1 {
		t.Errorf("%v after %d calls", err, s.calls())
	}
	var own *Error
	var ended *retry.Error
	if !errors.As(err, &own) || !errors.As(err, &ended) || ended.Attempts != 1 || !errors.Is(err, retry.ErrUnsafe) {
		t.Errorf("%#v", err)
	}
}

// TestCodes: which codes an idempotent call is repeated after.
func TestCodes(t *testing.T) {
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		want := 1
		switch code {
		case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled:
			want = 3
		}
		t.Run(code.String(), func(t *testing.T) {
			err := status.Error(code, "scripted")
			s := failing(err, err, err)
			if _, err := call1(t.Context(), connect(t, s, policy(t)), "", Idempotent()); status.Code(err) != code || s.calls() != want {
				t.Errorf("%v after %d calls", err, s.calls())
			}
		})
	}
}

// TestPushback: the trailer is the least wait, or forbids.
func TestPushback(t *testing.T) {
	for name, c := range map[string]struct {
		code     codes.Code
		pushback []string
		repeated bool
		least    time.Duration
	}{
		"a wait":                        {codes.Unavailable, []string{"30"}, true, 30 * time.Millisecond},
		"no wait":                       {codes.Unavailable, []string{"0"}, true, 0},
		"exhausted, without":            {codes.ResourceExhausted, nil, false, 0},
		"exhausted, a wait":             {codes.ResourceExhausted, []string{"30"}, true, 30 * time.Millisecond},
		"exhausted, no wait":            {codes.ResourceExhausted, []string{"0"}, true, 0},
		"negative":                      {codes.Unavailable, []string{"-1"}, false, 0},
		"unreadable":                    {codes.Unavailable, []string{"soon"}, false, 0},
		"empty":                         {codes.Unavailable, []string{""}, false, 0},
		"too large":                     {codes.Unavailable, []string{"9999999999999"}, false, 0},
		"several":                       {codes.Unavailable, []string{"1", "1"}, false, 0},
		"permanent whatever is asked":   {codes.InvalidArgument, []string{"1"}, false, 0},
		"permanent, although forbidden": {codes.InvalidArgument, []string{"-1"}, false, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := &service{unary: func(ctx context.Context, number int, text string) (string, error) {
				if number > 1 {
					return text, nil
				}
				if err := grpc.SetTrailer(ctx, metadata.MD{keyPushback: c.pushback}); err != nil {
					t.Error(err)
				}
				return "", status.Error(c.code, "scripted")
			}}
			var waited time.Duration
			p := policy(t, retry.Observe(retry.Observer{Wait: func(e retry.WaitEvent) { waited = e.Delay }}))
			_, err := call1(t.Context(), connect(t, s, p), "", Idempotent())
			if (err == nil) != c.repeated || waited < c.least || waited > c.least*5/4+5*time.Millisecond {
				t.Errorf("%v after a wait of %v", err, waited)
			}
		})
	}
}

// TestRetryInfo is a least wait among the details.
func TestRetryInfo(t *testing.T) {
	refused, err := status.New(codes.ResourceExhausted, "scripted").WithDetails(&errdetails.ErrorInfo{},
		&errdetails.RetryInfo{RetryDelay: durationpb.New(30 * time.Millisecond)})
	if err != nil {
		t.Fatal(err)
	}
	var waited time.Duration
	p := policy(t, retry.Observe(retry.Observer{Wait: func(e retry.WaitEvent) { waited = e.Delay }}))
	if _, err := call1(t.Context(), connect(t, failing(refused.Err()), p), ""); err != nil || waited < 30*time.Millisecond {
		t.Errorf("%v after %v", err, waited)
	}
	// By reflection, in package retry, it is the same; but as the classifier of a policy
	// it does not speak for what an operation did before.
	typed, ok := Classify(refused.Err())
	reflected := retry.Classify(refused.Err())
	if typed.Effect == retry.NotSent || reflected.Effect != retry.NotSent {
		t.Errorf("%+v and %+v", typed, reflected)
	}
	if typed.Type, typed.Effect = reflected.Type, reflected.Effect; !ok || typed != reflected || typed.Category != retry.Throttled {
		t.Errorf("%+v and %+v", typed, reflected)
	}
}

// TestUnreachable: without a connection nothing was sent, and nobody needs to be
// idempotent.
func TestUnreachable(t *testing.T) {
	refuse := grpc.WithContextDialer(nobody)
	var verdicts []retry.Verdict
	p := policy(t, retry.Observe(retry.Observer{Attempt: func(e retry.AttemptEvent) { verdicts = append(verdicts, e.Verdict) }}))
	_, err := call1(t.Context(), dial(t, append(DialOptions(p), refuse)...), "")
	if status.Code(err) != codes.Unavailable || len(verdicts) != 3 {
		t.Errorf("%v after %d", err, len(verdicts))
	}
	for _, v := range verdicts {
		if v.Category != retry.Unsent || v.Effect != retry.NotSent || v.Code != "UNAVAILABLE" {
			t.Errorf("%+v", v)
		}
	}
	// The interceptor by itself cannot know.
	verdicts = nil
	_, err = call1(t.Context(), dial(t, grpc.WithUnaryInterceptor(UnaryClient(p)), refuse), "")
	if status.Code(err) != codes.Unavailable || len(verdicts) != 1 {
		t.Errorf("%v after %d", err, len(verdicts))
	}
}

// TestRelayedTexts: a server that hands on what gRPC told it about a call of its own
// has seen the attempt, and may have done its work.
func TestRelayedTexts(t *testing.T) {
	for _, text := range []string{
		"stream terminated by RST_STREAM with error code: REFUSED_STREAM",
		"the connection is draining",
		"the stream is rejected because server is draining the connection",
	} {
		s := failing(status.Error(codes.Unavailable, text), status.Error(codes.Unavailable, text))
		_, err := call1(t.Context(), connect(t, s, policy(t)), "")
		if status.Code(err) != codes.Unavailable || s.calls() != 1 || !errors.Is(err, retry.ErrUnsafe) {
			t.Errorf("%q: %d calls, %v", text, s.calls(), err)
		}
		s = &service{stream: func(int, grpc.ServerStream) error { return status.Error(codes.Unavailable, text) }}
		stream, err := connect(t, s, policy(t)).NewStream(t.Context(), descTalk, methodTalk)
		if err == nil {
			err = stream.RecvMsg(&wrapperspb.StringValue{})
		}
		if status.Code(err) != codes.Unavailable || s.calls() != 1 {
			t.Errorf("a stream, %q: %d calls, %v", text, s.calls(), err)
		}
	}
}

// TestTimes: an attempt's own time, the caller's deadline and a cancellation are
// told apart.
func TestTimes(t *testing.T) {
	slow := func() *service {
		return &service{unary: func(ctx context.Context, number int, text string) (string, error) {
			if number == 1 {
				<-ctx.Done()
				return "", status.FromContextError(ctx.Err()).Err()
			}
			return text, nil
		}}
	}
	patiently(t, 30*time.Millisecond, func(t *testing.T, limit time.Duration) string {
		s := slow()
		if _, err := call1(t.Context(), connect(t, s, policy(t, retry.PerAttempt(limit))), "", Idempotent()); err != nil || s.calls() != 2 {
			return fmt.Sprintf("idempotent: %v after %d calls", err, s.calls())
		}
		return ""
	})
	patiently(t, 30*time.Millisecond, func(t *testing.T, limit time.Duration) string {
		s := slow()
		_, err := call1(t.Context(), connect(t, s, policy(t, retry.PerAttempt(limit))), "")
		if status.Code(err) != codes.DeadlineExceeded || !errors.Is(err, retry.ErrUnsafe) || s.calls() != 1 {
			return fmt.Sprintf("not idempotent: %v after %d calls", err, s.calls())
		}
		return ""
	})
	patiently(t, 20*time.Millisecond, func(t *testing.T, limit time.Duration) string {
		s := slow()
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		_, err := call1(ctx, connect(t, s, policy(t)), "", Idempotent())
		if status.Code(err) != codes.DeadlineExceeded || s.calls() != 1 { // the server may be first to tell
			return fmt.Sprintf("deadline: %v after %d calls", err, s.calls())
		}
		return ""
	})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := call1(ctx, connect(t, slow(), policy(t)), "", Idempotent()); status.Code(err) != codes.Canceled {
		t.Errorf("canceled: %v", err)
	}
}

// TestLastErrorStays: a deadline in a wait does not hide why there was a wait.
func TestLastErrorStays(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p := policy(t, retry.Fixed(time.Hour))
	_, err := call1(ctx, connect(t, failing(errUnavailable), p), "", Idempotent())
	if status.Code(err) != codes.Unavailable || !errors.Is(err, retry.ErrNoTime) {
		t.Errorf("%v", err)
	}
}

// TestAborted: the call itself is not repeated, what is around it is.
func TestAborted(t *testing.T) {
	s := failing(status.Error(codes.Aborted, "lost"))
	conn := connect(t, s, policy(t))
	units := 0
	err := retry.Do(t.Context(), policy(t, retry.On(retry.Conflict)), func(ctx context.Context) error {
		units++
		_, err := call1(ctx, conn, "", Idempotent())
		return err
	})
	if err != nil || units != 2 || s.calls() != 2 {
		t.Errorf("%v after %d units and %d calls", err, units, s.calls())
	}
}

// TestLayers: inside a repeat of an outer operation the call is not repeated, and
// counts on.
func TestLayers(t *testing.T) {
	s := failing(errUnavailable, errUnavailable, errUnavailable, errUnavailable, errUnavailable)
	conn := connect(t, s, policy(t))
	err := retry.Do(t.Context(), policy(t), func(ctx context.Context) error {
		_, err := call1(ctx, conn, "", Idempotent())
		return err
	}, retry.Idempotent())
	if status.Code(err) != codes.Unavailable || s.announced() != ",1,2,1,2" {
		t.Errorf("%v: %s", err, s.announced())
	}
}

// TestGuards: a target's breaker opens and refuses with a status.
func TestGuards(t *testing.T) {
	breaker, err := retry.NewBreaker(retry.BreakerConfig{Consecutive: 2})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	targets := retry.NewTargets(0, 0, func(name string) *retry.Target {
		names = append(names, name)
		return &retry.Target{Name: name, Breaker: breaker}
	})
	s := failing(errUnavailable, errUnavailable, errUnavailable)
	conn := connect(t, s, policy(t), Targets(targets))
	for range 3 {
		_, err = call1(t.Context(), conn, "")
	}
	if status.Code(err) != codes.Unavailable || !errors.Is(err, retry.ErrBreakerOpen) || s.calls() != 2 {
		t.Errorf("%v after %d calls", err, s.calls())
	}
	if v := retry.Classify(err); v.Category != retry.Unavailable || v.Effect != retry.NotSent {
		t.Errorf("%+v", v)
	}
	if len(names) != 1 || names[0] != conn.Target() {
		t.Errorf("%q", names)
	}
	named := connect(t, s, policy(t), Targets(targets), TargetName(func(_ *grpc.ClientConn, method string) string { return method }))
	if _, err := call1(t.Context(), named, ""); !errors.Is(err, retry.ErrBreakerOpen) || names[1] != methodCall {
		t.Errorf("%v, %q", err, names)
	}
}

// TestNoMetadata sends nothing, and what a caller sends stays.
func TestNoMetadata(t *testing.T) {
	s := failing(errUnavailable)
	if _, err := call1(t.Context(), connect(t, s, policy(t), NoMetadata()), "", Idempotent()); err != nil || s.announced() != "," {
		t.Errorf("%v: %q", err, s.announced())
	}
	var seen []string
	s = &service{unary: func(ctx context.Context, number int, _ string) (string, error) {
		received, _ := metadata.FromIncomingContext(ctx)
		if seen = append(seen, received.Get("color")...); number == 1 {
			return "", errUnavailable
		}
		return "", nil
	}}
	ctx := metadata.AppendToOutgoingContext(t.Context(), "color", "red")
	if _, err := call1(ctx, connect(t, s, policy(t)), "", Idempotent()); err != nil || len(seen) != 2 || seen[1] != "red" {
		t.Errorf("%v: %q", err, seen)
	}
}
