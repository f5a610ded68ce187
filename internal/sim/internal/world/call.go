package world

import (
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/retry"
)

// Backend takes attempts and answers each one, at once or later, by
// [Attempt.Answer], or never.
type Backend interface {
	Take(w *World, a *Attempt)
}

// Takes makes a function a backend.
type Takes func(w *World, a *Attempt)

func (f Takes) Take(w *World, a *Attempt) { f(w, a) }

// runner runs calls as tasks.
type runner interface {
	add(w *World, c *Call)
	settle(w *World, a *Attempt, v *retry.Verdict) // ends an attempt that it has made
}

// owner is told when a call has ended.
type owner interface {
	Ended(w *World, c *Call)
}

// Call is one operation: the steps of [retry.Do] as a state machine over events.
// TestCallIsDo holds it against the original.
type Call struct {
	Client   *Client
	Owner    owner
	Outer    *Attempt // of the layer above, which waits for this call
	Started  time.Duration
	deadline time.Duration // 0 for none
	wait     time.Duration // before the attempt to come
	current  *Attempt
	Last     *retry.Verdict // of the last failed attempt, nil when there was none
	Failed   time.Duration  // when it did
	took     time.Duration  // the last attempt
	number   int            // attempts made, the one under way included
	paid     float64        // tokens withdrawn for the attempt to come
	Key      int            // what the caller means by the call, for servers that care
	End      Reason
	Class    uint8 // priority, 0 is the highest
	over     bool
	OK       bool
}

// What happens to a call.
const (
	CallBegins What = iota
	CallRetries
	CallGivesUp
	CallIsCanceled
)

// Happen goes on with the call.
func (c *Call) Happen(w *World, what What) {
	switch {
	case c.over:
	case what == CallBegins:
		c.Begin(w)
	case what == CallRetries:
		c.try(w)
	case what == CallGivesUp:
		c.finish(w)
	case what == CallIsCanceled:
		c.cancel(w)
	}
}

// Begin makes the first attempt, unless the throttle refuses it.
func (c *Call) Begin(w *World) {
	c.Started = w.Now
	if n := c.Client.node; n != nil {
		n.add(w, c)
		return
	}
	if at := c.Client.attendant; at != nil {
		at.Begins()
	}
	if t := c.Client.throttle; t != nil && t.Allow(w.clock, w.Jitter) != nil {
		c.refused(w, DenyThrottle)
		return
	}
	c.try(w)
}

// try makes an attempt, unless a guard refuses it.
func (c *Call) try(w *World) {
	p, why := c.admit(w)
	if why != DenyNothing {
		c.refund(w)
		c.refused(w, why)
		return
	}
	c.number++
	c.paid = 0
	a := w.attempts.Next()
	a.Call, a.Number, a.started, a.pass = c, c.number, w.Now, p
	c.current = a
	if limit := c.allowed(w); limit > 0 {
		w.After(limit, a, attemptTimesOut)
	}
	c.Client.to.Take(w, a)
}

// admit asks the guards that stand before an attempt.
func (c *Call) admit(w *World) (p Pass, why Reason) {
	b, l, at := c.Client.Breaker, c.Client.limit, c.Client.attendant
	if b != nil {
		var ok bool
		if p, ok = b.Enter(w.clock); !ok {
			return p, DenyBreaker
		}
	}
	if l != nil && !l.Acquire(w.clock) {
		if b != nil {
			b.Cancel(w.clock, p)
		}
		return p, DenyLimit
	}
	if at != nil && c.number > 0 && !at.RetryBegins() {
		return p, DenyBudget
	}
	return p, DenyNothing
}

// refund gives back the tokens of an attempt that is not made.
func (c *Call) refund(w *World) {
	if c.paid > 0 {
		c.Client.Budget.Return(w.clock, c.paid)
		c.paid = 0
	}
}

// allowed is the time for an attempt: the policy's, or what is left of the call's.
func (c *Call) allowed(w *World) time.Duration {
	limit := c.Client.Policy.Timeout()
	if limit == 0 {
		limit = c.Client.Patience
	}
	if c.deadline > 0 {
		if left := c.deadline - w.Now; limit == 0 || left < limit {
			limit = left
		}
	}
	return limit
}

// settle ends an attempt. Of a success the verdict is nil.
func (c *Call) settle(w *World, a *Attempt, v *retry.Verdict) {
	c.current = nil
	c.tell(w, a, v)
	if v == nil {
		c.OK = true
		c.finish(w)
		return
	}
	if c.Last == nil || v.Category != retry.Deadline || c.Client.Forgets {
		c.Last = v // the end of the time is not what went wrong
	}
	if v.Category != retry.Deadline {
		c.Failed = w.Now
	}
	next := c.repeat(w, v)
	if !next.Retry {
		c.End = reasonOf(next.Err)
		c.finish(w)
		return
	}
	c.wait = next.Delay
	if b := c.Client.Budget; b != nil {
		cost := priceOf(b, w.clock, next.Cost)
		if ok, _ := b.Withdraw(w.clock, cost); !ok {
			c.refused(w, DenyBudget)
			return
		}
		c.paid = cost
	}
	w.After(c.wait, c, CallRetries)
}

// repeat asks the policy.
func (c *Call) repeat(w *World, v *retry.Verdict) retry.Repetition {
	f := retry.Failure{
		Attempt: c.number, Verdict: *v, PreviousDelay: c.wait, Now: w.clock,
		Nested: c.Client.Inherits && c.Outer != nil && c.Outer.later(),
	}
	if c.deadline > 0 {
		f.Deadline, f.Usual = epoch.Add(c.deadline), c.took
		if c.Client.lengths.total >= 10 { // as many as Do wants to know
			f.Usual = c.Client.lengths.Quantile(0.5)
		}
	}
	if c.Client.Repeat != nil {
		return c.Client.Repeat(f, w.Jitter)
	}
	return c.Client.Policy.Repeat(f, w.Jitter)
}

// tell lets the guards know how the attempt ended.
func (c *Call) tell(w *World, a *Attempt, v *retry.Verdict) {
	if at := c.Client.attendant; at != nil && a.Number > 1 {
		at.RetryEnds()
	}
	took, category, served := w.Now-a.started, retry.Category(""), true
	c.took = took
	if v != nil {
		category = v.Category
		served = category == retry.Permanent || category == retry.Conflict
	}
	if category == retry.Timeout {
		c.took = 0 // how long it was waited for, not how long one takes
	}
	canceled := category == retry.Canceled
	if b := c.Client.Breaker; b != nil && canceled {
		b.Cancel(w.clock, a.pass)
	} else if b != nil {
		b.Leave(w.clock, a.pass, took, v)
	}
	if l := c.Client.limit; l != nil {
		l.Release(w.clock, took, category)
	}
	if t := c.Client.throttle; t != nil && a.Number <= 1 {
		switch {
		case canceled: // says nothing
		case served:
			t.Accepted(w.clock)
		default:
			t.Refused(w.clock)
		}
	}
	if b := c.Client.Budget; b != nil && !canceled {
		b.Record(w.clock, a.Number == 1, served)
	}
	if v == nil && c.deadline > 0 {
		c.Client.lengths.Add(took)
	}
}

// refused ends the call because of a guard: at once, or when the retry would have
// come. A retry that was refused has waited already.
func (c *Call) refused(w *World, why Reason) {
	c.End = why
	if c.number == 0 {
		c.wait = c.Client.Policy.Jitter().Draw(c.Client.Policy.Window(retry.Attempt{Number: 1}), w.Jitter)
	}
	if c.Client.Paced && (c.number == 0 || why == DenyBudget) {
		until := w.Now + c.wait
		if c.deadline > 0 {
			until = min(until, c.deadline)
		}
		w.At(until, c, CallGivesUp)
		return
	}
	c.finish(w)
}

// cancel is the caller's.
func (c *Call) cancel(w *World) {
	c.End = DenyCanceled
	c.refund(w)
	if a := c.current; a != nil {
		a.gone = true
		c.current = nil
		c.tell(w, a, &Canceled)
	}
	c.finish(w)
}

func (c *Call) finish(w *World) {
	c.over = true
	if at := c.Client.attendant; at != nil {
		at.Ends()
	}
	if c.Owner != nil {
		c.Owner.Ended(w, c)
	}
}

// Attempt is one try of a call.
type Attempt struct {
	Call    *Call
	job     *Job          // whose call it is, nil for a call in a process
	entry   *agenda.Entry // of a task, nil for all others
	Number  int           // from 1
	started time.Duration
	pass    Pass
	verdict *retry.Verdict // of an answer under way
	gone    bool           // the caller waits no longer
	settled bool
	counted bool // among those in flight, until it is answered
}

// What happens to an attempt.
const (
	attemptTimesOut What = iota
	attemptAnswered
)

// Happen ends the attempt by an answer, or by its time.
func (a *Attempt) Happen(w *World, what What) {
	if what == attemptAnswered && a.counted {
		a.counted = false
		w.Meter.Left()
	}
	if a.gone || a.settled {
		return
	}
	switch what {
	case attemptTimesOut:
		a.gone = true
		a.settle(w, a.Call.late(w))
	case attemptAnswered:
		a.settled = true
		a.settle(w, a.verdict)
	}
}

func (a *Attempt) settle(w *World, v *retry.Verdict) {
	switch {
	case a.job != nil:
		a.job.settle(w, a, v)
		return
	case a.entry != nil:
		a.Call.Client.node.settle(w, a, v)
		return
	}
	a.Call.settle(w, a, v)
}

// Arrives counts the attempt at the server that a report is about.
func (a *Attempt) Arrives(w *World) {
	a.counted = true
	w.Meter.Arrived(w.Now, a.Number > 1)
}

// lost takes the attempt out of those in flight: no answer will come.
func (a *Attempt) lost(w *World) {
	if a.counted {
		a.counted = false
		w.Meter.Left()
	}
}

// Answer gives the caller the answer after a delay, if it still waits then. Of a
// success the verdict is nil.
func (a *Attempt) Answer(w *World, v *retry.Verdict, delay time.Duration) {
	a.verdict = v
	w.After(delay, a, attemptAnswered)
}

// later reports whether the attempt is a retry of its own call or serves one.
func (a *Attempt) later() bool {
	return a.Number > 1 || a.Call.Outer != nil && a.Call.Outer.later()
}

// late is the verdict of an attempt that ran out of time.
func (c *Call) late(w *World) *retry.Verdict {
	if c.deadline > 0 && w.Now >= c.deadline {
		return &Expired
	}
	return &TimedOut
}
