package outlast

import (
	"context"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/task"
)

// WithActor names who acts through calls with the context, for the audit log:
// the name of a token or program, its address and the id of its request. Without
// it, "library" acts.
func WithActor(ctx context.Context, name, address, request string) context.Context {
	return actor.With(ctx, name, address, request)
}

type queuesKey struct{}

// WithinQueues bounds what calls with the context may enqueue, follow-up tasks
// included, to some queues: anything else is refused with the code "denied".
// Servers use it for tokens that are for certain queues.
func WithinQueues(ctx context.Context, queues ...string) context.Context {
	return context.WithValue(ctx, queuesKey{}, queues)
}

// within refuses a queue that is none of those.
func within(queues []string, path, queue string) error {
	if slices.Contains(queues, queue) {
		return nil
	}
	return &Error{Code: task.CodeDenied, Message: "the caller may enqueue in the queues " + strings.Join(queues, ", ") + " only",
		Hint: "name one of them, or use another token", Fields: []task.Field{{Path: path, Message: "is not one of them"}}}
}

// allowsDraft refuses a draft in another queue than those. Its queues are resolved; a follow-up task without one goes where its task is.
func allowsDraft(queues []string, d *Draft, prefix string) error {
	err := within(queues, prefix+"queue", d.Queue)
	for path, follow := range d.follows {
		if err == nil && follow.Queue != "" {
			err = within(queues, prefix+path+".queue", follow.Queue)
		}
	}
	return err
}
