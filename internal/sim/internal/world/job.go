package world

import (
	"cmp"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// Job is a durable task as the engine runs it: where a call in this process gives
// up because of a guard, a task waits and spends no attempt.
type Job struct {
	Call
	Most    int           // attempts, whatever the policy says; 0 for none
	Timeout time.Duration // of an attempt; 0 for that of the policy
	Until   time.Duration // since the beginning, where limited is set
	Limited bool
	granted bool // the budget has paid for the next attempt
}

// leastWait keeps a task that waits for a guard from asking again at once.
const leastWait = time.Millisecond

// Happen is the time of the next attempt, if the guards let it: the breaker first,
// and then the budget, which a probe need not ask.
func (j *Job) Happen(w *World, _ What) {
	b, guarded := j.Client.Breaker.(RealBreaker)
	probe := false
	if guarded {
		ready, at := b.Ready(w.clock)
		if !ready {
			w.After(max(at.Sub(w.clock), leastWait), j, CallRetries)
			return
		}
		state := b.View(w.clock).State
		probe = state == retry.Open || state == retry.HalfOpen
	}
	if wait := j.pay(w); wait > 0 && !probe {
		w.After(wait, j, CallRetries)
		return
	}
	var p Pass
	if guarded {
		if p, guarded = b.Enter(w.clock); !guarded {
			w.After(leastWait, j, CallRetries)
			return
		}
	}
	j.number++
	j.granted = false
	a := w.attempts.Next()
	a.Call, a.job, a.Number, a.started, a.pass = &j.Call, j, j.number, w.Now, p
	if limit := cmp.Or(j.Timeout, j.Client.Policy.Timeout()); limit > 0 {
		w.After(limit, a, attemptTimesOut)
	}
	j.Client.to.Take(w, a)
}

// pay asks the budget for a retry, which is never free as in a call: a task can
// wait. It returns how long to wait, 0 when it is paid.
func (j *Job) pay(w *World) time.Duration {
	b := j.Client.Budget
	if b == nil || j.number == 0 || j.granted {
		return 0
	}
	granted, wait := b.Withdraw(w.clock, j.Last.Category.Advice().Cost)
	if j.granted = granted; granted {
		return 0
	}
	return max(wait, leastWait)
}

// settle plans the next attempt, or ends the task.
func (j *Job) settle(w *World, a *Attempt, v *retry.Verdict) {
	j.tell(w, a, v)
	j.Failed = w.Now
	if v == nil {
		j.OK = true
		j.finish(w)
		return
	}
	j.Last = v
	f := retry.Failure{Attempt: j.number, Verdict: *v, PreviousDelay: j.wait, Now: w.clock}
	if !j.Client.Policy.IsOnce() {
		f.MaxAttempts = j.Most
	}
	if j.Limited {
		f.Deadline = epoch.Add(j.Until)
	}
	if ttl := j.Client.Policy.TTL(); ttl > 0 {
		if at := epoch.Add(j.Started + ttl); f.Deadline.IsZero() || at.Before(f.Deadline) {
			f.Deadline = at
		}
	}
	d := j.Client.Policy.Decide(f, w.Jitter)
	if !d.Retry {
		j.End = reasonOf(stopError(d.Reason))
		j.finish(w)
		return
	}
	j.wait = d.Delay
	w.After(j.wait, j, CallRetries)
}
