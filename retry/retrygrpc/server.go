package retrygrpc

import (
	"context"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/outlast-dev/outlast/retry"
)

// ServerOption changes the server's interceptors.
type ServerOption func(*server)

// RefuseWhileOpen refuses repeats while the breaker is not ready for a call. It is
// the breaker of what the handlers themselves need: first attempts are let through,
// and meet the breaker where the handler makes its call.
func RefuseWhileOpen(breaker *retry.Breaker) ServerOption {
	return func(s *server) { s.breaker = breaker }
}

// RefuseOverBudget lets repeats through as the budget allows: all of them until
// more calls fail than its Pressure says, and then first attempts pay for them, and
// less so when calls fail. A call fails with a code that counts for breakers
// (UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED by the handler, INTERNAL, UNKNOWN,
// DATA_LOSS), or when the handler panics. A negative Pressure bounds repeats also
// when all goes well, such as those of clients that wait too short a time for their
// answers. The budget is one of incoming calls and must not be shared with a client.
func RefuseOverBudget(budget *retry.Budget) ServerOption {
	return func(s *server) { s.budget = budget }
}

// LeastTime refuses repeats whose deadline leaves less than that. Default 0: only
// those whose deadline has passed.
func LeastTime(least time.Duration) ServerOption {
	return func(s *server) { s.least = least }
}

// OnCall tells about each call when it has ended, from its goroutine.
func OnCall(told func(CallEvent)) ServerOption {
	return func(s *server) { s.told = told }
}

// Why a repeat was refused; see [CallEvent].
const (
	RefusedBreaker = "breaker_open"
	RefusedBudget  = "budget_spent"
	RefusedTime    = "no_time"
)

// CallEvent is a call that a server has answered.
type CallEvent struct {
	// Method is in the form "/package.Service/Method".
	Method string
	// Attempt is the number that the client announced, at most 1000; 1 when it
	// announced none.
	Attempt int
	// Refused is one of the Refused constants, empty when the call was let through.
	Refused string
	// Err is what the handler returned, or the refusal; nil for a success and for a
	// handler that panicked.
	Err error
	// Took is the time from the interceptor to the end.
	Took time.Duration
}

// server is what the interceptors of a server have in common.
type server struct {
	breaker *retry.Breaker
	budget  *retry.Budget
	least   time.Duration
	told    func(CallEvent)
}

// UnaryServer reads what clients tell about their attempts, and puts it into the
// context of the call: [retry.Outer] gives it, and calls made with the context do not
// multiply. Repeats can be refused, with RESOURCE_EXHAUSTED, the least wait as
// pushback and as RetryInfo, or a pushback of −1 where the deadline leaves no time
// for that wait.
//
// Attempt numbers above 1000 are cut to it. Clients that lie can refuse themselves,
// or look like a first attempt: what is refused here is refused to save work, not to
// keep anybody out.
func UnaryServer(opts ...ServerOption) grpc.UnaryServerInterceptor {
	s := newServer(opts)
	return func(ctx context.Context, req any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (resp any, err error) {
		err = s.serve(ctx, info.FullMethod, func(ctx context.Context) error {
			resp, err = handle(ctx, req)
			return err
		}, func(trailer metadata.MD) { _ = grpc.SetTrailer(ctx, trailer) }) // it fails only without a stream
		return resp, err
	}
}

// StreamServer is [UnaryServer] for streams.
func StreamServer(opts ...ServerOption) grpc.StreamServerInterceptor {
	s := newServer(opts)
	return func(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
		return s.serve(stream.Context(), info.FullMethod, func(ctx context.Context) error {
			return handle(srv, &serverStream{stream, ctx})
		}, stream.SetTrailer)
	}
}

func newServer(opts []ServerOption) *server {
	s := &server{}
	for _, opt := range opts {
		opt(s)
	}
	return s
}

// serverStream is a stream with the context of the interceptor.
type serverStream struct {
	grpc.ServerStream
	ctx context.Context
}

// Context implements [grpc.ServerStream].
func (s *serverStream) Context() context.Context { return s.ctx }

// serve lets a call through or refuses it.
func (s *server) serve(ctx context.Context, method string, handle func(context.Context) error, trail func(metadata.MD)) error {
	now := time.Now()
	info := announcedBy(ctx)
	event := CallEvent{Method: method, Attempt: info.Attempt}
	if info.Attempt > 1 {
		if refused, ok := s.refuse(info, now); ok {
			event.Refused, event.Err = refused.reason, refused.err()
			trail(refused.trailer())
			s.tell(event, now)
			return event.Err
		}
		ctx = retry.WithOuter(ctx, info)
	}
	if s.budget == nil && s.told == nil {
		return handle(ctx)
	}
	panicked := true
	defer func() {
		if s.budget != nil {
			s.budget.Record(time.Now(), event.Attempt == 1, !panicked && !counts(event.Err))
		}
		s.tell(event, now)
	}()
	event.Err = handle(ctx)
	panicked = false
	return event.Err
}

// counts reports whether an error of a handler is one of the server and not of the
// call.
func counts(err error) bool {
	if err == nil {
		return false
	}
	v := retry.ClassifyGRPC(uint32(status.Code(err)), retry.Hint{}, false)
	return v.Category.Advice().Breaker
}

func (s *server) tell(event CallEvent, since time.Time) {
	if s.told != nil {
		event.Took = time.Since(since)
		s.told(event)
	}
}

// mostAttempt cuts attempt numbers that come from outside.
const mostAttempt = 1000

// announcedBy reads what the client tells about the attempt. Of several numbers the
// largest counts: a proxy that repeats does not know the client's.
func announcedBy(ctx context.Context) retry.Info {
	info := retry.Info{Attempt: 1}
	info.Deadline, _ = ctx.Deadline()
	received, _ := metadata.FromIncomingContext(ctx)
	for _, value := range received.Get(keyAttempts) {
		if value == "" || strings.Trim(value, "0123456789") != "" {
			continue
		}
		previous, err := strconv.Atoi(value)
		if err != nil || previous >= mostAttempt { // all digits, so too large
			previous = mostAttempt - 1
		}
		info.Attempt = max(info.Attempt, previous+1)
	}
	return info
}
