package inspector

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func (ts *Tasks) View(ctx context.Context, tasks ...*task.Task) ([]*inspect.View, error) {
	views := make([]*inspect.View, len(tasks))
	why := whyWaiting{node: ts.node, now: time.Now()}
	for n, t := range tasks {
		waiting, err := why.of(ctx, t)
		if err != nil {
			return nil, err
		}
		view := &inspect.View{Task: t, Waiting: waiting.Why, NextCheck: waiting.Until, MissingKey: waiting.key, Held: waiting.held, MaxAttempts: t.Spec.MaxAttempts}
		if policy, name, err := ts.node.Policies.Of(t); err == nil {
			view.PolicyName, view.PolicyVersion, view.RetryPolicy = name, policy.Version(), policy
			if view.MaxAttempts == 0 || policy.IsOnce() {
				view.MaxAttempts = policy.MaxAttempts()
			}
		}
		if t.State == task.Running {
			view.Progress = ts.node.Progress(t)
			if task.Leased(t.Node) {
				view.LeaseUntil, view.Progress = ts.node.Memory.Lease(t)
			}
		}
		views[n] = view
	}
	return views, nil
}

func (ts *Tasks) one(ctx context.Context, t *task.Task) (*inspect.View, error) {
	views, err := ts.View(ctx, t)
	if err != nil {
		return nil, err
	}
	return views[0], nil
}

// followed tells what became of the fallback and the callback of a task that has
// ended. What cannot be read, or is there no more, stays empty.
func (ts *Tasks) followed(ctx context.Context, view *inspect.View) {
	if !view.Task.FallbackTask.IsZero() {
		if fallback, err := ts.node.Backend.Get(ctx, view.Task.FallbackTask); err == nil {
			view.FallbackState, view.FallbackError = fallback.State, fallback.LastError
		}
	}
	if callback := ts.callback(ctx, view.Task); callback != nil {
		view.CallbackTask, view.CallbackState, view.CallbackError = callback.ID, callback.State, callback.LastError
	}
}

// mostLanes bounds the lanes in which a callback is looked for.
const mostLanes = 500

// callback is the task that tells of the end of t, nil for none. It has the id that the
// end gave it. It is looked for in the lane of the id, and, since lanes may have been
// added to its queue, in the others.
func (ts *Tasks) callback(ctx context.Context, t *task.Task) *task.Task {
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
		queue, ok := ts.node.Fleet.Queue(name)
		if !ok || len(queue.Numbers) == 0 {
			continue
		}
		if found, err := ts.node.Backend.Get(ctx, id.WithLane(accept.LaneOf(&queue, id, "", ""))); err == nil && found.Spec.Parent == t.ID {
			return found
		}
		filter := store.Filter{}
		for _, number := range queue.Numbers[:min(len(queue.Numbers), mostLanes)] {
			filter.IDs = append(filter.IDs, id.WithLane(number))
		}
		found, _, _ := ts.node.Backend.Find(ctx, filter, store.Page{Limit: mostLanes})
		for _, other := range found {
			if other.Spec.Parent == t.ID {
				return other
			}
		}
	}
	return nil
}
