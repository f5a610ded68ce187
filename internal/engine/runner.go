package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// attemptChunk is how many attempts are allocated together: few, since one
// that takes long keeps the others in memory.
const attemptChunk = 16

// runner runs attempts: it makes them of claimed tasks, and hands in how they end.
type runner struct {
	*core
	end          *settler
	pool         *pool
	handlers     sync.WaitGroup
	attempts     context.Context // parent of every attempt's context
	stopAttempts context.CancelCauseFunc
}

func newRunner(c *core, end *settler) *runner {
	r := &runner{core: c, end: end}
	r.attempts, r.stopAttempts = context.WithCancelCause(context.Background())
	r.pool = newPool(r.attempt)
	return r
}

// start registers tasks that were claimed as the given node and hands them to
// the pool. It starts none, and says so, when this node may not act any more.
func (r *runner) start(node string, tasks []*task.Task) bool {
	attempts, ok := r.register(node, tasks, func(a *attempt) { a.ctx.parent = r.attempts })
	if ok {
		r.pool.start(attempts)
	}
	return ok
}

// register makes attempts of tasks that were claimed as the given node. It makes
// none, and says so, when this node may not act any more: it lost touch, it is
// another one by now, it has stopped.
func (r *runner) register(node string, tasks []*task.Task, set func(*attempt)) (attempts []*attempt, ok bool) {
	attempts = make([]*attempt, 0, len(tasks))
	var chunk []attempt
	r.lock()
	if r.halted || r.member.Lost() || r.member.Silent() || r.member.ID() != node {
		r.unlock()
		return nil, false
	}
	for i, t := range tasks {
		entry := r.agenda.Entry(t.ID)
		if entry == nil || entry.Run != nil {
			continue
		}
		if len(chunk) == 0 {
			chunk = make([]attempt, min(attemptChunk, len(tasks)-i))
		}
		a := &chunk[0]
		chunk = chunk[1:]
		a.run.Task, a.run.attempt, a.entry, a.overdue = t, a, entry, entry.Overdue
		set(a)
		entry.Run = a
		if a.lease == nil {
			a.steps.Begin(r.end.steps)
			r.handlers.Add(1)
		}
		attempts = append(attempts, a)
	}
	r.runs += len(attempts)
	r.unlock()
	return attempts, true
}

// attempt runs one attempt and hands in its settlement, whatever the handler
// does: return, panic, or end its goroutine.
func (r *runner) attempt(a *attempt) {
	defer r.handlers.Done()
	if out := r.refuse(a); out != nil {
		r.end.handIn(a, out)
		return
	}
	r.limit(a)
	end := ending{run: &a.run, err: errGoexit, started: a.began, random: r.random, identify: r.config.Fingerprint}
	defer func() {
		end.ended = time.Now()
		end.cause = a.ctx.end(end.ended)
		r.closeSteps(a, &end)
		if !a.ends() {
			if a.traced != nil {
				a.traced(nil)
			}
			return
		}
		if end.err != nil {
			end.usual = a.entry.UsualLength()
			r.renewPolicy(&a.run)
		}
		decideSafely(&a.end, &end)
		if a.traced != nil {
			a.traced(&a.end.settlement)
		}
		r.end.settle(a)
	}()
	end.result, end.err = r.call(a)
}

// closeSteps ends the steps of an attempt, and tells of those of earlier ones that a
// success has not asked for: the code may have changed.
func (r *runner) closeSteps(a *attempt, end *ending) {
	log := a.steps.End()
	if log == nil {
		return
	}
	if end.err != nil {
		end.awaits, end.until = log.Awaits()
		return
	}
	if unasked := log.Unasked(); len(unasked) > 0 {
		r.log.Warn("step.unasked", "task", a.run.Task.ID.String(), "type", a.run.Task.Type, "steps", unasked)
	}
}

// errGoexit is the failure of a handler that ended its goroutine
// (runtime.Goexit, as testing's FailNow does) instead of returning.
var errGoexit = errors.New("the handler ended its goroutine without returning")

// call runs the handler, in the context of its trace; a panic becomes an error.
func (r *runner) call(a *attempt) (result []byte, err error) {
	defer func() {
		if value := recover(); value != nil {
			result, err = nil, recovered(value)
		}
	}()
	ctx := context.Context(&a.ctx)
	if r.config.Trace != nil {
		ctx, a.traced = r.config.Trace(ctx, &a.run)
		a.run.Within(ctx)
	}
	if f := r.config.Observer.AttemptStarted; f != nil {
		f(ctx, a.run.Task, a.began.Sub(a.run.Task.RunAt))
	}
	handler := r.config.Registry.Handler(a.run.Task)
	if handler == nil {
		return nil, errNoHandler
	}
	return handler(ctx, &a.run)
}

var errNoHandler = &task.Error{Code: task.CodeNoHandler, Message: "nothing on this node can start the type"}

// refuse ends attempts that must not start: a task or a policy that cannot be read,
// no handler, a spent crash budget, a deadline that has passed. It is nil for all
// others.
func (r *runner) refuse(a *attempt) *decided {
	t := a.run.Task
	if why := t.Spec.Unreadable; why != "" {
		a.run.Policy = retry.Default()
		return r.unstarted(a, task.Permanent, "unreadable", errors.New(why))
	}
	policy, err := r.config.Registry.Policy(t)
	if err != nil {
		a.run.Policy = retry.Default()
		return r.unstarted(a, task.Permanent, "policy", err)
	}
	a.run.follow(policy)
	a.run.Deadline = deadline(t, policy)
	switch {
	case r.member.Silent(): // the process was stopped between the claim and now
		return handedBack(t, ErrLost.Error())
	case t.CancelRequested:
		return &decided{settlement: store.Settlement{Task: t, Outcome: task.OutcomeCanceled, Unstarted: true, EndedAt: time.Now()}}
	case t.Crashes >= policy.MaxCrashes():
		return r.unstarted(a, task.CrashLoop, "crash budget", r.crashLoop(t))
	case !a.run.Deadline.IsZero() && !time.Now().Before(a.run.Deadline):
		return r.unstarted(a, task.Expired, "deadline", r.overdue(t))
	case a.overdue: // the policy gives it more time by now
		return handedBack(t, "deadline")
	case a.lease == nil && r.config.Registry.Handler(t) == nil:
		if can := agenda.Capability(&a.entry.Entry); !r.config.Registry.CanStart(can) && r.member.View().CanStart(t.Queue, can) {
			return handedBack(t, "another node can start it") // it has come since the row was read
		}
		return r.unstarted(a, task.NoHandler, "no handler", errNoHandler)
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

// renewPolicy lets the newest version of the policy decide about an attempt that
// has failed. One that cannot be had any more leaves that with which it began.
func (r *runner) renewPolicy(run *Run) {
	if policy, err := r.config.Registry.Policy(run.Task); err == nil && policy != run.Policy {
		run.follow(policy)
	}
}

// unstarted is the end of a task whose attempt never started.
func (r *runner) unstarted(a *attempt, reason task.DeadReason, rule string, err error) *decided {
	now := time.Now()
	end := ending{run: &a.run, err: err, ended: now, identify: r.config.Fingerprint}
	failure := end.failure(retry.Classify(err))
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
	failure.Fingerprint = end.fingerprint(&same)
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
func (r *runner) limit(a *attempt) {
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
