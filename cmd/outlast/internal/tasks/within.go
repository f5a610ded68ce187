package tasks

import (
	"context"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

const (
	// usualWithin is how long a command waits for the server's answer: longer than
	// the server tries to reach its store, so that its answer arrives.
	usualWithin = 15 * time.Second
	// silence is how long it waits without a word.
	silence = 2 * time.Second
)

// within does something that waits for the server, repeats included, for no longer
// than the limit, and says so when it takes long. The extra time is what the caller
// wants the server to wait, and again says how to repeat it.
func within(ctx context.Context, c *cli.Env, limit, extra time.Duration, again string, do func(ctx context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit+extra, &task.Error{
		Code: task.CodeUnavailable, Message: "no answer within " + (limit + extra).String(),
		Hint: "it may have been accepted: " + again,
	})
	defer cancel()
	var words sync.WaitGroup
	words.Go(func() {
		timer := time.NewTimer(silence + extra)
		defer timer.Stop()
		select {
		case <-timer.C:
			c.Say("waiting for the server, up to %s (--within); the same task is sent again if that may help", limit+extra)
		case <-ctx.Done():
		}
	})
	err := do(ctx)
	cancel()
	words.Wait()
	return err
}
