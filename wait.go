package outlast

import (
	"context"
	"fmt"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/task"
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
	return t, ended(t)
}

// ended is the error of a task that did not succeed.
func ended(t *Task) error {
	switch {
	case t == nil:
		return task.Invalid("task", "there is no task", "")
	case t.State == task.Dead:
		return &DeadError{ID: t.ID, Type: t.Type, Reason: t.DeadReason, Attempt: t.Attempt, Failure: t.LastError}
	case t.State == task.Canceled:
		return &Error{Code: task.CodeConflict, State: t.State, Message: "the task " + t.ID.String() + " was canceled"}
	case t.State != task.Succeeded:
		return &Error{Code: task.CodeConflict, State: t.State, Message: "the task " + t.ID.String() + " has not ended", Hint: "wait for it"}
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
// an end on this node, within a second for others. The client need not have started. It ends early with ctx and
// when the client is stopped; the task goes on then, and is returned as it was
// last seen, nil if it never was. The error wraps that of ctx.
func (c *Client) Wait(ctx context.Context, id ID) (*Task, error) { return c.wait(ctx, id, nil) }

// wait is Wait for a task that was last seen as given, nil for never.
func (c *Client) wait(ctx context.Context, id ID, seen *Task) (*Task, error) {
	if err := c.accepting(ctx, false); err != nil {
		return seen, err
	}
	return c.waiters.Wait(background.WithPace(ctx, c.options.Pace), id, seen)
}
