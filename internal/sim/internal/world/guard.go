package world

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// The guards as calls see them. Those of package retry fit as they are, but for
// the breaker; models of other libraries implement the same methods.
type (
	Budget interface {
		Record(now time.Time, first, success bool)
		Withdraw(now time.Time, cost float64) (ok bool, wait time.Duration)
		Return(now time.Time, cost float64)
	}
	throttle interface {
		Allow(now time.Time, r retry.Rand) error
		Accepted(now time.Time)
		Refused(now time.Time)
	}
	Limit interface {
		Acquire(now time.Time) bool
		Release(now time.Time, took time.Duration, c retry.Category)
	}
	Breaker interface {
		Enter(now time.Time) (Pass, bool)
		// leave ends a call. Of a success the verdict is nil.
		Leave(now time.Time, p Pass, took time.Duration, v *retry.Verdict)
		Cancel(now time.Time, p Pass)
	}
)

// attendant is a budget that counts what is under way, and is asked when a retry
// begins.
type attendant interface {
	Begins()
	Ends()
	RetryBegins() bool
	RetryEnds()
}

// Pass is the right to make one call through a breaker.
type Pass struct {
	permit retry.Permit
	Round  int // for models of other breakers
}

// RealBreaker is the breaker of package retry.
type RealBreaker struct{ *retry.Breaker }

func (b RealBreaker) Enter(now time.Time) (Pass, bool) {
	permit, err := b.Acquire(now)
	return Pass{permit: permit}, err == nil
}

func (b RealBreaker) Leave(now time.Time, p Pass, took time.Duration, v *retry.Verdict) {
	if v == nil {
		p.permit.Success(now, took)
	} else {
		p.permit.Failure(now, took, v.Category)
	}
}

func (b RealBreaker) Cancel(now time.Time, p Pass) { p.permit.Cancel(now) }

// Kit is how clients protect the server and themselves. Every instance of a fleet
// has guards of its own, made by the functions; nil ones are left out.
type Kit struct {
	Name     string
	Policy   *retry.Policy
	Budget   func(w *World) Budget
	Breaker  func(w *World) Breaker
	throttle func(w *World) throttle
	Limit    func(w *World) Limit
	Paced    bool // waits like a retry when a guard refuses, see [retry.Pace]
	Inherits bool // sees the outer attempt, see [retry.Outer]
	Forgets  bool // reports the end of the time in place of the last real error
	// patience limits attempts where the policy does not: callers wait no longer.
	Patience time.Duration
	// repeat replaces [retry.Policy.Repeat] in models of other libraries.
	Repeat func(f retry.Failure, r retry.Rand) retry.Repetition
	// tasks begins a fleet whose calls are tasks, and makes its nodes; nil for calls.
	tasks func(w *World) func() runner
}

// With returns the kit under a new name with changes.
func (k Kit) With(name string, changes ...func(*Kit)) Kit {
	k.Name = name
	for _, change := range changes {
		change(&k)
	}
	return k
}

// Unguarded is the kit without guards: only waits are looked at.
func (k Kit) Unguarded() Kit {
	k.Budget, k.Breaker, k.throttle, k.Limit = nil, nil, nil, nil
	return k
}

// Decided is [retry.Policy.Decide] with a price: what Repeat is for operations that
// may be repeated, for policies that do not say so.
func Decided(p *retry.Policy) func(retry.Failure, retry.Rand) retry.Repetition {
	return func(f retry.Failure, r retry.Rand) retry.Repetition {
		next := retry.Repetition{Decision: p.Decide(f, r), Cost: price(f.Verdict.Category, f.Attempt)}
		switch {
		case !next.Retry:
			next.Err = stopError(next.Reason)
		case f.Nested && f.Verdict.Effect != retry.NotSent:
			next.Retry, next.Err = false, retry.ErrNested
		}
		return next
	}
}

// price is how many tokens the retry after an attempt takes: after a first one that
// was not sent, none.
func price(c retry.Category, attempt int) float64 {
	if c == retry.Unsent && attempt == 1 {
		return 0
	}
	return c.Advice().Cost
}

// Plain is a policy without guards, for operations that may be repeated.
func Plain(name string, opts ...retry.Option) Kit {
	return Kit{Name: name, Policy: Must(retry.New(append([]retry.Option{retry.Idempotent()}, opts...)...))}
}

// WithBudget gives each client a budget of package retry.
func WithBudget(c retry.BudgetConfig) func(*Kit) {
	return func(k *Kit) {
		k.Budget = func(*World) Budget { return Must(retry.NewBudget(c)) }
	}
}

// WithBreaker gives each client a breaker of package retry.
func WithBreaker(c retry.BreakerConfig) func(*Kit) {
	return func(k *Kit) {
		k.Breaker = func(w *World) Breaker {
			own := c
			own.Rand = w.Jitter
			return RealBreaker{Must(retry.NewBreaker(own))}
		}
	}
}

// WithThrottle gives each client a throttle of package retry.
func WithThrottle(c retry.ThrottleConfig) func(*Kit) {
	return func(k *Kit) {
		k.throttle = func(*World) throttle { return Must(retry.NewThrottle(c)) }
	}
}

// WithLimit gives each client a limit of package retry.
func WithLimit(c retry.LimitConfig) func(*Kit) {
	return func(k *Kit) {
		k.Limit = func(*World) Limit { return Must(retry.NewLimit(c)) }
	}
}

// Must is for values that are written in this package, and wrong only by mistake.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Client is one instance: a process with its guards, calling one backend.
type Client struct {
	Kit
	Budget    Budget
	attendant attendant // the budget, if it is one
	Breaker   Breaker
	throttle  throttle
	limit     Limit
	node      runner // that runs calls as tasks; nil for calls in the process
	to        Backend
	lengths   Histogram // of attempts that worked, of calls with a deadline
}

// NewClient is an instance that calls one backend.
func NewClient(w *World, k Kit, to Backend) *Client {
	c := &Client{Kit: k, to: to}
	if k.Budget != nil {
		c.Budget = k.Budget(w)
		c.attendant, _ = c.Budget.(attendant)
	}
	if k.Breaker != nil {
		c.Breaker = k.Breaker(w)
	}
	if k.throttle != nil {
		c.throttle = k.throttle(w)
	}
	if k.Limit != nil {
		c.limit = k.Limit(w)
	}
	return c
}

// Fleet is so many instances that call one backend, each with guards of its own.
func Fleet(w *World, n int, k Kit, to Backend) []*Client {
	clients := make([]*Client, n)
	var node func() runner
	if k.tasks != nil {
		node = k.tasks(w)
	}
	for i := range clients {
		if clients[i] = NewClient(w, k, to); node != nil {
			clients[i].node = node()
		}
	}
	return clients
}

// priceOf is what a retry takes of a budget. Ours knows when a free one is not
// free.
func priceOf(b Budget, now time.Time, cost float64) float64 {
	if ours, ok := b.(*retry.Budget); ok {
		return ours.Price(now, cost)
	}
	return cost
}
