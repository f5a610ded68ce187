package drafts

import (
	"crypto/sha256"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Row makes the row of a valid draft. policyOf finds the policy of a task.
func (d *Draft) Row(queue *store.Queue, target string, now time.Time, policyOf func(*task.Task) (*retry.Policy, error)) store.Insert {
	id := d.ID
	if id.IsZero() {
		id = accept.NewID(now)
	}
	t := &task.Task{
		ID:       id.WithLane(accept.LaneOf(queue, id, d.Key, d.DedupeKey)),
		Queue:    d.Queue,
		Type:     d.Type,
		Payload:  d.Payload,
		Priority: task.DefaultPriority,
		Key:      d.Key,
		Target:   target,
		Policy:   d.Policy,
		Spec:     d.spec(now),
	}
	if d.Priority != nil {
		t.Priority = *d.Priority
	}
	insert := store.Insert{Task: t, Delay: d.Delay}
	if d.RunAt.After(now) {
		t.RunAt = accept.CeilMicro(d.RunAt)
	} else if d.Delay == 0 && d.RunAt.IsZero() {
		if policy, err := policyOf(t); err == nil {
			insert.Delay = policy.FirstRunAfter()
		}
	}
	if d.DedupeKey != "" {
		insert.Dedupe = &store.Dedupe{Lane: accept.KeyLane(queue, d.DedupeKey), Key: d.DedupeKey, Window: t.Spec.DedupeWindow, Content: d.content()}
	}
	return insert
}

// spec is what the store keeps as one value.
func (d *Draft) spec(now time.Time) task.Spec {
	s := task.Spec{
		Timeout:      d.Timeout,
		Metadata:     maps.Clone(d.Metadata),
		HTTP:         d.Target,
		ShareKey:     d.ShareKey,
		DedupeKey:    d.DedupeKey,
		DedupeWindow: d.DedupeWindow,
		TraceParent:  d.TraceParent,
		Fallback:     d.Fallback,
		OnSuccess:    d.OnSuccess,
		OnDead:       d.OnDead,
		Group:        d.Group,
	}
	if !Absent(d.Retry) {
		s.Retry = slices.Clone(d.Retry)
	}
	if s.DedupeKey != "" && s.DedupeWindow == 0 {
		s.DedupeWindow = task.DefaultDedupeWindow
	}
	if !Absent(d.Alert) {
		s.Alert = slices.Clone(d.Alert)
	}
	if d.MaxAttempts != nil {
		s.MaxAttempts = *d.MaxAttempts
	}
	switch {
	case !d.Deadline.IsZero():
		s.Deadline = accept.CeilMicro(d.Deadline)
	case d.TTL > 0:
		s.Deadline = accept.CeilMicro(now.Add(d.TTL))
	}
	if d.Target != nil {
		request := *d.Target
		request.Headers = maps.Clone(request.Headers)
		s.HTTP = &request
	}
	return s
}

// content is the hash of what two drafts with one dedupe key must agree on:
// type, payload, target, ordering key and time as sent.
func (d *Draft) content() (sum [16]byte) {
	h := sha256.New()
	accept.HashText(h, d.Type)
	accept.HashText(h, string(d.Payload))
	if d.Target != nil {
		accept.HashText(h, d.Target.URL)
		accept.HashText(h, d.Target.Method)
		for _, name := range slices.Sorted(maps.Keys(d.Target.Headers)) {
			accept.HashText(h, name)
			accept.HashText(h, d.Target.Headers[name])
		}
		if d.Target.Success != "" {
			accept.HashText(h, "success:"+d.Target.Success)
		}
	}
	accept.HashText(h, "key:"+d.Key)
	accept.HashNumber(h, int64(d.Delay))
	if !d.RunAt.IsZero() {
		accept.HashNumber(h, d.RunAt.UnixMicro())
	}
	copy(sum[:], h.Sum(nil))
	return sum
}
