package enqueue

import (
	"context"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/task"
)

type queuesKey struct{}

// Within bounds what calls with the context may enqueue, follow-up tasks included, to some
// queues: anything else is refused with the code "denied".
func Within(ctx context.Context, queues ...string) context.Context {
	return context.WithValue(ctx, queuesKey{}, queues)
}

// within refuses a queue that is none of those.
func within(queues []string, path, queue string) error {
	if slices.Contains(queues, queue) {
		return nil
	}
	return &task.Error{Code: task.CodeDenied, Message: "the caller may enqueue in the queues " + strings.Join(queues, ", ") + " only",
		Hint: "name one of them, or use another token", Fields: []task.Field{{Path: path, Message: "is not one of them"}}}
}

// allowsGroup answers a group of tasks whose callback goes to another queue than those as if there were none.
func (e *Enqueuer) allowsGroup(ctx context.Context, queues []string, id task.ID) error {
	if id.IsZero() {
		return nil
	}
	group, err := e.backend.Group(ctx, id)
	if err == nil && !slices.Contains(queues, group.Callback.Queue) {
		return task.NotFound("group of tasks", id.String())
	}
	return err
}

// allowsDraft refuses a draft in another queue than those. Its queues are resolved; a follow-up task without one goes where its task is.
func allowsDraft(queues []string, d *drafts.Draft, prefix string) error {
	err := within(queues, prefix+"queue", d.Queue)
	for path, follow := range d.Follows {
		if err == nil && follow.Queue != "" {
			err = within(queues, prefix+path+".queue", follow.Queue)
		}
	}
	return err
}
