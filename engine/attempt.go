package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// attempt is one claimed task on its way from claim to settled.
type attempt struct {
	run     Run
	entry   *entry
	cancel  context.CancelCauseFunc
	began   time.Time
	settled atomic.Bool // a settlement was handed in: later ones are dropped
	cause   error       // why it is to end, if that was said before it had a context; guarded by mu

	completion atomic.Pointer[completion] // nil unless the handler has asked for one
}

// start registers tasks that were claimed as the given node and runs each in
// a goroutine of the crew. It starts none, and says so, when this node may
// not act any more: it lost touch, it is another one by now, it has stopped.
func (e *Engine) start(node string, tasks []*task.Task) bool {
	attempts := make([]attempt, 0, len(tasks))
	e.mu.Lock()
	if e.halted || e.lost.Load() || e.silent() || e.node() != node {
		e.mu.Unlock()
		return false
	}
	for _, t := range tasks {
		entry := e.near.known[t.ID]
		if entry == nil || e.runs[t.ID] != nil {
			continue
		}
		attempts = append(attempts, attempt{run: Run{Task: t}, entry: entry})
		a := &attempts[len(attempts)-1]
		a.run.attempt = a
		e.runs[t.ID] = a
	}
	e.handlers.Add(len(attempts))
	e.mu.Unlock()
	for i := range attempts {
		e.crew.start(&attempts[i])
	}
	return true
}

// attempt runs one attempt and hands in its settlement, whatever the handler
// does: return, panic, or end its goroutine.
func (e *Engine) attempt(a *attempt) {
	defer e.handlers.Done()
	if out, ended := e.refuse(a); ended {
		e.conclude(a, &out)
		e.handIn(a, out)
		return
	}
	ctx, stop := e.attemptContext(a)
	end := ending{run: &a.run, err: errGoexit, started: a.began, random: e.random}
	defer func() {
		end.cause, end.ended, end.usual = context.Cause(ctx), time.Now(), time.Duration(a.entry.stream.target.usual.Load())
		stop()
		out := decideSafely(end)
		e.conclude(a, &out)
		e.handIn(a, out)
	}()
	if f := e.config.Observer.AttemptStarted; f != nil {
		f(a.run.Task, a.began.Sub(a.run.Task.RunAt))
	}
	end.result, end.err = e.call(ctx, a)
}

// errGoexit is the failure of a handler that ended its goroutine
// (runtime.Goexit, as testing's FailNow does) instead of returning.
var errGoexit = errors.New("the handler ended its goroutine without returning")

// call runs the handler; a panic becomes an error.
func (e *Engine) call(ctx context.Context, a *attempt) (result []byte, err error) {
	defer func() {
		if value := recover(); value != nil {
			result, err = nil, recovered(value)
		}
	}()
	handler := e.config.Registry.Handler(a.run.Task)
	if handler == nil {
		return nil, errNoHandler
	}
	return handler(ctx, &a.run)
}

var errNoHandler = &task.Error{Code: task.CodeNoHandler, Message: "nothing on this node can start the type"}

// end ends the attempt's context, now or as soon as it has one. The engine's
// lock must be held.
func (a *attempt) end(cause error) {
	if a.cause = cause; a.cancel != nil {
		a.cancel(cause)
	}
}

// refuse ends attempts that must not start: a policy that cannot be read,
// no handler, a spent crash budget, a deadline that has passed.
func (e *Engine) refuse(a *attempt) (decided, bool) {
	t := a.run.Task
	policy, err := e.config.Registry.Policy(t)
	if err != nil {
		a.run.Policy = retry.Default()
		return e.unstarted(a, task.Permanent, "policy", err), true
	}
	a.run.Policy = policy
	a.run.MaxAttempts = policy.MaxAttempts()
	if t.Spec.MaxAttempts > 0 {
		a.run.MaxAttempts = t.Spec.MaxAttempts
	}
	a.run.Deadline = deadline(t, policy)
	switch {
	case e.silent(): // the process was stopped between the claim and now
		now := time.Now()
		return decided{rule: ErrLost.Error(), settlement: store.Settlement{Task: t, Outcome: task.OutcomeReleased, StartedAt: now, EndedAt: now}}, true
	case t.CancelRequested:
		return decided{settlement: store.Settlement{Task: t, Outcome: task.OutcomeCanceled, Unstarted: true, EndedAt: time.Now()}}, true
	case t.Crashes >= policy.MaxCrashes():
		err := fmt.Errorf("the process died %d times while this task ran", t.Crashes)
		return e.unstarted(a, task.CrashLoop, "crash budget", err), true
	case !a.run.Deadline.IsZero() && !time.Now().Before(a.run.Deadline):
		return e.unstarted(a, task.Expired, "deadline", retry.ErrDeadline), true
	case e.config.Registry.Handler(t) == nil:
		return e.unstarted(a, task.NoHandler, "no handler", errNoHandler), true
	}
	return decided{}, false
}

// unstarted is the end of a task whose attempt never started.
func (e *Engine) unstarted(a *attempt, reason task.DeadReason, rule string, err error) decided {
	now := time.Now()
	failure := failure(ending{run: &a.run, err: err, ended: now}, retry.Classify(err))
	failure.Type = string(reason)
	switch reason {
	case task.CrashLoop:
		failure.Category = string(retry.Bug)
	case task.NoHandler:
		failure.Category, failure.Effect = string(retry.Permanent), string(retry.NotSent)
	}
	failure.Fingerprint = task.Fingerprint(a.run.Task.Type, failure)
	return decided{rule: rule, err: err, settlement: store.Settlement{
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

// attemptContext is the context of one attempt: it ends at the nearer of
// timeout and deadline, and can be canceled with a cause.
func (e *Engine) attemptContext(a *attempt) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(e.attempts)
	e.mu.Lock()
	a.cancel, a.began = cancel, time.Now()
	cause := a.cause
	e.mu.Unlock()
	if cause != nil {
		cancel(cause)
	}
	at, why := a.run.Deadline, error(retry.ErrDeadline)
	timeout := a.run.Task.Spec.Timeout
	if timeout == 0 {
		timeout = a.run.Policy.Timeout()
	}
	if timeout > 0 {
		if limit := time.Now().Add(timeout); at.IsZero() || limit.Before(at) {
			at, why = limit, retry.ErrAttemptTimeout
		}
	}
	if at.IsZero() {
		return ctx, func() { cancel(nil) }
	}
	timed, stop := context.WithDeadlineCause(ctx, at, why)
	return timed, func() { stop(); cancel(nil) }
}

// conclude lets the target's guards know how an attempt has ended: now, not when
// it is settled, since a slow store is no reason to go on calling a target that
// fails.
func (e *Engine) conclude(a *attempt, out *decided) {
	e.mu.Lock()
	e.near.conclude(a.entry, answerOf(&a.run, out))
	e.unlock()
}

// Canceled tells the engine that a cancel was committed for the task: a
// pending one is forgotten, a running one has its context canceled.
func (e *Engine) Canceled(id task.ID) {
	e.mu.Lock()
	if a := e.runs[id]; a != nil {
		a.end(ErrCanceled)
	} else if entry := e.near.known[id]; entry != nil && entry.where != isClaimed {
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
	out := make([]*task.Task, 0, len(e.runs))
	for _, a := range e.runs {
		out = append(out, a.run.Task)
	}
	return out
}
