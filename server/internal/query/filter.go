package query

import (
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// TaskFilterOf is what a filter of tasks asks for, nil for none.
func TaskFilterOf(f *client.TaskFilter) *store.Filter {
	if f == nil {
		return nil
	}
	return &store.Filter{
		State: task.State(f.State), Type: f.Type, Queue: f.Queue, Key: f.Key, Category: f.Category, Trace: f.Trace, Since: f.Since.Time,
		Until: f.Until.Time, FailedSince: f.FailedSince.Time, FailedUntil: f.FailedUntil.Time, Target: f.Target, AttemptMin: f.AttemptMin, Metadata: f.Metadata, Search: f.Q,
	}
}

// TaskFilter is the counterpart of [TaskFilterOf].
func TaskFilter(f *store.Filter) *client.TaskFilter {
	if f == nil {
		return nil
	}
	return &client.TaskFilter{
		State: string(f.State), Type: f.Type, Queue: f.Queue, Key: f.Key, Category: f.Category, Trace: f.Trace, Since: timeOf(f.Since),
		Until: timeOf(f.Until), FailedSince: timeOf(f.FailedSince), FailedUntil: timeOf(f.FailedUntil), Target: f.Target, AttemptMin: f.AttemptMin, Metadata: f.Metadata, Q: f.Search,
	}
}

// DeadFilterOf is what a filter of dead letters asks for, nil for none.
func DeadFilterOf(f *client.DeadFilter) *store.Filter {
	if f == nil {
		return nil
	}
	return &store.Filter{
		Type: f.Type, Queue: f.Queue, Key: f.Key, Category: f.Category, Trace: f.Trace, Since: f.Since.Time,
		Until: f.Until.Time, Reason: task.DeadReason(f.Reason), Fingerprint: f.Fingerprint, DiedBefore: f.DiedBefore.Time, FailedSince: f.FailedSince.Time, FailedUntil: f.FailedUntil.Time,
		Target: f.Target, AttemptMin: f.AttemptMin, Metadata: f.Metadata, Search: f.Q,
	}
}

// DeadFilter is the counterpart of [DeadFilterOf].
func DeadFilter(f *store.Filter) *client.DeadFilter {
	if f == nil {
		return nil
	}
	return &client.DeadFilter{
		Type: f.Type, Queue: f.Queue, Key: f.Key, Category: f.Category, Trace: f.Trace, Since: timeOf(f.Since),
		Until: timeOf(f.Until), Reason: string(f.Reason), Fingerprint: f.Fingerprint, DiedBefore: timeOf(f.DiedBefore), FailedSince: timeOf(f.FailedSince), FailedUntil: timeOf(f.FailedUntil),
		Target: f.Target, AttemptMin: f.AttemptMin, Metadata: f.Metadata, Q: f.Search,
	}
}

func timeOf(t time.Time) client.Time { return client.Time{Time: t} }
