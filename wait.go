package outlast

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// How often [Client.Wait] looks into the store for an end that another node
// brought about: at first often, then less so.
const (
	firstLook = 200 * time.Millisecond
	lastLook  = time.Second
)

// Run enqueues a task and waits for its end. A task that dies is a
// [*DeadError], a canceled one an [*Error] with code "conflict" and state
// canceled; the task is returned with both. When ctx ends first the task goes
// on, and is returned as it was last seen with an error that wraps that of ctx
// and names the id.
func (c *Client) Run(ctx context.Context, draft Draft) (*Task, error) {
	receipt, err := c.Enqueue(ctx, draft)
	if err != nil {
		return nil, err
	}
	t, err := c.wait(ctx, receipt.Task.ID, receipt.Task)
	if err != nil {
		return t, err
	}
	return t, outcome(t)
}

// outcome is the error of a task that did not succeed.
func outcome(t *Task) error {
	switch t.State {
	case task.Dead:
		return &DeadError{ID: t.ID, Type: t.Type, Reason: t.DeadReason, Attempt: t.Attempt, Failure: t.LastError}
	case task.Canceled:
		return &Error{Code: task.CodeConflict, State: task.Canceled, Message: "the task " + t.ID.String() + " was canceled"}
	}
	return nil
}

// DeadError is how a task ended that did not succeed.
type DeadError struct {
	ID      ID
	Type    string
	Reason  task.DeadReason
	Attempt int           // attempts that were spent
	Failure *task.Failure // the last one, nil if the task never ran
}

// Error implements error.
func (e *DeadError) Error() string {
	text := fmt.Sprintf("task %s (%s) is dead: %s after %d attempts", e.ID, e.Type, e.Reason, e.Attempt)
	if e.Failure != nil {
		text += ": " + e.Failure.Message
	}
	return text
}

// Wait returns the task once it has ended, wherever that happens: at once for
// an end on this node, within a second for others. It ends early with ctx and
// when the client is stopped; the task goes on then, and is returned as it was
// last seen, nil if it never was. The error wraps that of ctx.
func (c *Client) Wait(ctx context.Context, id ID) (*Task, error) { return c.wait(ctx, id, nil) }

// wait is Wait for a task that was last seen as given, nil for never.
func (c *Client) wait(ctx context.Context, id ID, seen *Task) (*Task, error) {
	if err := c.running(); err != nil {
		return seen, err
	}
	ended, forget := c.waiters.add(id)
	defer forget()
	look := firstLook
	timer := time.NewTimer(look)
	defer timer.Stop()
	for {
		t, err := c.backend.Get(ctx, id)
		switch {
		case err != nil && ctx.Err() != nil:
			return seen, waitedTooLong(ctx, id)
		case err != nil:
			return seen, err
		case t.State.Final():
			return t, nil
		}
		seen = t
		select {
		case <-ended:
			ended = nil
		case <-timer.C:
			look = min(2*look, lastLook)
			timer.Reset(look)
		case <-c.closed:
			return t, errStopped
		case <-ctx.Done():
			return t, waitedTooLong(ctx, id)
		}
	}
}

// waitedTooLong wraps the error of a context that ended before the task.
func waitedTooLong(ctx context.Context, id ID) error {
	return fmt.Errorf("waiting for task %s, which goes on: %w", id, ctx.Err())
}

// waiters are the calls of [Client.Wait], told about ends on this node.
type waiters struct {
	count atomic.Int64 // so that ends that nobody waits for cost no lock
	mu    sync.Mutex
	byID  map[ID][]chan struct{}
}

func newWaiters() *waiters { return &waiters{byID: make(map[ID][]chan struct{})} }

// add returns a channel that is closed at the next end of the task here.
func (w *waiters) add(id ID) (ended <-chan struct{}, forget func()) {
	channel := make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.byID[id] = append(w.byID[id], channel)
	w.count.Add(1)
	return channel, func() { w.forget(id, channel) }
}

func (w *waiters) forget(id ID, channel chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.byID[id]
	for i := range rest {
		if rest[i] == channel {
			w.byID[id] = append(rest[:i], rest[i+1:]...)
			w.count.Add(-1)
			break
		}
	}
	if len(w.byID[id]) == 0 {
		delete(w.byID, id)
	}
}

// tell wakes those who wait for the task, if any.
func (w *waiters) tell(id ID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, channel := range w.byID[id] {
		close(channel)
		w.count.Add(-1)
	}
	delete(w.byID, id)
}
