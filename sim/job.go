package sim

import (
	"cmp"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// job is a durable task as the engine runs it: where a call in this process gives
// up because of a guard, a task waits and spends no attempt.
type job struct {
	call
	task    *recordedTask
	granted bool // the budget has paid for the next attempt
}

// leastWait keeps a task that waits for a guard from asking again at once.
const leastWait = time.Millisecond

// happen is the time of the next attempt, if the guards let it: the breaker first,
// and then the budget, which a probe need not ask.
func (j *job) happen(w *world, _ what) {
	b, guarded := j.client.breaker.(realBreaker)
	probe := false
	if guarded {
		ready, at := b.Ready(w.clock)
		if !ready {
			w.after(max(at.Sub(w.clock), leastWait), j, callRetries)
			return
		}
		state := b.View(w.clock).State
		probe = state == retry.Open || state == retry.HalfOpen
	}
	if wait := j.pay(w); wait > 0 && !probe {
		w.after(wait, j, callRetries)
		return
	}
	var p pass
	if guarded {
		if p, guarded = b.enter(w.clock); !guarded {
			w.after(leastWait, j, callRetries)
			return
		}
	}
	j.number++
	j.granted = false
	a := w.attempts.next()
	a.call, a.job, a.number, a.started, a.pass = &j.call, j, j.number, w.now, p
	if limit := cmp.Or(j.task.timeout, j.client.policy.Timeout()); limit > 0 {
		w.after(limit, a, attemptTimesOut)
	}
	j.client.to.take(w, a)
}

// pay asks the budget for a retry, which is never free as in a call: a task can
// wait. It returns how long to wait, 0 when it is paid.
func (j *job) pay(w *world) time.Duration {
	b := j.client.budget
	if b == nil || j.number == 0 || j.granted {
		return 0
	}
	granted, wait := b.Withdraw(w.clock, j.last.Category.Advice().Cost)
	if j.granted = granted; granted {
		return 0
	}
	return max(wait, leastWait)
}

// settle plans the next attempt, or ends the task.
func (j *job) settle(w *world, a *attempt, v *retry.Verdict) {
	j.tell(w, a, v)
	j.failed = w.now
	if v == nil {
		j.ok = true
		j.finish(w)
		return
	}
	j.last = v
	f := retry.Failure{Attempt: j.number, Verdict: *v, PreviousDelay: j.wait, Now: w.clock}
	if !j.client.policy.IsOnce() {
		f.MaxAttempts = j.task.most
	}
	if j.task.limited {
		f.Deadline = epoch.Add(j.task.deadline)
	}
	if ttl := j.client.policy.TTL(); ttl > 0 {
		if at := epoch.Add(j.started + ttl); f.Deadline.IsZero() || at.Before(f.Deadline) {
			f.Deadline = at
		}
	}
	d := j.client.policy.Decide(f, w.jitter)
	if !d.Retry {
		j.end = reasonOf(stopError(d.Reason))
		j.finish(w)
		return
	}
	j.wait = d.Delay
	w.after(j.wait, j, callRetries)
}
