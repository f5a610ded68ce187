package outlast

import (
	"context"

	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/enqueue"
)

// Middleware stands around the work of a client: what every handler or every enqueue should
// do, such as carrying a tenant from one to the other. Functions that are nil stand around
// nothing. Each calls next to go on, or does not; both are called from many goroutines.
type Middleware struct {
	// Handle stands around the attempts of Go handlers, those of a [Definition] included; not
	// around HTTP tasks, whose handler is elsewhere, and alerts. It gets the attempt's context,
	// of which [Info] and [CompleteTx] know, and the payload as it was enqueued. It may hand on
	// another context, made from that one, and another payload. What it returns decides as the
	// error of a handler does, [GiveUp], [RetryAfter] and the like included: it passes on
	// what next returned, unless it knows better. A result of the handler goes past it, and is
	// kept if all return nil. A payload that does not fit the handler is an error of next. A panic
	// is one of the attempt.
	Handle func(ctx context.Context, payload []byte, next func(ctx context.Context, payload []byte) error) error
	// Enqueue stands around each call that hands in tasks, in a caller's transaction or not, by
	// this client or a server made of it, before anything is checked. The drafts are all those
	// of the call, and may be changed in their places: the list, metadata, and a target with its
	// headers are copies, metadata never nil; other pointers are the caller's, to be replaced
	// and not written through. It may hand on another context, and refuse the call by an
	// error. The receipts are those of the drafts, in their order; in a batch that is not atomic
	// each may have an error. An error after next has returned none undoes nothing: outside of a
	// transaction the tasks are on disk. It does not stand around ticks of
	// schedules, fallbacks and callbacks, redrives and alerts, which no call hands in.
	Enqueue func(ctx context.Context, all []Draft, next func(ctx context.Context, all []Draft) ([]Receipt, error)) ([]Receipt, error)
}

// WithMiddleware adds middleware. The first one is outermost, that of a type ([Around])
// innermost.
func WithMiddleware(all ...Middleware) Option {
	return func(o *settings) {
		for _, m := range all {
			if m.Handle != nil {
				o.AroundHandlers = append(o.AroundHandlers, m.Handle)
			}
			if m.Enqueue != nil {
				o.AroundEnqueues = append(o.AroundEnqueues, m.enqueue)
			}
		}
	}
}

// Around adds middleware of one type, inside that of the client; see [Middleware] for what it may do.
func Around(handle func(ctx context.Context, payload []byte, next func(ctx context.Context, payload []byte) error) error) HandleOption {
	return typeOption(func(r *asked) { r.Around = append(r.Around, handle) })
}

// enqueue is the function of that name in the terms of those who accept drafts.
func (m Middleware) enqueue(ctx context.Context, all []drafts.Draft, next enqueue.Next) ([]enqueue.Receipt, error) {
	receipts, err := m.Enqueue(ctx, converted(all, draftOf), func(ctx context.Context, all []Draft) ([]Receipt, error) {
		receipts, err := next(ctx, converted(all, func(d Draft) drafts.Draft { return d.plain() }))
		return receiptsOf(receipts), err
	})
	return converted(receipts, func(r Receipt) enqueue.Receipt { return enqueue.Receipt(r) }), err
}

// converted is a list in other terms.
func converted[A, B any](all []A, as func(A) B) []B {
	made := make([]B, len(all))
	for i := range all {
		made[i] = as(all[i])
	}
	return made
}
