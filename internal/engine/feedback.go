package engine

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// feedback tells the guards of targets how attempts have ended since the last time.
// It is called wherever guards are about to be asked, or shown. The engine's lock
// must be held.
func (c *core) feedback() {
	for a := range c.answered.taken {
		c.agenda.Conclude(a.entry, feedbackOf(&a.run, &a.end))
	}
}

// shownAtOnce is how many targets are looked at before others get the lock.
const shownAtOnce = 64

// Targets returns what this node knows of the targets of its tasks, by name.
func (c *core) Targets() (out []store.Target) {
	c.lock()
	names := c.agenda.TargetNames()
	c.unlock()
	for some := range slices.Chunk(names, shownAtOnce) {
		c.lock()
		c.feedback()
		now := time.Now()
		for _, name := range some {
			if t, known := c.agenda.Target(name, now); known {
				out = append(out, t)
			}
		}
		c.unlock()
	}
	return out
}

// Target is what this node knows of one target.
func (c *core) Target(name string) (target store.Target, known bool) {
	c.lock()
	defer c.unlock()
	c.feedback()
	return c.agenda.Target(name, time.Now())
}

// Explain says why a task is not started now; false for one that this node does not have
// in memory.
func (c *core) Explain(id task.ID) (reason task.WaitReason, known bool) {
	c.lock()
	defer c.unlock()
	c.feedback()
	return c.agenda.Explain(id, time.Now())
}

// Troubled returns the targets of this node with something to tell: whose
// breaker is not closed, was not a moment ago, or that hold tasks back. The last
// changed come first, at most [store.MostTargets]. Never nil.
func (c *core) Troubled() []store.Target {
	c.lock()
	defer c.unlock()
	c.feedback()
	return c.agenda.Troubled(time.Now())
}

// Taken lets further tasks of a target start, ever faster, before the one that tries
// has ended: it is known that somebody has taken it.
func (c *core) Taken(name string) {
	c.lock()
	c.feedback()
	c.agenda.Taken(name, time.Now())
	c.unlock()
	signal(c.wake)
}

// Unhold lets tasks of a target be tried at once: somebody may take them.
func (c *core) Unhold(name string) {
	c.lock()
	c.feedback()
	c.agenda.Unhold(name, time.Now())
	c.unlock()
	signal(c.wake)
}

// feedbackOf reads the decision about an attempt. What the process, the operator
// or the handler's own wish has ended says nothing of the target, and neither
// does a lack of resources here. A task that its handler declares dead has been
// answered.
func feedbackOf(run *Run, out *decided) guard.Feedback {
	s := &out.settlement
	a := guard.Feedback{
		At: s.EndedAt, Took: s.EndedAt.Sub(s.StartedAt), First: run.Task.Attempt <= 1, RetryAfter: out.verdict.Hint.After,
		HandedOn: out.handOverTo != "", Policy: run.Policy, OwnPolicy: run.Task.Spec.Retry != nil, OwnTimeout: ownLimit(run),
	}
	if h := out.hold; h != nil {
		a.Hold = &guard.Hold{After: h.After, Why: h.Held, Since: h.Since}
	}
	switch s.Outcome {
	case task.OutcomeSucceeded:
	case task.OutcomeFailed, task.OutcomeDead:
		a.Category = known(out.verdict.Category)
		if s.DeadReason == task.Rejected && out.verdict.Category == "" {
			a.Category = retry.Permanent
		}
	case task.OutcomeSnoozed:
		a.Category = known(out.verdict.Category)
		a.Silent = s.Failure == nil // the handler's wish; else a rule has snoozed a failure
	default:
		a.Silent = true
	}
	if out.verdict.Answered {
		a.Category = "" // only the task has failed
	}
	if a.Silent = a.Silent || a.Hold != nil; s.Unstarted || a.Category == retry.Canceled || a.Category == retry.Deadline || a.Category == retry.Local {
		a.Silent = true
	}
	return a
}

// ownLimit is the timeout that a task has of its own, not from a named policy or a
// handler; 0 for none.
func ownLimit(run *Run) time.Duration {
	if limit := run.Task.Spec.Timeout; limit > 0 || run.Task.Spec.Retry == nil {
		return limit
	}
	return run.Policy.Timeout()
}
