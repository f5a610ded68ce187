package enqueue

import (
	"cmp"
	"context"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// CheckGroup completes a group of tasks that is to be made, and finds all that is wrong with it.
func (e *Enqueuer) CheckGroup(ctx context.Context, g *task.Group) error {
	wrong := accept.Complaints{Policies: e.policies.Set(), Channel: e.channels(ctx), Calls: e.calls(ctx)}
	if !g.ID.IsZero() && (g.ID[6]>>4 != 7 || g.ID[8]>>6 != 2) {
		wrong.Add("id", "is not a UUID of version 7", "make it with NewID, or leave it out")
	}
	if len(g.Label) > task.MaxLabel {
		wrong.Add("label", "is longer than 200 bytes", "it is for people: keep data in the payload of the callback")
	}
	wrong.Text("label", g.Label)
	g.Callback.Queue = cmp.Or(g.Callback.Queue, task.DefaultQueue)
	if g.Callback.Type == "" && g.Callback.HTTP != nil {
		g.Callback.Type = task.HTTPType
	}
	wrong.Follow("callback", g.Callback.Queue, &g.Callback)
	if accept.IsName(g.Callback.Queue) {
		e.QueueOf(ctx, &wrong, "callback.queue", g.Callback.Queue)
	}
	if len(g.Callback.Payload) > task.MaxPayload {
		wrong.Large("callback.payload", "the payload", len(g.Callback.Payload), task.MaxPayload)
	}
	if err := wrong.Err("the group of tasks is invalid"); err != nil {
		return err
	}
	if queues, bounded := ctx.Value(queuesKey{}).([]string); bounded {
		return within(queues, "callback.queue", g.Callback.Queue)
	}
	return nil
}

// Callback makes the callback of a group of tasks that is complete. Where its queue is not there any
// more it goes to the default one.
func (e *Enqueuer) Callback(g *task.Group) (store.Insert, error) {
	queue, ok := e.followQueue(&task.Task{ID: g.ID, Queue: task.DefaultQueue}, &g.Callback)
	if !ok {
		return store.Insert{}, &task.Error{Code: task.CodeUnavailable, Message: "there is no queue " + task.Quote(g.Callback.Queue) + " for the callback of a group of tasks", Hint: "create it"}
	}
	made, err := drafts.Callback(g, &queue)
	if err != nil {
		return store.Insert{}, err
	}
	if made.Target, err = e.handlers.TargetOf(made.Type, made.Payload, made.Spec.HTTP, nil); err != nil {
		e.logger.Error("follow.target_unnamed", "task", made.ID.String(), "error", err)
	}
	return store.Insert{Task: made}, nil
}
