package outlast

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/schedule"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Due says what [Client.RunDue] works. The zero value is all that is due.
type Due struct {
	Queues []string  // those that the client works on, or a server all, when empty
	Types  []string  // all when empty
	Since  time.Time // tasks that were due before that stay; zero for no bound
	Limit  int       // tasks that are taken at most, 1 to 1 000 000; 1000 for 0
}

const (
	usualDue = 1000
	mostDue  = 1_000_000
)

// RunDue works what is due once and returns when that has come to an end: for
// applications that bring their own timer. What counts is what is due as the call
// begins, ticks of schedules included; a retry, a tick or a task of a handler that
// comes up meanwhile is for the next call. Everything holds that holds on a node with
// loops of its own: for the time of the call this is one, under an id of its own. A task
// whose process was killed is taken over as soon as its node is known to be dead: by the
// store at once (SQLite), or after 5 s.
//
// The client may be started or not; with [EnqueueOnly] it runs nothing but by this call.
// One that has not started refuses what its handlers enqueue through it. Where nodes
// work on a queue all the time, RunDue leaves its tasks to them, but for types that only
// this program starts. A client that works by itself works as ever: then RunDue waits
// until it has worked what was due, or for a second nothing of it moves, and counts;
// Limit ends the wait.
//
// It waits neither for a target that is held back nor for a paused queue: such tasks are
// left. When ctx ends nothing more starts, attempts get the grace time of
// [WithGrace], the rest is handed back, and RunDue returns what it has done with the
// error of ctx. What is wrong with due is an [*Error] with code "invalid" and its
// field: a queue that is not there, a negative Limit, a Since in the future. One call
// at a time works on a client; another is an [*Error] with code "conflict".
func (c *Client) RunDue(ctx context.Context, due Due) (engine.DueCounts, error) {
	if !c.pass.TryLock() {
		return engine.DueCounts{}, &Error{Code: task.CodeConflict, Message: "RunDue is running already", RetryAfter: time.Second,
			Hint: "it works what is due; call it again when it has returned"}
	}
	defer c.pass.Unlock()
	if err := ctx.Err(); err != nil {
		return engine.DueCounts{}, err
	}
	own, err := c.readyForDue(ctx)
	if err != nil {
		return engine.DueCounts{}, err
	}
	if err := c.checkDue(ctx, &due); err != nil {
		return engine.DueCounts{}, err
	}
	if err := c.tickDue(ctx); err != nil {
		return engine.DueCounts{}, err
	}
	p := &duePass{Due: due, client: c, until: store.NewClock(c.backend).Now(ctx)}
	c.passed.Store(p)
	defer c.passed.Store(nil)
	if own {
		err = p.follow(ctx)
		p.counts.Started = p.ended()
	} else {
		err = p.work(ctx)
	}
	return p.result(ctx, err)
}

// readyForDue prepares a client for a pass, and reports whether it works by itself.
func (c *Client) readyForDue(ctx context.Context) (own bool, err error) {
	c.startStop.Lock()
	defer c.startStop.Unlock()
	switch c.state.Load() {
	case stopped:
		return false, errStopped
	case opened:
		err = c.makeReady(ctx)
	case started:
		own = !c.enqueueOnly
		c.keepWatch()
	}
	if err == nil {
		err = c.engine.Refresh(ctx)
	}
	return own, err
}

// checkDue completes what is asked for, and says what is wrong with it.
func (c *Client) checkDue(ctx context.Context, due *Due) error {
	var wrong accept.Complaints
	for i, name := range due.Queues {
		if path := at("queues", i); wrong.Name(path, name) {
			c.queueOf(ctx, &wrong, path, name)
		}
	}
	for i, name := range due.Types {
		wrong.Name(at("types", i), name)
	}
	if due.Since.After(time.Now()) {
		wrong.Add("since", "lies in the future", "nothing that is due then is due now; leave it out for no bound")
	}
	if due.Limit < 0 || due.Limit > mostDue {
		wrong.Add("limit", "is outside 1 to 1000000", "0 means 1000")
	}
	if due.Limit == 0 {
		due.Limit = usualDue
	}
	if len(due.Queues) == 0 {
		due.Queues = c.queues // none: all, of a server
	}
	return wrong.Err("what is due cannot be worked so")
}

func at(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// tickDue enqueues what schedules have due.
func (c *Client) tickDue(ctx context.Context) error {
	return schedule.New(schedule.Config{
		Backend: c.backend, Node: c.engine, Make: c.tickTask, Observe: c.ticked, Logger: c.logger,
	}).Once(ctx)
}

// duePass is one call of RunDue.
type duePass struct {
	Due
	client *Client
	until  time.Time

	mu     sync.Mutex
	counts engine.DueCounts
}

// work makes a node that works what is due and leaves.
func (p *duePass) work(ctx context.Context) error {
	config := p.client.engineConfig()
	config.Registry = &dueRegistry{p.client.registry, p}
	config.EnqueueOnly, config.Due = false, &engine.Due{Types: p.Types, Since: p.Since, Until: p.until, Limit: p.Limit, Apart: alert.Queue}
	config.Node.Address, config.Node.WakeKey = "", ""
	if len(p.Types) == 0 {
		config.Due.Types = nil
	}
	node, err := engine.New(config)
	if err != nil {
		return err
	}
	if err := node.Start(ctx); err != nil {
		return err
	}
	err = node.WorkDue(ctx)
	stopped := node.Stop(context.WithoutCancel(ctx))
	p.counts.Started = node.TakenDue()
	return joinOnce(err, stopped)
}

// follow waits until the client's own loops have worked what was due.
func (p *duePass) follow(ctx context.Context) error {
	ticker := time.NewTicker(dueLook)
	defer ticker.Stop()
	last, moved := dueState{}, time.Now()
	for p.ended() < p.Limit {
		now, err := p.look(ctx)
		switch {
		case err != nil:
			return err
		case now.left == 0 && now.running == 0:
			return nil
		case now != last || now.running > 0:
			last, moved = now, time.Now()
		case time.Since(moved) >= duePatience:
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
	return nil
}

const (
	dueLook     = 50 * time.Millisecond
	duePatience = time.Second
)

// dueState is how far a client's own loops have come.
type dueState struct{ left, running, ended int }

func (p *duePass) look(ctx context.Context) (dueState, error) {
	left, err := p.left(ctx, p.Limit)
	now := dueState{left: left, ended: p.ended()}
	for _, t := range p.client.engine.Running() {
		if p.matches(t.Queue, t.Type, t.RunAt) {
			now.running++
		}
	}
	return now, err
}

// matches reports whether a task is one of those that are due.
func (p *duePass) matches(queue, taskType string, runAt time.Time) bool {
	return p.serves(queue) && !runAt.After(p.until) && !runAt.Before(p.Since) && (len(p.Types) == 0 || slices.Contains(p.Types, taskType))
}

// serves reports whether the tasks of a queue are counted.
func (p *duePass) serves(queue string) bool {
	return !isInternal(queue) && (len(p.Queues) == 0 || slices.Contains(p.Queues, queue))
}

// settled counts how an attempt ended while the pass is under way.
func (p *duePass) settled(o *engine.Outcome) {
	if t := o.Settlement.Task; !p.matches(t.Queue, t.Type, t.RunAt) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts.Add(o)
}

func (p *duePass) ended() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts.Ended()
}

// dueRegistry is what a pass may run: what the client has, also where that runs nothing
// by itself, in the queues that are asked for.
type dueRegistry struct {
	*registry
	pass *duePass
}

// Serves implements [engine.Registry].
func (r *dueRegistry) Serves(queue string) (s store.Serving, served bool) {
	if !isInternal(queue) && !r.pass.serves(queue) {
		return s, false
	}
	return *r.serves.Load(), true
}

// CanStart implements [engine.Registry].
func (r *dueRegistry) CanStart(capability string) bool { return r.starts(capability) }
