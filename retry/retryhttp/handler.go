package retryhttp

import (
	"context"
	"net/http"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// HandlerOption changes what [Handler] does.
type HandlerOption func(*handler)

// RefuseWhileOpen refuses repeats while the breaker is not ready for a call. It
// is the breaker of what the handler itself needs: first attempts are let
// through, and meet the breaker where the handler makes its call. The handler
// answers 503.
func RefuseWhileOpen(breaker *retry.Breaker) HandlerOption {
	return func(h *handler) { h.breaker = breaker }
}

// RefuseOverBudget lets repeats through as the budget allows: all of them until
// more answers fail than its Pressure says, and then first attempts pay for them,
// and less so when answers fail. An answer fails with a status of 500 or above, or
// when the handler panics. A negative Pressure bounds repeats also when all goes
// well, such as those of clients that wait too short a time for their answers. The
// budget is one of incoming requests and must not be shared with a [Transport]. The
// handler answers 429.
func RefuseOverBudget(budget *retry.Budget) HandlerOption {
	return func(h *handler) { h.budget = budget }
}

// LeastTime refuses repeats whose deadline leaves less than that. Default 0: only
// those whose deadline has passed. The handler answers 503.
func LeastTime(least time.Duration) HandlerOption {
	return func(h *handler) { h.least = least }
}

// OnRequest tells about each request when it has ended, from its goroutine.
func OnRequest(told func(RequestEvent)) HandlerOption {
	return func(h *handler) { h.told = told }
}

// Why a repeat was refused; see [RequestEvent].
const (
	RefusedBreaker = "breaker_open"
	RefusedBudget  = "budget_spent"
	RefusedTime    = "no_time"
)

// RequestEvent is a request that a server has answered.
type RequestEvent struct {
	// Attempt is the number that the client announced, at most 1000; 1 when it
	// announced none.
	Attempt int
	// Refused is one of the Refused constants, empty when the request was let
	// through.
	Refused string
	// Status is that of the answer; 0 when the handler panicked before it gave one,
	// or took the connection over.
	Status int
	// Took is the time from the middleware to its end.
	Took time.Duration
}

// Handler reads what clients tell about their attempts, and puts it into the
// context of the request: [retry.Outer] gives it, calls made with the context do
// not multiply, and the context ends at the client's deadline, with the cause
// [retry.ErrDeadline].
//
// Attempt numbers above 1000 are cut to it; a deadline more than a day away is
// ignored. A deadline given as a time and not as time left is compared with the
// request's Date or Webhook-Timestamp, and if it has none, with this machine's
// clock. Clients that lie can refuse themselves, or look like a first attempt:
// what is refused here is refused to save work, not to keep anybody out.
//
// A refusal is 503 or 429 with Retry-After and Outlast-Retry.
func Handler(next http.Handler, opts ...HandlerOption) http.Handler {
	h := &handler{next: next}
	for _, opt := range opts {
		opt(h)
	}
	return h
}

type handler struct {
	next    http.Handler
	breaker *retry.Breaker
	budget  *retry.Budget
	least   time.Duration
	told    func(RequestEvent)
}

// ServeHTTP implements [http.Handler].
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	info, known := announced(r.Header, now)
	event := RequestEvent{Attempt: max(info.Attempt, 1)}
	if event.Attempt > 1 {
		if refused, ok := h.refuse(info, now); ok {
			event.Refused, event.Status = refused.reason, refused.status
			refused.answer(w)
			h.tell(event, now)
			return
		}
	}
	if known {
		ctx, cancel := contextOf(r.Context(), info)
		defer cancel()
		r = r.WithContext(ctx)
	}
	if h.budget == nil && h.told == nil {
		h.next.ServeHTTP(w, r)
		return
	}
	watched := &statusWriter{ResponseWriter: w}
	panicked := true
	defer func() {
		event.Status = watched.final(panicked)
		if h.budget != nil {
			h.budget.Record(time.Now(), event.Attempt == 1, !panicked && event.Status < http.StatusInternalServerError)
		}
		h.tell(event, now)
	}()
	h.next.ServeHTTP(watched, r)
	panicked = false
}

func (h *handler) tell(event RequestEvent, since time.Time) {
	if h.told != nil {
		event.Took = time.Since(since)
		h.told(event)
	}
}

// contextOf puts what was announced into a context.
func contextOf(ctx context.Context, info retry.Info) (context.Context, context.CancelFunc) {
	ctx = retry.WithOuter(ctx, info)
	if info.Deadline.IsZero() {
		return ctx, func() {}
	}
	return context.WithDeadlineCause(ctx, info.Deadline, retry.ErrDeadline)
}
