package enqueue

import (
	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Follow makes the fallback or callback of a task that ends, in the form of
// [engine.Registry].
func (e *Enqueuer) Follow(t *task.Task, follow *task.Follow, kind task.FollowKind, end *store.Settlement) (store.Insert, bool) {
	if kind == task.FollowFallback && t.Spec.Depth+1 > task.MaxFallbackDepth {
		e.logger.Warn("follow.too_deep", "task", t.ID.String(), "depth", t.Spec.Depth)
		return store.Insert{}, false
	}
	queue, ok := e.followQueue(t, follow)
	if !ok {
		return store.Insert{}, false
	}
	made := drafts.Follow(t, follow, kind, end, &queue)
	var err error
	if made.Target, err = e.handlers.TargetOf(made.Type, made.Payload, made.Spec.HTTP, nil); err != nil {
		e.logger.Error("follow.target_unnamed", "task", t.ID.String(), "error", err)
	}
	if kind == task.FollowFallback {
		// The dead letter names its fallback. Others may be reading t.
		dying := *t
		dying.FallbackTask = made.ID
		end.Task = &dying
	}
	return store.Insert{Task: made}, true
}

// Undo makes the task that undoes a step of a task that dies, in the form of
// [engine.Registry].
func (e *Enqueuer) Undo(t *task.Task, step *task.Step) (store.Insert, bool) {
	queue, ok := e.engine.Queue(t.Queue)
	if !ok || len(queue.Numbers) == 0 {
		return store.Insert{}, false
	}
	made := drafts.Undo(t, step, &queue)
	var err error
	if made.Target, err = e.handlers.TargetOf(made.Type, made.Payload, nil, nil); err != nil {
		e.logger.Error("follow.target_unnamed", "task", t.ID.String(), "error", err)
	}
	return store.Insert{Task: made}, true
}

// followQueue is the queue named, else that of the followed task.
func (e *Enqueuer) followQueue(t *task.Task, follow *task.Follow) (store.Queue, bool) {
	if follow.Queue != "" {
		if queue, ok := e.engine.Queue(follow.Queue); ok && len(queue.Numbers) > 0 {
			return queue, true
		}
		e.logger.Warn("follow.queue_unknown", "task", t.ID.String(), "queue", follow.Queue)
	}
	queue, ok := e.engine.Queue(t.Queue)
	return queue, ok && len(queue.Numbers) > 0
}
