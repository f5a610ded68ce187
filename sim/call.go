package sim

import (
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/retry"
)

// backend takes attempts and answers each one, at once or later, by
// [attempt.answer], or never.
type backend interface {
	take(w *world, a *attempt)
}

// runner runs calls as tasks.
type runner interface {
	add(w *world, c *call)
	settle(w *world, a *attempt, v *retry.Verdict) // ends an attempt that it has made
}

// owner is told when a call has ended.
type owner interface {
	ended(w *world, c *call)
}

// call is one operation: the steps of [retry.Do] as a state machine over events.
// TestCallIsDo holds it against the original.
type call struct {
	client   *client
	owner    owner
	outer    *attempt // of the layer above, which waits for this call
	started  time.Duration
	deadline time.Duration // 0 for none
	wait     time.Duration // before the attempt to come
	current  *attempt
	last     *retry.Verdict // of the last failed attempt, nil when there was none
	failed   time.Duration  // when it did
	took     time.Duration  // the last attempt
	number   int            // attempts made, the one under way included
	paid     float64        // tokens withdrawn for the attempt to come
	key      int            // what the caller means by the call, for servers that care
	end      reason
	class    uint8 // priority, 0 is the highest
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
	if n := c.client.node; n != nil {
		n.add(w, c)
		return
	}
	if at := c.client.attendant; at != nil {
		at.begins()
	}
	if t := c.client.throttle; t != nil && t.Allow(w.clock, w.jitter) != nil {
		c.refused(w, denyThrottle)
		return
	}
	c.try(w)
}

// try makes an attempt, unless a guard refuses it.
func (c *call) try(w *world) {
	p, why := c.admit(w)
	if why != denyNothing {
		c.refund(w)
		c.refused(w, why)
		return
	}
	c.number++
	c.paid = 0
	a := w.attempts.next()
	a.call, a.number, a.started, a.pass = c, c.number, w.now, p
	c.current = a
	if limit := c.allowed(w); limit > 0 {
		w.after(limit, a, attemptTimesOut)
	}
	c.client.to.take(w, a)
}

// admit asks the guards that stand before an attempt.
func (c *call) admit(w *world) (p pass, why reason) {
	b, l, at := c.client.breaker, c.client.limit, c.client.attendant
	if b != nil {
		var ok bool
		if p, ok = b.enter(w.clock); !ok {
			return p, denyBreaker
		}
	}
	if l != nil && !l.Acquire(w.clock) {
		if b != nil {
			b.cancel(w.clock, p)
		}
		return p, denyLimit
	}
	if at != nil && c.number > 0 && !at.retryBegins() {
		return p, denyBudget
	}
	return p, denyNothing
}

// refund gives back the tokens of an attempt that is not made.
func (c *call) refund(w *world) {
	if c.paid > 0 {
		c.client.budget.Return(w.clock, c.paid)
		c.paid = 0
	}
}

// allowed is the time for an attempt: the policy's, or what is left of the call's.
func (c *call) allowed(w *world) time.Duration {
	limit := c.client.policy.Timeout()
	if limit == 0 {
		limit = c.client.patience
	}
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
	if c.last == nil || v.Category != retry.Deadline || c.client.forgets {
		c.last = v // the end of the time is not what went wrong
	}
	if v.Category != retry.Deadline {
		c.failed = w.now
	}
	next := c.repeat(w, v)
	if !next.Retry {
		c.end = reasonOf(next.Err)
		c.finish(w)
		return
	}
	c.wait = next.Delay
	if b := c.client.budget; b != nil {
		cost := priceOf(b, w.clock, next.Cost)
		if ok, _ := b.Withdraw(w.clock, cost); !ok {
			c.refused(w, denyBudget)
			return
		}
		c.paid = cost
	}
	w.after(c.wait, c, callRetries)
}

// repeat asks the policy.
func (c *call) repeat(w *world, v *retry.Verdict) retry.Repetition {
	f := retry.Failure{
		Attempt: c.number, Verdict: *v, PreviousDelay: c.wait, Now: w.clock,
		Nested: c.client.inherits && c.outer != nil && c.outer.later(),
	}
	if c.deadline > 0 {
		f.Deadline, f.Usual = epoch.Add(c.deadline), c.took
		if c.client.lengths.total >= 10 { // as many as Do wants to know
			f.Usual = c.client.lengths.quantile(0.5)
		}
	}
	if c.client.repeat != nil {
		return c.client.repeat(f, w.jitter)
	}
	return c.client.policy.Repeat(f, w.jitter)
}

// tell lets the guards know how the attempt ended.
func (c *call) tell(w *world, a *attempt, v *retry.Verdict) {
	if at := c.client.attendant; at != nil && a.number > 1 {
		at.retryEnds()
	}
	took, category, served := w.now-a.started, retry.Category(""), true
	c.took = took
	if v != nil {
		category = v.Category
		served = category == retry.Permanent || category == retry.Conflict
	}
	if category == retry.Timeout {
		c.took = 0 // how long it was waited for, not how long one takes
	}
	canceled := category == retry.Canceled
	if b := c.client.breaker; b != nil && canceled {
		b.cancel(w.clock, a.pass)
	} else if b != nil {
		b.leave(w.clock, a.pass, took, v)
	}
	if l := c.client.limit; l != nil {
		l.Release(w.clock, took, category)
	}
	if t := c.client.throttle; t != nil && a.number <= 1 {
		switch {
		case canceled: // says nothing
		case served:
			t.Accepted(w.clock)
		default:
			t.Refused(w.clock)
		}
	}
	if b := c.client.budget; b != nil && !canceled {
		b.Record(w.clock, a.number == 1, served)
	}
	if v == nil && c.deadline > 0 {
		c.client.lengths.add(took)
	}
}

// refused ends the call because of a guard: at once, or when the retry would have
// come. A retry that was refused has waited already.
func (c *call) refused(w *world, why reason) {
	c.end = why
	if c.number == 0 {
		c.wait = c.client.policy.Jitter().Draw(c.client.policy.Window(retry.Attempt{Number: 1}), w.jitter)
	}
	if c.client.paced && (c.number == 0 || why == denyBudget) {
		until := w.now + c.wait
		if c.deadline > 0 {
			until = min(until, c.deadline)
		}
		w.at(until, c, callGivesUp)
		return
	}
	c.finish(w)
}

// cancel is the caller's.
func (c *call) cancel(w *world) {
	c.end = denyCanceled
	c.refund(w)
	if a := c.current; a != nil {
		a.gone = true
		c.current = nil
		c.tell(w, a, &canceled)
	}
	c.finish(w)
}

func (c *call) finish(w *world) {
	c.over = true
	if at := c.client.attendant; at != nil {
		at.ends()
	}
	if c.owner != nil {
		c.owner.ended(w, c)
	}
}

// attempt is one try of a call.
type attempt struct {
	call    *call
	job     *job          // whose call it is, nil for a call in a process
	entry   *agenda.Entry // of a task, nil for all others
	number  int           // from 1
	started time.Duration
	pass    pass
	verdict *retry.Verdict // of an answer under way
	gone    bool           // the caller waits no longer
	settled bool
	counted bool // among those in flight, until it is answered
}

// What happens to an attempt.
const (
	attemptTimesOut what = iota
	attemptAnswered
)

func (a *attempt) happen(w *world, what what) {
	if what == attemptAnswered && a.counted {
		a.counted = false
		w.meter.left()
	}
	if a.gone || a.settled {
		return
	}
	switch what {
	case attemptTimesOut:
		a.gone = true
		a.settle(w, a.call.late(w))
	case attemptAnswered:
		a.settled = true
		a.settle(w, a.verdict)
	}
}

func (a *attempt) settle(w *world, v *retry.Verdict) {
	switch {
	case a.job != nil:
		a.job.settle(w, a, v)
		return
	case a.entry != nil:
		a.call.client.node.settle(w, a, v)
		return
	}
	a.call.settle(w, a, v)
}

// arrives counts the attempt at the server that a report is about.
func (a *attempt) arrives(w *world) {
	a.counted = true
	w.meter.arrived(w.now, a.number > 1)
}

// lost takes the attempt out of those in flight: no answer will come.
func (a *attempt) lost(w *world) {
	if a.counted {
		a.counted = false
		w.meter.left()
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
