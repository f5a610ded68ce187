package retrygrpc

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/outlast-dev/outlast/retry"
)

// guarded serves with the interceptors of this package.
func guarded(t *testing.T, s *service, opts ...ServerOption) grpc.DialOption {
	t.Helper()
	return serve(t, s, grpc.UnaryInterceptor(UnaryServer(opts...)), grpc.StreamInterceptor(StreamServer(opts...)))
}

// repeated is a context whose calls announce that so many attempts came before.
func repeated(ctx context.Context, previous ...string) context.Context {
	for _, value := range previous {
		ctx = metadata.AppendToOutgoingContext(ctx, keyAttempts, value)
	}
	return ctx
}

// TestServerReads: what clients tell reaches the handler; what they cannot mean does
// not.
func TestServerReads(t *testing.T) {
	var info retry.Info
	var known bool
	s := &service{unary: func(ctx context.Context, _ int, _ string) (string, error) {
		info, known = retry.Outer(ctx)
		return "", nil
	}}
	s.stream = func(_ int, stream grpc.ServerStream) error {
		info, known = retry.Outer(stream.Context())
		return nil
	}
	var events []CallEvent
	conn := dial(t, guarded(t, s, OnCall(func(e CallEvent) { events = append(events, e) })))
	for name, c := range map[string]struct {
		previous []string
		attempt  int
	}{
		"nothing": {nil, 1}, "first": {[]string{"0"}, 1}, "second": {[]string{"1"}, 2}, "largest of several": {[]string{"1", "4", "2"}, 5},
		"too large": {[]string{"5000"}, 1000}, "far too large": {[]string{strings.Repeat("9", 30)}, 1000},
		"negative": {[]string{"-3"}, 1}, "no number": {[]string{"x"}, 1}, "empty": {[]string{""}, 1},
	} {
		events = nil
		ctx, cancel := context.WithTimeout(repeated(t.Context(), c.previous...), time.Minute)
		if _, err := call1(ctx, conn, ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if known != (c.attempt > 1) || known && (info.Attempt != c.attempt || info.Deadline.IsZero()) {
			t.Errorf("%s: %+v, %v", name, info, known)
		}
		stream, err := conn.NewStream(ctx, descDown, methodDown)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := all(closed(t, stream)); err != nil || known != (c.attempt > 1) {
			t.Errorf("%s: stream: %v", name, err)
		}
		cancel()
		if len(events) != 2 || events[0].Attempt != c.attempt || events[0].Method != methodCall || events[1].Method != methodDown ||
			events[0].Took <= 0 || events[0].Refused != "" || events[0].Err != nil {
			t.Errorf("%s: %+v", name, events)
		}
	}
}

func closed(t *testing.T, stream grpc.ClientStream) grpc.ClientStream {
	t.Helper()
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	return stream
}

// refusals are what makes a server refuse repeats.
func refusals(t *testing.T) map[string]ServerOption {
	t.Helper()
	breaker, err := retry.NewBreaker(retry.BreakerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	breaker.Force(time.Now(), retry.Open)
	budget, err := retry.NewBudget(retry.BudgetConfig{Floor: 0.2, Burst: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // more than the successes of the test outweigh
		budget.Record(time.Now(), true, false)
		budget.Withdraw(time.Now(), 1)
	}
	return map[string]ServerOption{
		RefusedBreaker: RefuseWhileOpen(breaker), RefusedBudget: RefuseOverBudget(budget), RefusedTime: LeastTime(time.Hour),
	}
}

// TestServerRefuses: repeats, not first attempts, by a status that every client
// understands, and before the handler runs.
func TestServerRefuses(t *testing.T) {
	for reason, option := range refusals(t) {
		t.Run(reason, func(t *testing.T) {
			s := &service{
				unary:  func(context.Context, int, string) (string, error) { return "", nil },
				stream: func(int, grpc.ServerStream) error { return nil },
			}
			var refused []string
			conn := dial(t, guarded(t, s, option, OnCall(func(e CallEvent) {
				if refused = append(refused, e.Refused); e.Refused != "" && status.Code(e.Err) != codes.ResourceExhausted {
					t.Errorf("%+v", e)
				}
			})))
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if _, err := call1(ctx, conn, ""); err != nil {
				t.Errorf("a first attempt: %v", err)
			}
			var trailer metadata.MD
			_, err := call1(repeated(ctx, "1"), conn, "", grpc.Trailer(&trailer))
			checkRefusal(t, err, trailer, reason)
			stream, err := conn.NewStream(repeated(ctx, "1"), descDown, methodDown)
			if err != nil {
				t.Fatal(err)
			}
			_, err = all(closed(t, stream))
			checkRefusal(t, err, stream.Trailer(), reason)
			if s.calls() != 1 || !slices.Equal(refused, []string{"", reason, reason}) {
				t.Errorf("%d calls, %q", s.calls(), refused)
			}
		})
	}
}

// checkRefusal: pushback and RetryInfo say the same.
func checkRefusal(t *testing.T, err error, trailer metadata.MD, reason string) {
	t.Helper()
	given, _ := status.FromError(err)
	hint, hinted := pushback(trailer)
	after, informed := retryInfo(given)
	if given.Code() != codes.ResourceExhausted || !hinted {
		t.Errorf("%v with %v", err, trailer)
	}
	if reason == RefusedTime {
		if !hint.GiveUp || informed {
			t.Errorf("%+v, %v", hint, after)
		}
		return
	}
	if hint.After < time.Second || hint.After > time.Minute || (after-hint.After).Abs() > time.Millisecond {
		t.Errorf("%+v, %v", hint, after)
	}
}

// TestRefusalWithoutTime: a wait that the deadline leaves no time for is a never.
func TestRefusalWithoutTime(t *testing.T) {
	for reason, option := range refusals(t) {
		conn := dial(t, guarded(t, failing(), option))
		if _, err := call1(t.Context(), conn, ""); err != nil { // it need not connect within that time
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 900*time.Millisecond)
		var trailer metadata.MD
		_, err := call1(repeated(ctx, "1"), conn, "", grpc.Trailer(&trailer))
		if hint, _ := pushback(trailer); status.Code(err) != codes.ResourceExhausted || !hint.GiveUp {
			t.Errorf("%s: %v with %v", reason, err, trailer)
		}
		cancel()
	}
}

// TestClientObeys: client and server of this package together. The breaker is open
// for the first repeat and lets the next one through.
func TestClientObeys(t *testing.T) {
	breaker, err := retry.NewBreaker(retry.BreakerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	s := &service{unary: func(_ context.Context, number int, _ string) (string, error) {
		if number == 1 {
			breaker.Force(time.Now(), retry.Open)
			return "", errUnavailable
		}
		return "done", nil
	}}
	refused := OnCall(func(e CallEvent) {
		if e.Refused != "" {
			breaker.Force(time.Now(), retry.Closed)
		}
	})
	var waits []time.Duration
	p := policy(t, retry.Observe(retry.Observer{Wait: func(e retry.WaitEvent) { waits = append(waits, e.Delay) }}))
	conn := dial(t, append(DialOptions(p), guarded(t, s, RefuseWhileOpen(breaker), refused))...)
	text, err := call1(t.Context(), conn, "", Idempotent())
	if err != nil || text != "done" || s.calls() != 2 {
		t.Errorf("%q, %v after %d calls", text, err, s.calls())
	}
	if len(waits) != 2 || waits[1] < leastWait {
		t.Errorf("%v", waits)
	}
}

// TestBudgetLearns: first attempts pay, failures count, and what the handler means
// by its codes is told apart.
func TestBudgetLearns(t *testing.T) {
	for code, failed := range map[codes.Code]bool{
		codes.OK: false, codes.NotFound: false, codes.InvalidArgument: false, codes.Aborted: false, codes.ResourceExhausted: false,
		codes.Unavailable: true, codes.Internal: true, codes.Unknown: true, codes.DeadlineExceeded: true,
	} {
		budget, err := retry.NewBudget(retry.BudgetConfig{})
		if err != nil {
			t.Fatal(err)
		}
		s := &service{unary: func(context.Context, int, string) (string, error) { return "", status.Error(code, "") }}
		conn := dial(t, guarded(t, s, RefuseOverBudget(budget)))
		for range 10 {
			if _, err := call1(t.Context(), conn, ""); status.Code(err) != code {
				t.Error(err)
			}
		}
		if share := budget.Share(time.Now()); (share == 0) != failed || (share == 1) == failed {
			t.Errorf("%v: a share of %v succeeded", code, share)
		}
		if state := budget.State(time.Now()); state.First != 10 {
			t.Errorf("%v: %+v", code, state)
		}
	}
}

// TestHandlerPanics: the panic passes through, and has been counted.
func TestHandlerPanics(t *testing.T) {
	var events []CallEvent
	intercept := UnaryServer(OnCall(func(e CallEvent) { events = append(events, e) }))
	func() {
		defer func() {
			if got := recover(); got != "boom" {
				t.Errorf("recovered %v", got)
			}
		}()
		_, _ = intercept(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: methodCall}, func(context.Context, any) (any, error) {
			panic("boom")
		})
	}()
	if len(events) != 1 || events[0].Err != nil {
		t.Errorf("%+v", events)
	}
}

// TestLayersThroughServers: a handler that is called by a repeat does not repeat its
// own calls.
func TestLayersThroughServers(t *testing.T) {
	leaf := failing(slices.Repeat([]error{errUnavailable}, 100)...)
	leafConn := connect(t, leaf, policy(t), IdempotentMethods("/test.Echo/"))
	middle := &service{unary: func(ctx context.Context, _ int, _ string) (string, error) {
		return call1(ctx, leafConn, "")
	}}
	conn := dial(t, append(DialOptions(policy(t), IdempotentMethods("/test.Echo/")), guarded(t, middle))...)
	_, err := call1(t.Context(), conn, "")
	if status.Code(err) != codes.Unavailable || middle.calls() != 3 || leaf.calls() != 3+1+1 {
		t.Errorf("%v: %d and %d calls", err, middle.calls(), leaf.calls())
	}
	if got := leaf.announced(); got != ",1,2,1,2" {
		t.Errorf("announced %q", got)
	}
	if !errors.Is(err, retry.ErrAttempts) {
		t.Error(err)
	}
}
