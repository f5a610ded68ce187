package engine

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

const (
	// quickCall is the length under which requests do not differ for the concurrency
	// limit: what they take is rather this node's own doing.
	quickCall = 50 * time.Millisecond
	// strainShare is which share of the last answers must be refusals or timeouts
	// for the concurrency limit to hear of them.
	strainShare = 1.0 / 6
	// longestPause bounds what a target can ask for; refusalShare is which share of
	// its last answers must be refusals for the target to be paused as a whole, and
	// not just the tasks that it refused; pauseRamp follows a pause.
	longestPause = time.Minute
	refusalShare = 0.5
	pauseRamp    = 10 * time.Second
)

// answer is what an attempt that has ended says of its target.
type answer struct {
	at       time.Time
	took     time.Duration
	first    bool           // it was no retry
	silent   bool           // it says nothing
	category retry.Category // of the failure, "" for a success
	hint     time.Duration  // what a refusal asked to wait
	moved    bool           // another node is to call the target
	hold     *Steer         // nobody took the task; nothing of the target is to start for a while
	policy   *retry.Policy
	inline   bool // the policy is the task's own: it says nothing about the target of all
}

// answerOf reads the decision about an attempt. What the process, the operator
// or the handler's own wish has ended says nothing of the target, and neither
// does a lack of resources here. A task that its handler declares dead has been
// answered.
func answerOf(run *Run, out *decided) answer {
	s := &out.settlement
	a := answer{at: s.EndedAt, took: s.EndedAt.Sub(s.StartedAt), first: run.Task.Attempt <= 1, policy: run.Policy, hint: out.verdict.Hint.After, hold: out.hold, moved: out.elsewhere != "", inline: run.Task.Spec.Retry != nil}
	switch s.Outcome {
	case task.OutcomeSucceeded:
	case task.OutcomeFailed, task.OutcomeDead:
		a.category = known(out.verdict.Category)
		if s.DeadReason == task.Rejected && out.verdict.Category == "" {
			a.category = retry.Permanent
		}
	case task.OutcomeSnoozed:
		a.category = known(out.verdict.Category)
		a.silent = s.Failure == nil // the handler's wish; else a rule has snoozed a failure
	default:
		a.silent = true
	}
	if out.verdict.Answered {
		a.category = "" // only the task has failed
	}
	if a.silent = a.silent || a.hold != nil; s.Unstarted || a.category == retry.Canceled || a.category == retry.Deadline || a.category == retry.Local {
		a.silent = true
	}
	return a
}

// conclude tells the target's guards how an attempt has ended, and opens the
// gates that may be open now. Guards that the policy does without hear nothing, and
// none hears of a failure that is the task's own, see [ofDependency].
func (n *near) conclude(e *entry, a answer) {
	t, held := e.stream.target, e.grant
	if held == nil {
		return // its task was handed back meanwhile
	}
	e.grant = nil
	n.untried(t, held)
	g := t.guard
	if g == nil {
		return // nobody wants to know any more
	}
	n.reads(a.at)
	if !a.silent && !e.free && !a.inline {
		n.retune(t, a.policy)
	}
	breaker, budget := guardsOf(a.policy)
	own := e.free || e.local && a.category != "" && a.category != retry.Permanent && !ofDependency(a.category)
	if held.breaker != nil && held.breaker != g.breaker {
		// Other settings hold by now; what has happened counts under them.
		held.permit.Cancel(a.at)
		held.permit, _ = g.breaker.Acquire(a.at)
	}
	switch {
	case a.silent || !breaker:
		held.permit.Cancel(a.at)
	case own:
		held.permit.Cancel(a.at)
		g.vague = g.vague || g.state == retry.HalfOpen
	case a.category == "":
		held.permit.Success(a.at, a.took)
	default:
		held.permit.Failure(a.at, a.took, a.category)
		g.vague = g.vague || g.state == retry.HalfOpen && !a.category.Advice().Breaker
	}
	switch {
	case !budget && held.budget != nil:
		held.budget.Return(a.at, held.tokens)
	case budget && !a.silent && !own:
		// What has been answered well or wrongly for good shows no distress, and a
		// trial that fails shows what was known.
		if good := a.category == "" || a.category == retry.Permanent; good || !held.trial {
			g.budget.Record(a.at, a.first, good)
			g.recent = weighed(g.recent, good, 16)
		}
	}
	if !a.silent {
		if !own {
			g.fares.hear(kindOf(e.gates), a.category)
		}
		t.used = n.now
		if a.category != retry.Timeout { // how long it was waited for
			t.learn(a.took)
		}
		if !e.free {
			n.refusal(t, a)
		}
	}
	n.holdOff(t, a)
	if !e.free {
		n.seenByLimit(t, held.limit, a, Capability(&e.Entry) == Push)
	}
	n.freed(t)
	if g.recovers(n.clock) {
		t.refresh() // others may have to give way now
	}
}

// seenByLimit tells the concurrency limit of an attempt. How long a request
// takes tells how busy the receiver is. How long a handler takes tells what it
// does: a type has a limit from refusals and timeouts on, until it is the whole
// share of the slots again. Few of those say nothing of the load.
func (n *near) seenByLimit(t *target, limit *retry.Limit, a answer, push bool) {
	g, took, category := t.guard, quickCall, a.category
	if push {
		took = max(a.took, quickCall)
	}
	refused := !a.silent && (category == retry.Throttled || category == retry.Timeout)
	if !a.silent {
		g.strain = weighed(g.strain, refused, 32)
	}
	strained := refused && g.strain >= strainShare
	if a.silent || refused && !strained {
		category = retry.Canceled
	}
	if limit != nil {
		limit.Release(a.at, took, category)
	}
	switch {
	case push:
	case g.calls == nil && strained:
		g.calls = newLimit(t.running, t.limit)
	case g.calls != nil && !refused && t.learned() >= t.limit:
		g.calls = nil
	}
}

// refusal pauses a target that mostly refuses because of too many calls, and
// says for how long. After the pause it is called again ever faster.
func (n *near) refusal(t *target, a answer) {
	g, refused := t.guard, a.category == retry.Throttled
	if a.category == "" {
		g.succeeded = a.at
	}
	g.refusals = weighed(g.refusals, refused, 8)
	until := a.at.Add(min(a.hint, longestPause))
	if !refused || g.refusals < refusalShare || !until.After(g.pause) || a.hint <= 0 {
		return
	}
	if a.at.After(g.pause) {
		g.normal = g.pace.perSecond(a.at)
	}
	g.pause = until
	n.hold(t, byRate, until)
	if g.ramp.gate != byBreaker {
		g.rampUp(byRate, until, pauseRamp, pauseRamp)
	}
}

// weighed is an exponentially weighted share after one more answer, which counts
// one part in so many.
func weighed(share float64, yes bool, parts float64) float64 {
	if yes {
		return share + (1-share)/parts
	}
	return share - share/parts
}
