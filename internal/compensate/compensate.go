// Package compensate undoes what the steps of canceled tasks have done, where that was asked
// for. Who asks puts an order into the engine's own queue before the task is canceled; any
// node carries it out. So whoever is killed in between, the task is canceled, and undone.
package compensate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/outcome"
	"github.com/outlast-dev/outlast/internal/steps"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// order is the payload of a task that compensates another.
type order struct {
	Task    task.ID `json:"task"`
	Undone  int64   `json:"undone,omitempty"` // which life of it is meant, see [task.Spec]
	Actor   string  `json:"actor"`            // who asked, and from where
	Address string  `json:"address,omitempty"`
	Request string  `json:"request,omitempty"`
}

// policy lets an order go on until it has been carried out: it needs the store only.
var policy = json.RawMessage(`{"unlimited": true, "backoff": {"kind": "exponential", "initial": "200ms", "multiplier": 2, "max": "30s", "jitter": "equal"}, "timeout": "30s", "budget": "none", "breaker": "none", "max_crashes": 10}`)

// ID is the id of the order to compensate a task, in a queue that has lanes. There is one for
// each life of the task, so that an order is not given twice.
func ID(t *task.Task, queue *store.Queue) task.ID {
	from := task.Task{ID: t.ID, Claim: t.ID.Time().UnixMicro()}
	id := accept.FollowID(&from, task.FollowKind("order "+strconv.FormatInt(t.Spec.Undone, 10)))
	return id.WithLane(accept.LaneOf(queue, id, "", ""))
}

// Order makes the order to cancel and compensate a task, by whoever acts through ctx. The
// queue is [alerts.Queue], into which nobody but the engine puts tasks.
func Order(ctx context.Context, t *task.Task, queue *store.Queue) (store.Insert, error) {
	by := actor.Audit(ctx, "", "")
	payload, err := json.Marshal(order{Task: t.ID, Undone: t.Spec.Undone, Actor: by.Actor, Address: by.Address, Request: by.Request})
	return store.Insert{Task: &task.Task{
		ID: ID(t, queue), Queue: queue.Name, Type: alerts.TypeCompensate, Target: alerts.TypeCompensate,
		Payload: payload, State: task.Pending, Priority: task.DefaultPriority, Spec: task.Spec{Retry: policy, Parent: t.ID},
	}}, err
}

// Config is what carries orders out.
type Config struct {
	Backend store.Backend
	Logger  *slog.Logger
	// Cancel cancels a task, as people do.
	Cancel func(ctx context.Context, id task.ID) error
	// Undo makes the task that undoes a step, as the engine's does.
	Undo func(t *task.Task, step *task.Step) (store.Insert, bool)
	// Wake lets the owners of lanes look for tasks.
	Wake func(lanes ...uint16)
}

// look is how long an order waits before it looks at its task again.
const look = time.Second

// Handler carries out orders.
func Handler(of func() Config) engine.Handler {
	return func(ctx context.Context, run *engine.Run) ([]byte, error) {
		var o order
		err := json.Unmarshal(run.Task.Payload, &o)
		if run.Task.Queue != alerts.Queue {
			err = errors.New("a task of the type " + alerts.TypeCompensate + " outside of the queue " + alerts.Queue)
		}
		if err != nil {
			return nil, outcome.GiveUp(err)
		}
		config := of()
		done, err := config.carryOut(ctx, &o)
		if err != nil {
			return nil, err
		}
		return json.Marshal(done)
	}
}

// outcomeOf is the result of an order.
type outcomeOf struct {
	State    task.State `json:"state,omitempty"` // of the task, "" if it is not there any more
	Enqueued int        `json:"enqueued"`        // tasks that undo its steps
}

// carryOut does what the state of the task asks for. Each way leads to the same end if it is
// begun again.
func (c *Config) carryOut(ctx context.Context, o *order) (outcomeOf, error) {
	t, err := c.Backend.Get(ctx, o.Task)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		return outcomeOf{}, nil
	}
	if err != nil {
		return outcomeOf{}, err
	}
	if t.Spec.Undone != o.Undone { // it died, compensated itself, and was sent back
		return outcomeOf{State: t.State}, nil
	}
	switch t.State {
	case task.Pending, task.Running:
		return outcomeOf{}, c.cancel(ctx, o, t)
	case task.Canceled:
		n, err := c.undo(ctx, t)
		return outcomeOf{State: t.State, Enqueued: n}, err
	case task.Succeeded:
		c.Logger.Warn("compensate.too_late", "task", t.ID.String(), "type", t.Type)
	case task.Dead: // a death compensates itself
	}
	return outcomeOf{State: t.State}, nil
}

// cancel asks the task to end, and comes back when it may have. One that has ended meanwhile
// is looked at then, too.
func (c *Config) cancel(ctx context.Context, o *order, t *task.Task) error {
	if !t.CancelRequested {
		err := c.Cancel(actor.With(ctx, o.Actor, o.Address, o.Request), t.ID)
		if err != nil && !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			return err
		}
	}
	return outcome.Snooze(look)
}

// undo enqueues what undoes the steps of a canceled task, all or nothing. Their ids follow
// from the task, so that a repeat finds them there.
func (c *Config) undo(ctx context.Context, t *task.Task) (int, error) {
	stored, err := c.Backend.StepsOf(ctx, []task.ID{t.ID})
	if err != nil {
		return 0, err
	}
	undo, err := steps.ToUndo(t, stored)
	if err != nil || len(undo) == 0 {
		return 0, err
	}
	batch := store.Batch{Items: make([]store.Insert, len(undo))}
	lanes := make([]uint16, len(undo))
	for i := range undo {
		insert, ok := c.Undo(t, &undo[i])
		if !ok {
			return 0, fmt.Errorf("there is no queue %s for what undoes the steps of task %s", task.Quote(t.Queue), t.ID)
		}
		batch.Items[i], lanes[i] = insert, insert.Task.ID.Lane()
	}
	results, err := c.Backend.Enqueue(ctx, []store.Batch{batch})
	if err == nil {
		err = results[0].Err
	}
	if err != nil {
		return 0, err
	}
	c.Wake(lanes...)
	return len(undo), nil
}
