package outlast

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"maps"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/schedule"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Metadata that tasks of schedules have.
const (
	metadataSchedule = "outlast.schedule"
	metadataTick     = "outlast.tick"
)

// scheduled is the draft of a run of a schedule, by a tick or, with the zero
// time, by hand.
func scheduled(s *schedule.Schedule, tick time.Time) Draft {
	t := &s.Task
	d := Draft{
		Type: t.Type, Queue: t.Queue, Payload: t.Payload, Priority: t.Priority, Key: t.Key, Policy: t.Policy, Retry: t.Retry,
		MaxAttempts: t.MaxAttempts, Timeout: t.Timeout, TTL: t.TTL, Target: t.Target, Fallback: t.Fallback, OnSuccess: t.OnSuccess, OnDead: t.OnDead,
		promised: true,
	}
	d.Metadata = maps.Clone(t.Metadata)
	if d.Metadata == nil {
		d.Metadata = map[string]string{}
	}
	d.Metadata[metadataSchedule] = s.Name
	if !tick.IsZero() {
		d.Metadata[metadataTick] = tick.UTC().Format(time.RFC3339Nano)
	}
	return d
}

// tickTask is the task of a tick. Its id and dedupe key follow from schedule
// and tick, whoever makes it and however often: so there is one. The id follows from
// the store too: receivers take equal ids for one task.
func (c *Client) tickTask(ctx context.Context, s *schedule.Schedule, tick time.Time) (store.Insert, error) {
	d := scheduled(s, tick)
	d.DedupeKey = "outlast.schedule/" + s.Name + "/" + d.Metadata[metadataTick]
	installation, err := c.identity.of(ctx, c.backend)
	if err != nil {
		return store.Insert{}, err
	}
	sum := sha256.Sum256([]byte(installation + "/" + d.DedupeKey))
	random := accept.FixedRand(sum[:])
	d.ID = task.NewID(tick, &random)
	insert, err := c.prepare(ctx, d, "")
	if err != nil {
		return insert, err
	}
	insert.Task.RunAt, insert.Delay = accept.CeilMicro(tick), 0
	return insert, nil
}

// ticked is told what the ticker does.
func (c *Client) ticked(e schedule.Event) {
	c.metrics.ticked(e)
	if e.Kind == schedule.Missed {
		c.alerts.Happened(alert.ScheduleMissed(e.Schedule, e.Count, time.Now()))
	}
}

// checkSchedule finds all that is wrong with a schedule.
func (c *Client) checkSchedule(ctx context.Context, s *schedule.Schedule) error {
	var wrong accept.Complaints
	wrong.Name("name", s.Name)
	s.Check(wrong.Add)
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
	d := scheduled(s, time.Unix(0, 0))
	d.promised = false
	if _, err := c.prepare(ctx, d, "task."); err != nil && !wrong.Collect(err) {
		return err
	}
	if err := wrong.Err("the schedule is invalid"); err != nil {
		return err
	}
	object, err := s.Object()
	if err == nil && len(object.Body) > store.MaxObject {
		wrong.Large("task", "the schedule", len(object.Body), store.MaxObject)
		return wrong.Err("the schedule is too large")
	}
	return err
}
