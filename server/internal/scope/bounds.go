package scope

import (
	"context"
	"errors"
	"slices"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Bounds tell which tasks are in the queues of a token.
type Bounds struct {
	nodes inspect.Nodes
	tasks inspect.Tasks
}

// NewBounds makes bounds that look at what there is.
func NewBounds(nodes inspect.Nodes, tasks inspect.Tasks) *Bounds { return &Bounds{nodes, tasks} }

// Check refuses the input of a route that a token for certain queues is not for.
func (b *Bounds) Check(ctx context.Context, to Scope, in any) error {
	t := Narrow(ctx)
	if t == nil {
		return nil
	}
	switch to {
	case ByTask:
		return b.Task(ctx, in.(ofTask).theTask())
	case ByQueue:
		if queue := in.(ofQueue).theQueue(); !t.Covers(queue) {
			return NoQueue(queue)
		}
	}
	return nil
}

// Task answers a task of another queue as if there were none.
func (b *Bounds) Task(ctx context.Context, id task.ID) error {
	if t := Narrow(ctx); t != nil {
		found, err := b.within(ctx, t, []task.ID{id})
		if err != nil {
			return err
		}
		if !found[id] {
			return task.NotFound("task", id.String())
		}
	}
	return nil
}

// View is a task as the bearer may see it: of a fallback or callback in another
// queue than the token's it has no more than the id.
func (b *Bounds) View(ctx context.Context, id task.ID) (*inspect.View, error) {
	view, err := b.tasks.Get(ctx, id)
	t := Narrow(ctx)
	if err != nil || t == nil {
		return view, err
	}
	follows := slices.DeleteFunc([]task.ID{view.FallbackTask, view.CallbackTask}, task.ID.IsZero)
	if len(follows) == 0 {
		return view, nil
	}
	found, err := b.within(ctx, t, follows)
	if err != nil {
		return nil, err
	}
	if !found[view.FallbackTask] {
		view.FallbackState, view.FallbackError = "", nil
	}
	if !found[view.CallbackTask] {
		view.CallbackState, view.CallbackError = "", nil
	}
	return view, nil
}

// Chosen bounds what a redrive, a purge or an action on tasks is about: by filter to the
// token's queues; of ids, those of other queues are given back apart, as if they were of
// no letters.
func (b *Bounds) Chosen(ctx context.Context, ids []task.ID, filter *store.Filter) (own []task.ID, bound *store.Filter, others []task.ID, err error) {
	t := Narrow(ctx)
	if t == nil {
		return ids, filter, nil, nil
	}
	if filter != nil {
		within, err := change(ctx, *filter)
		return nil, &within, nil, err
	}
	found, err := b.within(ctx, t, ids)
	for _, id := range ids {
		if found[id] {
			own = append(own, id)
		} else {
			others = append(others, id)
		}
	}
	return own, nil, others, err
}

// Own are the places of the tasks that are in the token's queues.
func (b *Bounds) Own(ctx context.Context, ids []task.ID) ([]bool, error) {
	own := make([]bool, len(ids))
	t := Narrow(ctx)
	if t == nil {
		for i := range own {
			own[i] = true
		}
		return own, nil
	}
	found, err := b.within(ctx, t, ids)
	for i, id := range ids {
		own[i] = found[id]
	}
	return own, err
}

// Queues are the token's queues that are there.
func (b *Bounds) Queues(ctx context.Context, t *inspect.Token) (names []string, err error) {
	topology, err := b.nodes.Topology(ctx)
	if err != nil {
		return nil, err
	}
	for i := range topology.Queues {
		if name := topology.Queues[i].Name; t.Covers(name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// within says which of the ids are of tasks in the token's queues. The lane of an
// id tells its queue, so that nothing is read but for queues that are new.
func (b *Bounds) within(ctx context.Context, t *inspect.Token, ids []task.ID) (map[task.ID]bool, error) {
	topology, err := b.nodes.Topology(ctx)
	if err != nil {
		return nil, err
	}
	queues := make(map[uint16]string, len(topology.Lanes))
	for i := range topology.Lanes {
		queues[topology.Lanes[i].Number] = topology.Lanes[i].Queue
	}
	found := make(map[task.ID]bool, len(ids))
	for _, id := range ids {
		queue, known := queues[id.Lane()]
		if !known {
			if queue, err = b.queueOf(ctx, id); err != nil {
				return nil, err
			}
		}
		found[id] = queue != "" && t.Covers(queue)
	}
	return found, nil
}

// queueOf reads the queue of a task, "" where there is no task.
func (b *Bounds) queueOf(ctx context.Context, id task.ID) (string, error) {
	row, err := b.tasks.Row(ctx, id)
	switch {
	case errors.Is(err, &task.Error{Code: task.CodeNotFound}):
		return "", nil
	case err != nil:
		return "", err
	}
	return row.Queue, nil
}
