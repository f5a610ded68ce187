package scope

import (
	"context"
	"strings"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Outside is the error of who names a queue that its token is not for.
func Outside(t *inspect.Token, path string) error {
	return &task.Error{Code: task.CodeDenied, Message: "the token is limited to the queues " + strings.Join(t.Queues, ", ") + " only",
		Hint: "name one of them, or use another token", Fields: []task.Field{{Path: path, Message: "is not one of the token's queues"}}}
}

// Filter bounds a filter to the token's queues. It may name one of them only.
func Filter(ctx context.Context, filter store.Filter) (store.Filter, error) {
	t := Narrow(ctx)
	if t == nil {
		return filter, nil
	}
	if filter.Queue != "" && !t.Covers(filter.Queue) {
		return filter, Outside(t, "queue")
	}
	if filter.Queues = t.Queues; filter.Queue != "" {
		filter.Queues = []string{filter.Queue}
	}
	return filter, nil
}

// Within are the queues that a list is of: the one that is named, else the token's, else
// nil for all.
func Within(ctx context.Context, queue string) ([]string, error) {
	t := Narrow(ctx)
	switch {
	case queue != "" && t != nil && !t.Covers(queue):
		return nil, Outside(t, "queue")
	case queue != "":
		return []string{queue}, nil
	case t != nil:
		return t.Queues, nil
	}
	return nil, nil
}

// change is Filter for actions, which change all that a filter means: it must name one of
// the token's queues if that is for several.
func change(ctx context.Context, filter store.Filter) (store.Filter, error) {
	t := Narrow(ctx)
	if t != nil && filter.Queue == "" && len(t.Queues) == 1 {
		filter.Queue = t.Queues[0]
	}
	filter, err := Filter(ctx, filter)
	if t != nil && (err != nil || filter.Queue == "") {
		return filter, Outside(t, "filter.queue")
	}
	return filter, err
}
