package outlast

import (
	"context"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// followed tells what became of the fallback and the callback of a task that has
// ended. What cannot be read, or is there no more, stays empty.
func (i *Inspector) followed(ctx context.Context, view *View) {
	if !view.Task.FallbackTask.IsZero() {
		if fallback, err := i.client.backend.Get(ctx, view.Task.FallbackTask); err == nil {
			view.FallbackState, view.FallbackError = fallback.State, fallback.LastError
		}
	}
	if callback := i.callback(ctx, view.Task); callback != nil {
		view.CallbackTask, view.CallbackState, view.CallbackError = callback.ID, callback.State, callback.LastError
	}
}

// mostLanes bounds the lanes in which a callback is looked for.
const mostLanes = 500

// callback is the task that tells of the end of t, nil for none. It has the id that the
// end gave it. It is looked for in the lane of the id, and, since lanes may have been
// added to its queue, in the others.
func (i *Inspector) callback(ctx context.Context, t *task.Task) *task.Task {
	var follow *task.Follow
	kind := task.FollowOnSuccess
	switch t.State {
	case task.Succeeded:
		follow = t.Spec.OnSuccess
	case task.Dead:
		follow, kind = t.Spec.OnDead, task.FollowOnDead
	}
	if follow == nil {
		return nil
	}
	id := accept.FollowID(t, kind)
	for _, name := range []string{follow.Queue, t.Queue} {
		queue, ok := i.client.engine.Queue(name)
		if !ok || len(queue.Numbers) == 0 {
			continue
		}
		if found, err := i.client.backend.Get(ctx, id.WithLane(accept.LaneOf(&queue, id, "", ""))); err == nil && found.Spec.Parent == t.ID {
			return found
		}
		filter := store.Filter{}
		for _, number := range queue.Numbers[:min(len(queue.Numbers), mostLanes)] {
			filter.IDs = append(filter.IDs, id.WithLane(number))
		}
		found, _, _ := i.client.backend.Find(ctx, filter, store.Page{Limit: mostLanes})
		for _, other := range found {
			if other.Spec.Parent == t.ID {
				return other
			}
		}
	}
	return nil
}
