package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Poll is what a remote worker asks for.
type Poll struct {
	Worker  string // its name
	Release string // "" for none
	Queues  []string
	Types   []string // nil for all but HTTP requests
	Most    int      // tasks
	Wait    time.Duration
	Lease   time.Duration
}

// Leased is a task for a remote worker. It must not be changed.
type Leased struct {
	Task        *task.Task
	Until       time.Time // the end of the lease, by the store's clock
	AttemptEnds time.Time // when the attempt's timeout or the deadline ends it, zero for never
	MaxAttempts int       // 0 for unlimited
}

// ErrTooManyPolls refuses a poll on a node where very many wait.
var ErrTooManyPolls = errors.New("too many polls wait on this node")

// ErrNoPolls refuses a poll on a node that starts nothing.
var ErrNoPolls = errors.New("this node starts no tasks")

// poll is a Poll that waits.
type poll struct {
	Poll
	began  time.Time
	taken  int             // entries of the batch that is being claimed
	over   bool            // nobody waits any more
	answer chan []*attempt // has room for the one answer
}

// takes reports whether the worker can start the type in the queue.
func (p *poll) takes(queue, capability string) bool {
	return (p.Types == nil && capability != Push || slices.Contains(p.Types, capability)) && slices.Contains(p.Queues, queue)
}

// leastWait is how long a poll waits at least: so long it takes to read what is
// due from disk.
const leastWait = 100 * time.Millisecond

// Poll waits until there are tasks for a remote worker, and returns some of those
// that are due, or none when the time has passed, ctx has ended or the node stops.
// What it returns is leased to the worker, on disk.
func (e *Engine) Poll(ctx context.Context, request Poll) ([]Leased, error) {
	if _, leases := store.As[store.Leaser](e.config.Store); !leases || e.config.EnqueueOnly {
		return nil, ErrNoPolls
	}
	p := &poll{Poll: request, began: time.Now(), answer: make(chan []*attempt, 1)}
	more, err := e.enter(p)
	if err != nil {
		return nil, err
	}
	if more {
		e.Stir(ctx) // others, and the loader, are to know what this node can start now
		e.Heard()
	}
	timer := time.NewTimer(max(leastWait, request.Wait))
	defer timer.Stop()
	select {
	case attempts := <-p.answer:
		return e.leased(ctx, attempts), nil
	case <-timer.C:
	case <-ctx.Done():
	case <-e.claims.Done():
	}
	return e.leased(ctx, e.leave(p)), nil
}

// enter lets a poll wait.
func (e *Engine) enter(p *poll) (more bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stops.Load() || e.halted {
		return false, nil // it is answered at once
	}
	if len(e.remote.polls) >= mostPolls {
		return false, ErrTooManyPolls
	}
	more = e.connect(p.Worker, p.Queues, p.Types, p.began)
	e.remote.polls = append(e.remote.polls, p)
	e.near.asked(p)
	signal(e.wake)
	return more, nil
}

// leave ends a poll, and returns what it was answered at the last moment.
func (e *Engine) leave(p *poll) []*attempt {
	e.mu.Lock()
	defer e.mu.Unlock()
	p.over = true
	e.remote.end(p)
	if w := e.remote.workers[p.Worker]; w != nil {
		w.seen = time.Now()
	}
	select {
	case attempts := <-p.answer:
		return attempts
	default:
		return nil
	}
}

// end takes a poll out of those that wait.
func (r *remote) end(p *poll) {
	if at := slices.Index(r.polls, p); at >= 0 {
		r.polls = slices.Delete(r.polls, at, at+1)
	}
}

// leased is the answer of a poll. If nobody is there to take it, the tasks are
// handed back.
func (e *Engine) leased(ctx context.Context, attempts []*attempt) []Leased {
	if ctx.Err() != nil {
		e.handBack(attempts)
		return nil
	}
	out := make([]Leased, len(attempts))
	for i, a := range attempts {
		out[i] = Leased{
			Task: a.run.Task, Until: a.run.Task.StartedAt.Add(a.lease.length),
			AttemptEnds: a.ctx.limit, MaxAttempts: a.run.MaxAttempts,
		}
	}
	return out
}

// handBack releases tasks that no worker has got to see.
func (e *Engine) handBack(attempts []*attempt) {
	for _, a := range attempts {
		e.handIn(a, &decided{rule: "the worker went away", settlement: store.Settlement{
			Task: a.run.Task, Outcome: task.OutcomeReleased, StartedAt: a.began, EndedAt: time.Now(),
		}})
	}
}

// dismiss answers the polls of a worker that wait with nothing: it has let a lease
// end, and may not be there any more. If it is, it polls again.
func (r *remote) dismiss(name string) {
	r.polls = slices.DeleteFunc(r.polls, func(p *poll) bool {
		if p.Worker != name || p.taken > 0 {
			return false
		}
		p.answer <- nil
		return true
	})
}

// asked opens the streams that a poll may take entries of.
func (n *near) asked(p *poll) {
	for _, name := range p.Queues {
		q := n.queues[name]
		if q == nil {
			continue
		}
		for _, s := range q.streams {
			if s.unasked && p.takes(name, s.target.name) {
				s.unasked = false
				s.refresh()
			}
		}
	}
}

// parted is a batch apart by who is to run it: this node, or the worker of a poll.
func parted(batch []*entry) (own []*entry, polled map[*poll][]*entry) {
	if !slices.ContainsFunc(batch, func(e *entry) bool { return e.poll != nil }) {
		return batch, nil
	}
	polled = map[*poll][]*entry{}
	for _, e := range batch {
		if e.poll == nil {
			own = append(own, e)
		} else {
			polled[e.poll] = append(polled[e.poll], e)
		}
	}
	return own, polled
}

// claimBatch claims what was picked: for this node, and for each poll apart.
func (e *Engine) claimBatch(batch []*entry) {
	own, polled := parted(batch)
	if len(own) > 0 {
		e.claim(own, nil)
	}
	for p, entries := range polled {
		e.claim(entries, p)
		e.mu.Lock()
		if p.taken = 0; !p.over && len(p.answer) == 0 {
			e.near.asked(p) // it goes on waiting
			signal(e.wake)
		}
		e.mu.Unlock()
	}
}

// lease registers tasks that were claimed for a poll, and answers it.
func (e *Engine) lease(node string, tasks []*task.Task, p *poll, began time.Time) bool {
	attempts, ok := e.register(node, tasks, func(a *attempt) {
		a.lease = &lease{worker: p.Worker, length: p.Lease, until: began.Add(p.Lease), asked: began, over: make(chan struct{})}
		a.ctx.parent = context.Background()
	})
	if !ok {
		return false
	}
	started := attempts[:0]
	for _, a := range attempts {
		if out := e.refuse(a); out != nil {
			e.handIn(a, out)
			continue
		}
		e.limit(a)
		if f := e.config.Observer.AttemptStarted; f != nil {
			f(a.run.Task, a.began.Sub(a.run.Task.RunAt))
		}
		started = append(started, a)
	}
	if len(started) == 0 {
		return true
	}
	e.mu.Lock()
	for _, a := range started {
		e.remote.began(a)
	}
	over := p.over
	if !over {
		e.remote.end(p)
		p.answer <- started
		if w := e.remote.workers[p.Worker]; w != nil {
			w.seen = time.Now()
		}
	}
	e.mu.Unlock()
	if over {
		e.handBack(started)
	}
	return true
}
