package server

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

// ofTask and ofQueue are the inputs of routes with the scopes byTask and byQueue.
type (
	ofTask  interface{ theTask() task.ID }
	ofQueue interface{ theQueue() string }
)

func (in *taskID) theTask() task.ID    { return in.ID }
func (in *queueName) theQueue() string { return in.Name }

// inScope refuses what a token for certain queues is not for.
func (s *Server) inScope(ctx context.Context, to scope, in any) error {
	t := bearer(ctx)
	if t == nil || !t.Scoped() {
		return nil
	}
	switch to {
	case byTask:
		return s.coversTask(ctx, in.(ofTask).theTask())
	case byQueue:
		if queue := in.(ofQueue).theQueue(); !t.Covers(queue) {
			return noQueue(queue)
		}
	}
	return nil
}

// scoped is the token of a request that is for certain queues only, else nil.
func scoped(ctx context.Context) *token.Token {
	if t := bearer(ctx); t != nil && t.Scoped() {
		return t
	}
	return nil
}

// outside is the error of who names a queue that its token is not for.
func outside(t *token.Token, path string) error {
	return &task.Error{Code: task.CodeDenied, Message: "the token is for the queues " + strings.Join(t.Queues, ", ") + " only",
		Hint: "name one of them, or use another token", Fields: []task.Field{{Path: path, Message: "is not one of the token's queues"}}}
}

// coversTask answers a task of another queue as if there were none.
func (s *Server) coversTask(ctx context.Context, id task.ID) error {
	if t := scoped(ctx); t != nil {
		found, err := s.tasksOf(ctx, t, []task.ID{id})
		if err != nil {
			return err
		}
		if !found[id] {
			return task.NotFound("task", id.String())
		}
	}
	return nil
}

// tasksOf says which of the ids are of tasks in the token's queues. The lane of an
// id tells its queue, so that nothing is read but for queues that are new.
func (s *Server) tasksOf(ctx context.Context, t *token.Token, ids []task.ID) (map[task.ID]bool, error) {
	topology, err := s.inspect.Nodes.Topology(ctx)
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
			if queue, err = s.queueOf(ctx, id); err != nil {
				return nil, err
			}
		}
		found[id] = queue != "" && t.Covers(queue)
	}
	return found, nil
}

// queueOf reads the queue of a task, "" where there is no task.
func (s *Server) queueOf(ctx context.Context, id task.ID) (string, error) {
	view, err := s.inspect.Tasks.Get(ctx, id)
	switch {
	case errors.Is(err, &task.Error{Code: task.CodeNotFound}):
		return "", nil
	case err != nil:
		return "", err
	}
	return view.Queue, nil
}

// scopedFilter bounds a filter to the token's queues. It may name one of them only.
func scopedFilter(ctx context.Context, filter store.Filter) (store.Filter, error) {
	t := scoped(ctx)
	if t == nil {
		return filter, nil
	}
	if filter.Queue != "" && !t.Covers(filter.Queue) {
		return filter, outside(t, "queue")
	}
	if filter.Queues = t.Queues; filter.Queue != "" {
		filter.Queues = []string{filter.Queue}
	}
	return filter, nil
}

// scopedQueues are those that a list is of: the one that is named, else the token's,
// else nil for all.
func scopedQueues(ctx context.Context, queue string) ([]string, error) {
	t := scoped(ctx)
	switch {
	case queue != "" && t != nil && !t.Covers(queue):
		return nil, outside(t, "queue")
	case queue != "":
		return []string{queue}, nil
	case t != nil:
		return t.Queues, nil
	}
	return nil, nil
}

// boundFilter is for actions, which change all that a filter means: it must name one
// of the token's queues if that is for several.
func boundFilter(ctx context.Context, filter store.Filter) (store.Filter, error) {
	t := scoped(ctx)
	if t != nil && filter.Queue == "" && len(t.Queues) == 1 {
		filter.Queue = t.Queues[0]
	}
	filter, err := scopedFilter(ctx, filter)
	if t != nil && (err != nil || filter.Queue == "") {
		return filter, outside(t, "filter.queue")
	}
	return filter, err
}

// queuesOf are those that the token of a request is for, nil for all.
func queuesOf(ctx context.Context) []string {
	if t := scoped(ctx); t != nil {
		return t.Queues
	}
	return nil
}

// scopedLetters bounds what a redrive, a purge or an action on tasks is about: by filter to the token's
// queues; of ids, those of other queues are given back apart, as if they were of
// no letters.
func (s *Server) scopedLetters(ctx context.Context, ids []task.ID, filter *store.Filter) (own []task.ID, bound *store.Filter, others []task.ID, err error) {
	t := scoped(ctx)
	if t == nil {
		return ids, filter, nil, nil
	}
	if filter != nil {
		within, err := boundFilter(ctx, *filter)
		return nil, &within, nil, err
	}
	found, err := s.tasksOf(ctx, t, ids)
	for _, id := range ids {
		if found[id] {
			own = append(own, id)
		} else {
			others = append(others, id)
		}
	}
	return own, nil, others, err
}

// ownItems are the places of the items whose tasks are in the token's queues.
func (s *Server) ownItems(ctx context.Context, ids []task.ID) ([]bool, error) {
	own := make([]bool, len(ids))
	t := scoped(ctx)
	if t == nil {
		for i := range own {
			own[i] = true
		}
		return own, nil
	}
	found, err := s.tasksOf(ctx, t, ids)
	for i, id := range ids {
		own[i] = found[id]
	}
	return own, err
}

func idsOf[T any](items []T, id func(*T) task.ID) []task.ID {
	ids := make([]task.ID, len(items))
	for i := range items {
		ids[i] = id(&items[i])
	}
	return ids
}

// only returns the items at the places that are true.
func only[T any](items []T, own []bool) []T {
	if !slices.Contains(own, false) {
		return items
	}
	var chosen []T
	for i := range items {
		if own[i] {
			chosen = append(chosen, items[i])
		}
	}
	return chosen
}

// spread puts the results of [only] back in their places, and other in between.
func spread[T any](results []T, own []bool, other T) []T {
	if len(results) == len(own) {
		return results
	}
	all := make([]T, len(own))
	for i := range all {
		if all[i] = other; own[i] {
			all[i], results = results[0], results[1:]
		}
	}
	return all
}

// view is a task as the bearer may see it: of a fallback or callback in another
// queue than the token's it has no more than the id.
func (s *Server) view(ctx context.Context, id task.ID) (*inspect.View, error) {
	view, err := s.inspect.Tasks.Get(ctx, id)
	t := scoped(ctx)
	if err != nil || t == nil {
		return view, err
	}
	follows := slices.DeleteFunc([]task.ID{view.FallbackTask, view.CallbackTask}, task.ID.IsZero)
	if len(follows) == 0 {
		return view, nil
	}
	found, err := s.tasksOf(ctx, t, follows)
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
