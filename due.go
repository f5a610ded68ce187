package outlast

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/duepass"
	"github.com/outlast-dev/outlast/task"
)

// Due says what [Client.RunDue] works. The zero value is all that is due.
type Due struct {
	Queues []string  // those that the client works on, or a server all, when empty
	Types  []string  // all when empty
	Since  time.Time // tasks that were due before that stay; zero for no bound
	Limit  int       // tasks that are taken at most, 1 to 1 000 000; 1000 for 0
}

// DueCounts is what [Client.RunDue] has done. A task that comes to no recorded end, since
// another node has taken it over, is counted in Started only.
type DueCounts struct {
	Started   int // taken: one attempt each, or an end without one, as at a deadline that has passed
	Succeeded int
	Failed    int // to be tried again
	Dead      int
	Snoozed   int
	Canceled  int
	Released  int // handed back without cost
	// Left are due tasks that match and are still pending, counted to 10 000: beyond the
	// limit, held by a paused queue, an ordering key or a target, of types that nothing
	// here starts, or in the hands of other nodes.
	Left int
}

// RunDue works what is due once and returns when that has come to an end: for
// applications that bring their own timer. What counts is what is due as the call
// begins, ticks of schedules included; a retry, a tick or a task of a handler that
// comes up meanwhile is for the next call. Everything holds that holds on a node with
// loops of its own: for the time of the call this is one, under an id of its own. A task
// whose process was killed is taken over as soon as its node is known to be dead: by the
// store at once (SQLite), or after 5 s.
//
// The client may be started or not; with [WithEnqueueOnly] it runs nothing but by this call.
// Where nodes
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
func (c *Client) RunDue(ctx context.Context, due Due) (DueCounts, error) {
	if !c.passes.Begin() {
		return DueCounts{}, &Error{Code: task.CodeConflict, Message: "RunDue is running already", RetryAfter: time.Second,
			Hint: "it works what is due; call it again when it has returned"}
	}
	defer c.passes.End()
	if err := ctx.Err(); err != nil {
		return DueCounts{}, err
	}
	own, err := c.readyForDue(ctx)
	if err != nil {
		return DueCounts{}, err
	}
	what := duepass.Due(due)
	if err := what.Check(c.options.Queues, func(wrong *accept.Complaints, path, name string) { c.enqueuer.QueueOf(ctx, wrong, path, name) }); err != nil {
		return DueCounts{}, err
	}
	if err := c.recurring.newTicker(c).Once(ctx); err != nil {
		return DueCounts{}, err
	}
	counts, err := c.passes.Run(ctx, what, own)
	if c.state.Load() == opened {
		c.tallies.Flush(ctx)
		c.tallies.Sweep(ctx)
	}
	return DueCounts(counts), err
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
		own = !c.options.EnqueueOnly
		c.keepWatch(background.WithPace(ctx, c.options.Pace))
	}
	if err == nil {
		err = c.engine.Refresh(ctx)
	}
	return own, err
}
