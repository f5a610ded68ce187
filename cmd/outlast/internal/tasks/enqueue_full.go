package tasks

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/task"
)

const (
	// longestLook is how long a command that waits for a place in a full queue does
	// not look: places may be free sooner than the server can tell.
	longestLook = 5 * time.Second
	// soonestLook is how long it does not look at least, whatever the server says.
	soonestLook = 100 * time.Millisecond
	// lastLook is how long before its time is over it looks no more, so that it ends
	// with an answer.
	lastLook = 500 * time.Millisecond
)

// enqueueWithin does an enqueue that waits for the server as [within] does, and
// for a place in a full queue if --within was written out.
func enqueueWithin(ctx context.Context, c *cli.Env, f *enqueueFlags, again string, do func(ctx context.Context) error) error {
	end := time.Now()
	if f.cmd.Flags().Changed("within") {
		end = end.Add(f.within)
	}
	return within(ctx, c, f.within, f.wait, again, func(ctx context.Context) error {
		for {
			err := do(ctx)
			refused, full := err.(*client.Error) //nolint:errorlint // beside a try without an answer it is wrapped, and not definite
			if !full || refused.Code != task.CodeQueueFull {
				return err
			}
			left := time.Until(end)
			if left < lastLook || !background.Sleep(ctx, max(min(time.Duration(refused.RetryAfter), longestLook, left/2), soonestLook)) {
				return definite(refused)
			}
		}
	})
}

// definite says of the refusal of a full queue what callers want to know.
func definite(refused *client.Error) error {
	if refused.Code != task.CodeQueueFull {
		return refused
	}
	message := "nothing was accepted: " + refused.Detail
	if wait := time.Duration(refused.RetryAfter); wait > 0 {
		message += "; there may be room in " + wait.String()
	}
	return &task.Error{Code: refused.Code, Message: message, Hint: refused.Hint}
}
