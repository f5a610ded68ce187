package engine

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Tried is what an attempt came to that no store knows of.
type Tried struct {
	Outcome
	MaxAttempts int // 0 for unlimited
}

// Try runs the handler of a task as the attempt that the task says, under ctx, and says what
// would become of the task. No store and no observer hears of it, and no guard of a target is
// asked or told: what they would add to a delay is not in it. Random draws the jitter. An error
// says that the task has no policy or no handler here.
func Try(ctx context.Context, registry Registry, t *task.Task, random retry.Rand) (Tried, error) {
	policy, err := registry.Policy(t)
	if err != nil {
		return Tried{}, err
	}
	if registry.Handler(t) == nil {
		return Tried{}, errNoHandler
	}
	r := &runner{core: &core{config: Config{Registry: registry}}}
	a := &attempt{run: Run{Task: t}}
	a.run.follow(policy)
	a.run.Deadline = deadline(t, policy)
	a.ctx.parent = ctx
	r.limit(a)
	end := ending{run: &a.run, err: errGoexit, started: a.began, random: random}
	ended := make(chan struct{})
	go func() { // a handler may end its goroutine
		defer close(ended)
		end.result, end.err = r.call(a)
	}()
	<-ended
	end.ended = time.Now()
	end.cause = a.ctx.end(end.ended)
	if end.err != nil {
		r.renewPolicy(&a.run)
	}
	decideSafely(&a.end, &end)
	return a.tried(), nil
}

// tried is what the attempt came to.
func (a *attempt) tried() Tried {
	d := &a.end
	state, _ := task.Running.Next(d.settlement.Outcome.Event()) // each outcome is one of a running task
	return Tried{MaxAttempts: a.run.MaxAttempts, Outcome: Outcome{
		Settlement: &d.settlement, State: state, Rule: d.rule, Delay: d.delay, Err: d.err, Policy: a.run.Policy,
	}}
}
