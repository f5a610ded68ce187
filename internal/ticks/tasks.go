// Package ticks makes the tasks of schedules.
package ticks

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Metadata that tasks of schedules have.
const (
	metadataSchedule = "outlast.schedule"
	metadataTick     = "outlast.tick"
)

// draft is the draft of a run of a schedule, by a tick or, with the zero
// time, by hand.
func draft(s *inspect.Schedule, tick time.Time) drafts.Draft {
	of := &s.Task
	d := drafts.Draft{
		Type: of.Type, Queue: of.Queue, Payload: of.Payload, Priority: of.Priority, Key: of.Key, ShareKey: of.ShareKey, Policy: of.Policy, Retry: of.Retry,
		MaxAttempts: of.MaxAttempts, Timeout: of.Timeout, TTL: of.TTL, Target: of.Target, Fallback: of.Fallback, OnSuccess: of.OnSuccess, OnDead: of.OnDead,
	}
	d.Metadata = maps.Clone(of.Metadata)
	if d.Metadata == nil {
		d.Metadata = map[string]string{}
	}
	d.Metadata[metadataSchedule] = s.Name
	if !tick.IsZero() {
		d.Metadata[metadataTick] = tick.UTC().Format(time.RFC3339Nano)
	}
	return d
}

// Tasks makes the tasks of schedules. It is safe for concurrent use.
type Tasks struct {
	backend  store.Backend
	prepare  Prepare
	identity installation
}

// Prepare validates a draft and makes its row. One that was promised was checked when its
// schedule was put.
type Prepare func(ctx context.Context, d drafts.Draft, prefix string, promised bool) (store.Insert, error)

// New makes what makes tasks of schedules.
func New(backend store.Backend, prepare Prepare) *Tasks {
	return &Tasks{backend: backend, prepare: prepare}
}

// Tick is the task of a tick. Its id and dedupe key follow from schedule
// and tick, whoever makes it and however often: so there is one. The id follows from
// the store too: receivers take equal ids for one task.
func (t *Tasks) Tick(ctx context.Context, s *inspect.Schedule, tick time.Time) (store.Insert, error) {
	d := draft(s, tick)
	d.DedupeKey = "outlast.schedule/" + s.Name + "/" + d.Metadata[metadataTick]
	installation, err := t.identity.of(ctx, t.backend)
	if err != nil {
		return store.Insert{}, err
	}
	sum := sha256.Sum256([]byte(installation + "/" + d.DedupeKey))
	random := accept.FixedRand(sum[:])
	d.ID = task.NewID(tick, &random)
	insert, err := t.prepare(ctx, d, "", true)
	if err != nil {
		return insert, err
	}
	insert.Task.RunAt, insert.Delay = accept.CeilMicro(tick), 0
	return insert, nil
}

// Run is the task of a schedule that runs now by hand, under an id.
func (t *Tasks) Run(ctx context.Context, s *inspect.Schedule, id task.ID) (store.Insert, error) {
	d := draft(s, time.Time{})
	d.ID = id
	return t.prepare(ctx, d, "", true)
}

// Check finds all that is wrong with a schedule.
func (t *Tasks) Check(ctx context.Context, s *inspect.Schedule) error {
	var wrong accept.Complaints
	wrong.Name("name", s.Name)
	schedules.Check(s, wrong.Add)
	for path, at := range map[string]time.Time{"start": s.Start, "at": s.At} {
		if !at.IsZero() {
			wrong.Moment(path, at, time.Now())
		}
	}
	for path, text := range map[string]json.RawMessage{"task.payload": s.Task.Payload, "task.retry": s.Task.Retry} {
		if len(text) > 0 && !json.Valid(text) {
			wrong.Add(path, "is not JSON", "a schedule is kept as JSON")
		}
	}
	d := draft(s, time.Unix(0, 0))
	if _, err := t.prepare(ctx, d, "task.", false); err != nil && !wrong.Collect(err) {
		return err
	}
	if err := wrong.Err("the schedule is invalid"); err != nil {
		return err
	}
	object, err := schedules.Object(s)
	if err == nil && len(object.Body) > store.MaxObject {
		wrong.Large("task", "the schedule", len(object.Body), store.MaxObject)
		return wrong.Err("the schedule is too large")
	}
	return err
}
