package inspector

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/internal/bulk"
	"github.com/outlast-dev/outlast/internal/dead"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Operations is [inspect.Operations].
type Operations struct{ node *node }

func (ops *Operations) Get(ctx context.Context, id string, queues ...string) (*store.Operation, error) {
	operation, err := ops.node.Backend.Operation(ctx, id)
	if err == nil && len(queues) > 0 && !aboutOnly(operation, queues) {
		return nil, task.NotFound("operation", id)
	}
	return operation, err
}

func (ops *Operations) List(ctx context.Context, n int, queues ...string) ([]store.Operation, error) {
	if n < 0 || n > maxPage {
		return nil, task.Invalid("limit", "is outside 1 to 500", "0 means 100")
	}
	n = cmp.Or(n, 100)
	for most := n; ; most *= 4 { // what an operation is about, only its request tells
		all, err := ops.node.Backend.Operations(ctx, "", most)
		if err != nil {
			return nil, err
		}
		own, last := all, len(all) < most
		if len(queues) > 0 {
			own = slices.DeleteFunc(all, func(o store.Operation) bool { return !aboutOnly(&o, queues) })
		}
		if last || len(own) >= n {
			return own[:min(len(own), n)], nil
		}
	}
}

// aboutOnly reports whether an operation is about some of the queues, and no other:
// whoever sees one may stop it, for all that it is about.
func aboutOnly(operation *store.Operation, queues []string) bool {
	about := append(dead.QueuesOf(operation), bulk.QueuesOf(operation)...)
	return len(about) > 0 && !slices.ContainsFunc(about, func(queue string) bool { return !slices.Contains(queues, queue) })
}

func (ops *Operations) Progress(operation *store.Operation) inspect.OperationProgress {
	if p, ok := bulk.ProgressOf(operation); ok {
		return inspect.OperationProgress{Changed: p.Changed, Skipped: p.Skipped, Waiting: p.Waiting}
	}
	p, _ := dead.ProgressOf(operation)
	progress := inspect.OperationProgress{Sent: p.Sent, Skipped: p.Skipped, Waiting: p.Waiting}
	if r, _ := dead.RequestOf(operation); r != nil && dead.Watches(r) {
		progress.Watched, progress.Succeeded, progress.Failing = true, p.Succeeded, p.Failing
	}
	return progress
}

func (ops *Operations) RedriveItems(ctx context.Context, id string, page store.Page) (items []inspect.RedriveItem, next string, err error) {
	return ops.node.Letters.Redriver().Items(ctx, id, page)
}

func (ops *Operations) BulkItems(ctx context.Context, id string, page store.Page) (items []inspect.BulkItem, next string, err error) {
	return ops.node.Bulk.Items(ctx, id, page)
}

// controller pauses, resumes and cancels operations.
type controller interface {
	Pause(ctx context.Context, id string, audit store.Audit) (*store.Operation, error)
	Resume(ctx context.Context, id string, audit store.Audit) (*store.Operation, error)
	Cancel(ctx context.Context, id string, audit store.Audit) (*store.Operation, error)
}

// controllerOf finds who works on operations of the kind of this one.
func (ops *Operations) controllerOf(ctx context.Context, id string) (controller, error) {
	operation, err := ops.node.Backend.Operation(ctx, id)
	if err != nil {
		return nil, err
	}
	if bulk.Is(operation.Kind) {
		return ops.node.Bulk, nil
	}
	return ops.node.Letters.Redriver(), nil
}

func (ops *Operations) Pause(ctx context.Context, id string) (*store.Operation, error) {
	controller, err := ops.controllerOf(ctx, id)
	if err != nil {
		return nil, err
	}
	return controller.Pause(ctx, id, actor.Audit(ctx, "operation.pause", ""))
}

func (ops *Operations) Resume(ctx context.Context, id string) (*store.Operation, error) {
	controller, err := ops.controllerOf(ctx, id)
	if err != nil {
		return nil, err
	}
	return controller.Resume(ctx, id, actor.Audit(ctx, "operation.resume", ""))
}

func (ops *Operations) Cancel(ctx context.Context, id string) (*store.Operation, error) {
	controller, err := ops.controllerOf(ctx, id)
	if err != nil {
		return nil, err
	}
	return controller.Cancel(ctx, id, actor.Audit(ctx, "operation.cancel", ""))
}

// TaskGroups is [inspect.TaskGroups].
type TaskGroups struct{ node *node }

func (gs *TaskGroups) Create(ctx context.Context, group task.Group) (*task.Group, error) {
	if err := gs.node.TaskGroups.Check(ctx, &group); err != nil {
		return nil, err
	}
	if group.ID.IsZero() {
		group.ID = accept.NewID(time.Now())
	}
	said := actor.Audit(ctx, "task_group.create", taskGroup(group.ID))
	said.After = side(&group, task.GroupOpen)
	return gs.node.Backend.PutGroup(ctx, group, said)
}

// side is what the audit log says of a group: not what its callback carries.
func side(g *task.Group, state task.GroupState) []byte {
	text, _ := json.Marshal(map[string]string{"label": g.Label, "state": string(state), "callback": g.Callback.Type, "queue": g.Callback.Queue}) // it has a JSON form
	return text
}

func taskGroup(id task.ID) string { return "task-group/" + id.String() }

func (gs *TaskGroups) Get(ctx context.Context, id task.ID) (*task.Group, error) {
	return gs.node.Backend.Group(ctx, id)
}

func (gs *TaskGroups) List(ctx context.Context, state task.GroupState, before task.ID, limit int) ([]task.Group, error) {
	return gs.node.Backend.Groups(ctx, state, before, limit)
}

func (gs *TaskGroups) Close(ctx context.Context, id task.ID) (*task.Group, error) {
	was, err := gs.node.Backend.Group(ctx, id)
	if err != nil {
		return nil, err
	}
	said := actor.Audit(ctx, "task_group.close", taskGroup(id))
	said.Before, said.After = side(was, task.GroupOpen), side(was, task.GroupClosed)
	group, err := gs.node.Backend.CloseGroup(ctx, id, said)
	if err != nil || !group.Complete() {
		return group, err
	}
	if done, err := gs.node.TaskGroups.Finish(ctx, id); err == nil {
		return done, nil
	}
	return group, nil // a node will find it
}
