package keeper

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// random is the generator of package math/rand/v2, safe for concurrent use.
type random struct{}

func (random) Uint64() uint64 { return rand.Uint64() }

// alertPolicy is that of tasks that work out what to tell: they need the store
// only, so they go on until they have.
var alertPolicy = json.RawMessage(`{"unlimited": true, "backoff": {"kind": "exponential", "initial": "200ms", "multiplier": 2, "max": "30s", "jitter": "equal"}, "timeout": "30s", "budget": "none", "breaker": "none", "max_crashes": 10}`)

// insert makes a task in the queue of alerts; false if that is not there.
func (l *ledger) insert(id task.ID, taskType string, payload any, at time.Time) (store.Insert, bool) {
	queue, ok := l.Node.Queue(alerts.Queue)
	if !ok || len(queue.Numbers) == 0 {
		l.Logger.Error("alert.no_queue", "queue", alerts.Queue)
		return store.Insert{}, false
	}
	body, err := json.Marshal(payload)
	if err != nil {
		l.Logger.Error("alert.unwritable", "error", err)
		return store.Insert{}, false
	}
	return store.Insert{Task: &task.Task{
		ID: id.WithLane(queue.Numbers[int(id[13])%len(queue.Numbers)]), Queue: alerts.Queue, Type: taskType, Target: taskType,
		Payload: body, State: task.Pending, Priority: task.DefaultPriority, RunAt: at, Spec: task.Spec{Retry: alertPolicy},
	}}, true
}

// callTime bounds a call of the store.
const callTime = 10 * time.Second

func (l *ledger) enqueue(ctx context.Context, inserts []store.Insert) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	results, err := l.Backend.Enqueue(ctx, []store.Batch{{Items: inserts}})
	if err == nil {
		err = results[0].Err
	}
	if err == nil {
		l.wake(inserts)
	}
	return err
}

func (l *ledger) wake(inserts []store.Insert) {
	lanes := make([]uint16, len(inserts))
	for i := range inserts {
		lanes[i] = inserts[i].Task.ID.Lane()
	}
	l.Node.Wake(lanes...)
}
