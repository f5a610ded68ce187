package engine

import (
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// attempt is one claimed task on its way from claim to settled.
type attempt struct {
	run   Run
	entry *entry
	ctx   attemptContext
	began time.Time

	completion atomic.Pointer[completion] // nil unless the handler has asked for one

	settled atomic.Bool // its end was handed in: later ones are dropped
	end     decided     // what it came to, once it is handed in
	local   bool        // the store has refused it, and it has become a failure of this node
	again   bool        // a store that refuses it again is asked no more
	kept    error       // what a handler returned whose success was recorded before; see complete.go
	before  *attempt    // in answered
	lease   *lease      // nil unless a remote worker runs it
	overdue bool        // claimed past all gates, because its deadline has passed

	traced func(*store.Settlement) // ends its trace; nil for none
}

// attemptChunk is how many attempts are allocated together: few, since one
// that takes long keeps the others in memory.
const attemptChunk = 16

// start registers tasks that were claimed as the given node and hands them to
// the crew. It starts none, and says so, when this node may not act any more.
func (e *Engine) start(node string, tasks []*task.Task) bool {
	attempts, ok := e.register(node, tasks, func(a *attempt) { a.ctx.parent = e.attempts })
	if ok {
		e.crew.start(attempts)
	}
	return ok
}

// startFor starts claimed tasks on this node, or hands them to a poll.
func (e *Engine) startFor(node string, tasks []*task.Task, p *poll, began time.Time) bool {
	if p == nil {
		return e.start(node, tasks)
	}
	return e.lease(node, tasks, p, began)
}

// register makes attempts of tasks that were claimed as the given node. It makes
// none, and says so, when this node may not act any more: it lost touch, it is
// another one by now, it has stopped.
func (e *Engine) register(node string, tasks []*task.Task, set func(*attempt)) (attempts []*attempt, ok bool) {
	attempts = make([]*attempt, 0, len(tasks))
	var chunk []attempt
	e.mu.Lock()
	if e.halted || e.lost.Load() || e.silent() || e.node() != node {
		e.mu.Unlock()
		return nil, false
	}
	for i, t := range tasks {
		entry := e.near.known[t.ID]
		if entry == nil || entry.attempt != nil {
			continue
		}
		if len(chunk) == 0 {
			chunk = make([]attempt, min(attemptChunk, len(tasks)-i))
		}
		a := &chunk[0]
		chunk = chunk[1:]
		a.run.Task, a.run.attempt, a.entry, a.overdue = t, a, entry, entry.overdue
		set(a)
		entry.attempt = a
		if a.lease == nil {
			e.handlers.Add(1)
		}
		attempts = append(attempts, a)
	}
	e.runs += len(attempts)
	e.mu.Unlock()
	return attempts, true
}

// attempts yields the attempts that have not been settled. The engine's lock
// must be held.
func (n *near) attempts(yield func(*attempt) bool) {
	for _, entry := range n.known {
		if entry.attempt != nil && !yield(entry.attempt) {
			return
		}
	}
}

// attempt runs one attempt and hands in its settlement, whatever the handler
// does: return, panic, or end its goroutine.
func (e *Engine) attempt(a *attempt) {
	defer e.handlers.Done()
	if out := e.refuse(a); out != nil {
		e.handIn(a, out)
		return
	}
	e.limit(a)
	end := ending{run: &a.run, err: errGoexit, started: a.began, random: e.random}
	defer func() {
		end.ended, end.usual = time.Now(), time.Duration(a.entry.stream.target.usual.Load())
		end.cause = a.ctx.end(end.ended)
		if a.ends() {
			if end.err != nil {
				e.renewPolicy(&a.run)
			}
			decideSafely(&a.end, &end)
			a.trace(&a.end.settlement)
			e.settle(a)
		} else {
			a.trace(nil)
		}
	}()
	if f := e.config.Observer.AttemptStarted; f != nil {
		f(a.run.Task, a.began.Sub(a.run.Task.RunAt))
	}
	end.result, end.err = e.call(a)
}

// errGoexit is the failure of a handler that ended its goroutine
// (runtime.Goexit, as testing's FailNow does) instead of returning.
var errGoexit = errors.New("the handler ended its goroutine without returning")

// call runs the handler; a panic becomes an error.
func (e *Engine) call(a *attempt) (result []byte, err error) {
	defer func() {
		if value := recover(); value != nil {
			result, err = nil, recovered(value)
		}
	}()
	handler := e.config.Registry.Handler(a.run.Task)
	if handler == nil {
		return nil, errNoHandler
	}
	if e.config.Trace == nil {
		return handler(&a.ctx, &a.run)
	}
	ctx, traced := e.config.Trace(&a.ctx, &a.run)
	a.traced = traced
	return handler(ctx, &a.run)
}

// trace ends the trace of the attempt, if there is one.
func (a *attempt) trace(end *store.Settlement) {
	if a.traced != nil {
		a.traced(end)
	}
}

var errNoHandler = &task.Error{Code: task.CodeNoHandler, Message: "nothing on this node can start the type"}

// refuse ends attempts that must not start: a policy that cannot be read,
// no handler, a spent crash budget, a deadline that has passed. It is nil for all
// others.
func (e *Engine) refuse(a *attempt) *decided {
	t := a.run.Task
	policy, err := e.config.Registry.Policy(t)
	if err != nil {
		a.run.Policy = retry.Default()
		return e.unstarted(a, task.Permanent, "policy", err)
	}
	a.run.follow(policy)
	a.run.Deadline = deadline(t, policy)
	switch {
	case e.silent(): // the process was stopped between the claim and now
		return handedBack(t, ErrLost.Error())
	case t.CancelRequested:
		return &decided{settlement: store.Settlement{Task: t, Outcome: task.OutcomeCanceled, Unstarted: true, EndedAt: time.Now()}}
	case t.Crashes >= policy.MaxCrashes():
		return e.unstarted(a, task.CrashLoop, "crash budget", e.crashLoop(t))
	case !a.run.Deadline.IsZero() && !time.Now().Before(a.run.Deadline):
		return e.unstarted(a, task.Expired, "deadline", e.overdue(t))
	case a.overdue: // the policy gives it more time by now
		return handedBack(t, "deadline")
	case a.lease == nil && e.config.Registry.Handler(t) == nil:
		return e.unstarted(a, task.NoHandler, "no handler", errNoHandler)
	}
	return nil
}

// handedBack is the end of an attempt that this node must not begin.
func handedBack(t *task.Task, rule string) *decided {
	now := time.Now()
	return &decided{rule: rule, settlement: store.Settlement{
		Task: t, Outcome: task.OutcomeReleased, RunAt: t.RunAt, StartedAt: now, EndedAt: now,
	}}
}

// follow makes a policy that of the attempt.
func (r *Run) follow(policy *retry.Policy) {
	r.Policy, r.MaxAttempts = policy, policy.MaxAttempts()
	if r.Task.Spec.MaxAttempts > 0 && !policy.IsOnce() {
		r.MaxAttempts = r.Task.Spec.MaxAttempts
	}
}

// renewPolicy lets the newest version of the policy decide about an attempt that
// has failed. One that cannot be had any more leaves that with which it began.
func (e *Engine) renewPolicy(r *Run) {
	if policy, err := e.config.Registry.Policy(r.Task); err == nil && policy != r.Policy {
		r.follow(policy)
	}
}

// unstarted is the end of a task whose attempt never started.
func (e *Engine) unstarted(a *attempt, reason task.DeadReason, rule string, err error) *decided {
	now := time.Now()
	failure := failure(&ending{run: &a.run, err: err, ended: now}, retry.Classify(err))
	failure.Type = string(reason)
	switch reason {
	case task.CrashLoop:
		failure.Category = string(retry.Bug)
	case task.NoHandler:
		failure.Category, failure.Effect = string(retry.Permanent), string(retry.NotSent)
	}
	same := *failure
	if loop, ok := err.(*crashLoop); ok { //nolint:errorlint // it is our own, never wrapped
		same.Message = loop.same()
	}
	failure.Fingerprint = task.Fingerprint(a.run.Task.Type, &same)
	return &decided{rule: rule, err: err, settlement: store.Settlement{
		Task: a.run.Task, Outcome: task.OutcomeDead, DeadReason: reason, Failure: failure, Unstarted: true,
		StartedAt: now, EndedAt: now, OrderOnDead: a.run.Policy.OrderOnDead(),
	}}
}

func deadline(t *task.Task, policy *retry.Policy) time.Time {
	at := t.Spec.Deadline
	if ttl := policy.TTL(); ttl > 0 {
		since := t.CreatedAt
		if !t.Spec.RedrivenAt.IsZero() {
			since = t.Spec.RedrivenAt
		}
		if limit := since.Add(ttl); at.IsZero() || limit.Before(at) {
			at = limit
		}
	}
	return at
}

// limit notes when the attempt begins and when its context ends by itself: at
// the nearer of timeout and deadline.
func (e *Engine) limit(a *attempt) {
	began := time.Now()
	limit, why := a.run.Deadline, error(retry.ErrDeadline)
	timeout := a.run.Task.Spec.Timeout
	if timeout == 0 {
		timeout = a.run.Policy.Timeout()
	}
	if timeout > 0 {
		if at := began.Add(timeout); limit.IsZero() || at.Before(limit) {
			limit, why = at, retry.ErrAttemptTimeout
		}
	}
	a.began, a.ctx.limit, a.ctx.why = began, limit, why
}

// Canceled tells the engine that a cancel was committed for the task: a
// pending one is forgotten, a running one has its context canceled.
func (e *Engine) Canceled(id task.ID) {
	e.mu.Lock()
	if entry := e.near.known[id]; entry != nil && entry.attempt != nil {
		entry.attempt.ctx.cancel(ErrCanceled)
	} else if entry != nil && entry.where != isClaimed {
		e.near.forget(entry)
	}
	if l := e.near.lanes[id.Lane()]; l != nil && len(l.marks) > 0 {
		l.reopen() // it may have been the head of a key
		signal(e.load)
	}
	e.changedLane(id.Lane())
	e.mu.Unlock()
	signal(e.wake)
}

// Rescheduled tells the engine that the task's next run was moved, to now
// or to another time.
func (e *Engine) Rescheduled(t *task.Task) {
	e.mu.Lock()
	if entry := e.near.known[t.ID]; entry != nil && entry.where != isClaimed {
		e.near.forget(entry)
	}
	e.learn(entryOf(t))
	e.mu.Unlock()
	signal(e.wake)
}

// Steered tells the engine what was done to many tasks: they were canceled, asked to
// end, or their next run was moved. They need not be whole: their lanes are read.
func (e *Engine) Steered(tasks []*task.Task) {
	moved := map[uint16]bool{}
	for _, t := range tasks {
		if t.State != task.Pending {
			e.Canceled(t.ID)
			continue
		}
		e.mu.Lock()
		if entry := e.near.known[t.ID]; entry != nil && entry.where != isClaimed {
			e.near.forget(entry)
		}
		e.near.lookFor(t.ID.Lane(), task.Rank(t.RunAt, t.Priority))
		e.mu.Unlock()
		moved[t.ID.Lane()] = true
	}
	if len(moved) > 0 {
		e.Wake(slices.Collect(maps.Keys(moved))...)
	}
}

func entryOf(t *task.Task) store.Entry {
	return store.Entry{
		ID: t.ID, RunAt: micros(t.RunAt), Rank: task.Rank(t.RunAt, t.Priority), Seq: t.Seq, Park: t.Park, Key: t.Key,
		Type: t.Type, Target: t.Target, Attempt: t.Attempt, Crashes: t.Crashes, Size: len(t.Payload),
	}
}

// Running returns the tasks that run on this node now.
func (e *Engine) Running() []*task.Task {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]*task.Task, 0, e.runs)
	for a := range e.near.attempts {
		out = append(out, a.run.Task)
	}
	return out
}
