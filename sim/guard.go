package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// The guards as calls see them. Those of package retry fit as they are, but for
// the breaker; models of other libraries implement the same methods.
type (
	budget interface {
		Record(now time.Time, first, success bool)
		Withdraw(now time.Time, cost float64) (ok bool, wait time.Duration)
		Return(now time.Time, cost float64)
	}
	throttle interface {
		Allow(now time.Time, r retry.Rand) error
		Accepted(now time.Time)
		Refused(now time.Time)
	}
	limit interface {
		Acquire(now time.Time) bool
		Release(now time.Time, took time.Duration, c retry.Category)
	}
	breaker interface {
		enter(now time.Time) (pass, bool)
		// leave ends a call. Of a success the verdict is nil.
		leave(now time.Time, p pass, took time.Duration, v *retry.Verdict)
		cancel(now time.Time, p pass)
	}
)

// attendant is a budget that counts what is under way, and is asked when a retry
// begins.
type attendant interface {
	begins()
	ends()
	retryBegins() bool
	retryEnds()
}

// pass is the right to make one call through a breaker.
type pass struct {
	permit retry.Permit
	round  int // for models of other breakers
}

// realBreaker is the breaker of package retry.
type realBreaker struct{ *retry.Breaker }

func (b realBreaker) enter(now time.Time) (pass, bool) {
	permit, err := b.Acquire(now)
	return pass{permit: permit}, err == nil
}

func (b realBreaker) leave(now time.Time, p pass, took time.Duration, v *retry.Verdict) {
	if v == nil {
		p.permit.Success(now, took)
	} else {
		p.permit.Failure(now, took, v.Category)
	}
}

func (b realBreaker) cancel(now time.Time, p pass) { p.permit.Cancel(now) }

// kit is how clients protect the server and themselves. Every instance of a fleet
// has guards of its own, made by the functions; nil ones are left out.
type kit struct {
	name     string
	policy   *retry.Policy
	budget   func(w *world) budget
	breaker  func(w *world) breaker
	throttle func(w *world) throttle
	limit    func(w *world) limit
	paced    bool // waits like a retry when a guard refuses, see [retry.Pace]
	inherits bool // sees the outer attempt, see [retry.Outer]
	forgets  bool // reports the end of the time in place of the last real error
	// patience limits attempts where the policy does not: callers wait no longer.
	patience time.Duration
	// repeat replaces [retry.Policy.Repeat] in models of other libraries.
	repeat func(f retry.Failure, r retry.Rand) retry.Repetition
	// tasks begins a fleet whose calls are tasks, and makes its nodes; nil for calls.
	tasks func(w *world) func() runner
}

// with returns the kit under a new name with changes.
func (k kit) with(name string, changes ...func(*kit)) kit {
	k.name = name
	for _, change := range changes {
		change(&k)
	}
	return k
}

// decided is [retry.Policy.Decide] with a price: what Repeat is for operations that
// may be repeated, for policies that do not say so.
func decided(p *retry.Policy) func(retry.Failure, retry.Rand) retry.Repetition {
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

// plain is a policy without guards, for operations that may be repeated.
func plain(name string, opts ...retry.Option) kit {
	return kit{name: name, policy: must(retry.New(append([]retry.Option{retry.Idempotent()}, opts...)...))}
}

func withBudget(c retry.BudgetConfig) func(*kit) {
	return func(k *kit) {
		k.budget = func(*world) budget { return must(retry.NewBudget(c)) }
	}
}

func withBreaker(c retry.BreakerConfig) func(*kit) {
	return func(k *kit) {
		k.breaker = func(w *world) breaker {
			own := c
			own.Rand = w.jitter
			return realBreaker{must(retry.NewBreaker(own))}
		}
	}
}

func withThrottle(c retry.ThrottleConfig) func(*kit) {
	return func(k *kit) {
		k.throttle = func(*world) throttle { return must(retry.NewThrottle(c)) }
	}
}

func withLimit(c retry.LimitConfig) func(*kit) {
	return func(k *kit) {
		k.limit = func(*world) limit { return must(retry.NewLimit(c)) }
	}
}

// must is for values that are written in this package, and wrong only by mistake.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// client is one instance: a process with its guards, calling one backend.
type client struct {
	kit
	budget    budget
	attendant attendant // the budget, if it is one
	breaker   breaker
	throttle  throttle
	limit     limit
	node      runner // that runs calls as tasks; nil for calls in the process
	to        backend
	lengths   histogram // of attempts that worked, of calls with a deadline
}

func newClient(w *world, k kit, to backend) *client {
	c := &client{kit: k, to: to}
	if k.budget != nil {
		c.budget = k.budget(w)
		c.attendant, _ = c.budget.(attendant)
	}
	if k.breaker != nil {
		c.breaker = k.breaker(w)
	}
	if k.throttle != nil {
		c.throttle = k.throttle(w)
	}
	if k.limit != nil {
		c.limit = k.limit(w)
	}
	return c
}

func fleet(w *world, n int, k kit, to backend) []*client {
	clients := make([]*client, n)
	var node func() runner
	if k.tasks != nil {
		node = k.tasks(w)
	}
	for i := range clients {
		if clients[i] = newClient(w, k, to); node != nil {
			clients[i].node = node()
		}
	}
	return clients
}

// priceOf is what a retry takes of a budget. Ours knows when a free one is not
// free.
func priceOf(b budget, now time.Time, cost float64) float64 {
	if ours, ok := b.(*retry.Budget); ok {
		return ours.Price(now, cost)
	}
	return cost
}
