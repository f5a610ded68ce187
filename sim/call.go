package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// backend takes attempts and answers each one, at once or later, by
// [attempt.answer], or never.
type backend interface {
	take(w *world, a *attempt)
}

// owner is told when a call has ended.
type owner interface {
	ended(w *world, c *call)
}

// call is one operation: what [retry.Do] does, as a state machine over events.
// TestCallIsDo holds it against the original.
type call struct {
	client   *client
	owner    owner
	outer    *attempt // of the layer above, which waits for this call
	started  time.Duration
	deadline time.Duration // 0 for none
	wait     time.Duration // before the present attempt
	current  *attempt
	last     *retry.Verdict // of the last failed attempt, nil when there was none
	number   int            // attempts begun
	paid     float64        // tokens held for a retry that has not begun
	key      int            // which effect it wants to have, for servers that count them
	end      reason
	class    uint8 // priority, 0 is the highest
	keyed    bool  // the server recognizes repeats
	unsafe   bool  // not idempotent
	over     bool
	ok       bool
}

// What happens to a call.
const (
	callBegins what = iota
	callRetries
	callGivesUp
	callIsCanceled
)

func (c *call) happen(w *world, what what) {
	switch {
	case c.over:
	case what == callBegins:
		c.begin(w)
	case what == callRetries:
		c.paid = 0
		c.try(w)
	case what == callGivesUp:
		c.finish(w)
	case what == callIsCanceled:
		c.cancel(w)
	}
}

// begin makes the first attempt, unless the throttle refuses it.
func (c *call) begin(w *world) {
	c.started = w.now
	if at, ok := c.client.budget.(attendant); ok {
		at.begins()
	}
	if t := c.client.throttle; t != nil && t.Allow(w.clock, w.jitter) != nil {
		c.refused(w, denyThrottle)
		return
	}
	c.try(w)
}

// try makes an attempt, unless the breaker or the limit refuses it.
func (c *call) try(w *world) {
	var p pass
	if b := c.client.breaker; b != nil {
		var ok bool
		if p, ok = b.enter(w.clock); !ok {
			c.refused(w, denyBreaker)
			return
		}
	}
	if l := c.client.limit; l != nil && !l.Acquire(w.clock) {
		if c.client.breaker != nil {
			c.client.breaker.cancel(w.clock, p)
		}
		c.refused(w, denyLimit)
		return
	}
	c.number++
	a := w.attempts.next()
	a.call, a.number, a.started, a.pass = c, c.number, w.now, p
	c.current = a
	if limit := c.allowed(w); limit > 0 {
		w.after(limit, a, attemptTimesOut)
	}
	c.client.to.take(w, a)
}

// allowed is the time for an attempt: the policy's, or what is left of the call's.
func (c *call) allowed(w *world) time.Duration {
	limit := c.client.policy.Timeout()
	if c.deadline > 0 {
		if left := c.deadline - w.now; limit == 0 || left < limit {
			limit = left
		}
	}
	return limit
}

// settle ends an attempt. Of a success the verdict is nil.
func (c *call) settle(w *world, a *attempt, v *retry.Verdict) {
	c.current = nil
	c.tell(w, a, v)
	if v == nil {
		c.ok = true
		c.finish(w)
		return
	}
	c.last = v
	if c.end = c.repeatable(a, v); c.end != denyNothing {
		c.finish(w)
		return
	}
	decision := c.decide(w, v)
	if !decision.Retry {
		c.end = reasonOf(decision.Reason)
		c.finish(w)
		return
	}
	if b := c.client.budget; b != nil {
		cost := c.cost(v)
		if ok, _ := b.Withdraw(w.clock, cost); !ok {
			c.wait = decision.Delay
			c.refused(w, denyBudget)
			return
		}
		c.paid = cost
	}
	c.wait = decision.Delay
	w.after(decision.Delay, c, callRetries)
}

// tell lets the guards know how the attempt ended.
func (c *call) tell(w *world, a *attempt, v *retry.Verdict) {
	took := w.now - a.started
	category := retry.Category("")
	if v != nil {
		category = v.Category
	}
	if b := c.client.breaker; b != nil {
		b.leave(w.clock, a.pass, took, v)
	}
	if l := c.client.limit; l != nil {
		l.Release(w.clock, took, category)
	}
	if b := c.client.budget; b != nil && category != retry.Canceled {
		b.Record(w.clock, a.number == 1, v == nil)
	}
	if t := c.client.throttle; t != nil && accepted(category) {
		t.Accepted(w.clock)
	}
}

// accepted reports whether the target took the request, whatever came of it.
func accepted(c retry.Category) bool {
	switch c {
	case retry.Throttled, retry.Unsent, retry.Timeout, retry.Unavailable, retry.Network, retry.Canceled, retry.Local:
		return false
	}
	return true
}

// repeatable says why the attempt must not be repeated whatever the policy says.
func (c *call) repeatable(a *attempt, v *retry.Verdict) reason {
	notSent := v.Effect == retry.NotSent
	switch {
	case c.client.inherits && c.outer != nil && c.outer.later() && !notSent:
		return denyOuter
	case c.client.blind || !c.unsafe || notSent || !v.Category.Advice().Retry:
		return denyNothing
	}
	return denyUnsafe
}

func (c *call) decide(w *world, v *retry.Verdict) retry.Decision {
	f := retry.Failure{Attempt: c.number, Verdict: *v, PreviousDelay: c.wait, Now: w.clock}
	if c.deadline > 0 {
		f.Deadline = epoch.Add(c.deadline)
	}
	if c.client.decide != nil {
		return c.client.decide(f, w.jitter)
	}
	return c.client.policy.Decide(f, w.jitter)
}

// cost is how many tokens a retry takes.
func (c *call) cost(v *retry.Verdict) float64 {
	if v.Category == retry.Unsent && c.number == 1 {
		return 0
	}
	return v.Category.Advice().Cost
}

// refused ends the call because of a guard: at once, or when the retry would have
// come.
func (c *call) refused(w *world, why reason) {
	c.end = why
	if !c.client.paced {
		c.finish(w)
		return
	}
	if c.number == 0 {
		c.wait = c.pace(w)
	}
	w.after(c.wait, c, callGivesUp)
}

// pace is how long a paced call waits when its first attempt was refused.
func (c *call) pace(w *world) time.Duration {
	return c.client.policy.Jitter().Draw(c.client.policy.Window(retry.Attempt{Number: 1}), w.jitter)
}

// cancel is the caller's.
func (c *call) cancel(w *world) {
	c.end = denyCanceled
	if a := c.current; a != nil {
		a.gone = true
		c.current = nil
		c.last = &canceled
		c.tell(w, a, &canceled)
	} else if c.paid > 0 {
		c.client.budget.Return(w.clock, c.paid)
	}
	c.finish(w)
}

func (c *call) finish(w *world) {
	c.over = true
	if at, ok := c.client.budget.(attendant); ok {
		at.ends()
	}
	if c.owner != nil {
		c.owner.ended(w, c)
	}
}

// attempt is one try of a call.
type attempt struct {
	call    *call
	number  int // from 1
	started time.Duration
	pass    pass
	verdict *retry.Verdict // of an answer under way
	gone    bool           // the caller waits no longer
	settled bool
}

// What happens to an attempt.
const (
	attemptTimesOut what = iota
	attemptAnswered
)

func (a *attempt) happen(w *world, what what) {
	if a.gone || a.settled {
		return
	}
	switch what {
	case attemptTimesOut:
		a.gone = true
		a.call.settle(w, a, a.call.late(w))
	case attemptAnswered:
		a.settled = true
		a.call.settle(w, a, a.verdict)
	}
}

// answer gives the caller the answer after a delay, if it still waits then. Of a
// success the verdict is nil.
func (a *attempt) answer(w *world, v *retry.Verdict, delay time.Duration) {
	a.verdict = v
	w.after(delay, a, attemptAnswered)
}

// later reports whether the attempt is a retry of its own call or serves one.
func (a *attempt) later() bool {
	return a.number > 1 || a.call.outer != nil && a.call.outer.later()
}

// late is the verdict of an attempt that ran out of time.
func (c *call) late(w *world) *retry.Verdict {
	if c.deadline > 0 && w.now >= c.deadline {
		return &expired
	}
	return &timedOut
}
