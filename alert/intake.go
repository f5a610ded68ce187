package alert

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// OnFailure returns the tasks that tell of the end of an attempt, for the
// transaction of that end: so an alert is on disk exactly if what it tells of
// is. It is nil where no rule holds or the alert is held back. It reads no
// store. The limit of attempts is 0 for none; alert is the [TaskRule] of the
// task, nil for none.
func (k *Keeper) OnFailure(s *store.Settlement, maxAttempts int, alert json.RawMessage) []store.Insert {
	if s.Task.Queue == Queue {
		return nil // an alert about alerts would go the way that does not work
	}
	b, on := k.book.Load(), OnRetry
	switch s.Outcome {
	case task.OutcomeDead:
		on = OnDead
	case task.OutcomeFailed:
	default:
		return nil
	}
	rules, own := b.rules[on], (*compiled)(nil)
	if len(alert) > 0 {
		own = k.tasks.of(alert)
	}
	if len(rules) == 0 && own == nil {
		return nil
	}
	o := Ended(s, maxAttempts)
	return k.raise(holding(own, rules, o), o)
}

// Tells reports whether a rule holds for the end of an attempt, in the terms of
// [Keeper.OnFailure]. It raises nothing.
func (k *Keeper) Tells(s *store.Settlement, maxAttempts int, alert json.RawMessage) bool {
	o := Ended(s, maxAttempts)
	if len(alert) > 0 {
		if own := k.tasks.of(alert); own != nil && own.holds(o) {
			return true
		}
	}
	return slices.ContainsFunc(k.book.Load().rules[o.On], func(rule *compiled) bool { return rule.holds(o) })
}

// raise is the task of an alert that rules ask for, unless this node holds it back.
func (k *Keeper) raise(rules []*compiled, o *Occurrence) []store.Insert {
	if len(rules) == 0 {
		return nil
	}
	askers := make([]asker, len(rules))
	for i, rule := range rules {
		askers[i] = rule.asker()
	}
	subject, ok := k.gates.passes(time.Now(), askers, o)
	if !ok {
		return nil
	}
	id := task.NewID(time.Now(), random{})
	payload := raised{Askers: askers, On: o.On, Held: o.tallies(), Message: rules[0].message(id, o)}
	payload.Message.Subject = subject
	insert, ok := k.insert(id, TypeRaise, payload, time.Time{})
	if !ok {
		k.dropped.Add(1)
		return nil
	}
	return []store.Insert{insert}
}

// random is the generator of package math/rand/v2, safe for concurrent use.
type random struct{}

func (random) Uint64() uint64 { return rand.Uint64() }

// alertPolicy is that of tasks that work out what to tell: they need the store
// only, so they go on until they have.
var alertPolicy = json.RawMessage(`{"unlimited": true, "backoff": {"kind": "exponential", "initial": "200ms", "multiplier": 2, "max": "30s", "jitter": "equal"}, "timeout": "30s", "budget": "none", "breaker": "none", "max_crashes": 10}`)

// insert makes a task in the queue of alerts; false if that is not there.
func (k *Keeper) insert(id task.ID, taskType string, payload any, at time.Time) (store.Insert, bool) {
	queue, ok := k.Node.Queue(Queue)
	if !ok || len(queue.Numbers) == 0 {
		k.Logger.Error("alert.no_queue", "queue", Queue)
		return store.Insert{}, false
	}
	body, err := json.Marshal(payload)
	if err != nil {
		k.Logger.Error("alert.unwritable", "error", err)
		return store.Insert{}, false
	}
	return store.Insert{Task: &task.Task{
		ID: id.WithLane(queue.Numbers[int(id[13])%len(queue.Numbers)]), Queue: Queue, Type: taskType, Target: taskType,
		Payload: body, State: task.Pending, Priority: task.DefaultPriority, RunAt: at, Spec: task.Spec{Retry: alertPolicy},
	}}, true
}

// Crashed takes the loss of a run.
func (k *Keeper) Crashed(r store.Recovered) {
	if r.Cause != "node left" && r.Queue != Queue && len(k.book.Load().rules[OnCrash]) > 0 {
		k.Happened(Crashed(&r, time.Now()))
	}
}

// BreakerChanged takes a change of a breaker on this node.
func (k *Keeper) BreakerChanged(target, was, state, cause string) {
	if len(k.book.Load().rules[OnBreaker]) > 0 {
		k.Happened(BreakerChanged(target, was, state, cause, time.Now()))
	}
}

// Attempted counts the end of an attempt. It is called for every attempt.
func (k *Keeper) Attempted(s *store.Settlement) {
	if s.Unstarted || s.Task.Queue == Queue || !k.book.Load().measures {
		return
	}
	category := ""
	if s.Failure != nil && (s.Outcome == task.OutcomeFailed || s.Outcome == task.OutcomeDead) {
		category = s.Failure.Category
	}
	k.windows.Add(s.Task.Type, s.Task.Target, category, s.Task.Attempt > 1, s.EndedAt.Sub(s.StartedAt))
}

// Happened takes an event that is no end of an attempt. It does not block: the
// alert is put on disk by a goroutine of the keeper, in milliseconds.
func (k *Keeper) Happened(o *Occurrence) {
	select {
	case k.events <- o:
	default:
		k.dropped.Add(1)
	}
}

func (k *Keeper) raiseEvents(ctx context.Context) {
	for {
		select {
		case o := <-k.events:
			k.raiseOne(ctx, o)
		case <-ctx.Done():
			return
		}
	}
}

// raiseOne enqueues the alerts of an event, and repeats that until it is done.
func (k *Keeper) raiseOne(ctx context.Context, o *Occurrence) {
	inserts := k.raise(holding(nil, k.book.Load().rules[o.On], o), o)
	if len(inserts) == 0 {
		return
	}
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		err := k.enqueue(ctx, inserts)
		if err == nil {
			return
		}
		k.Logger.Warn("alert.raise_failed", "on", string(o.On), "error", err)
		if !background.Sleep(ctx, pause) {
			k.dropped.Add(int64(len(inserts)))
			return
		}
	}
}

func (k *Keeper) enqueue(ctx context.Context, inserts []store.Insert) error {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	results, err := k.Backend.Enqueue(ctx, []store.Batch{{Items: inserts}})
	if err == nil {
		err = results[0].Err
	}
	if err == nil {
		k.wake(inserts)
	}
	return err
}

func (k *Keeper) wake(inserts []store.Insert) {
	lanes := make([]uint16, len(inserts))
	for i := range inserts {
		lanes[i] = inserts[i].Task.ID.Lane()
	}
	k.Node.Wake(lanes...)
}
