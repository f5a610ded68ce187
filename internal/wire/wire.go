// Package wire gives tasks, attempts and what belongs to them the form that they have in the
// API, which is that of package client, and takes it back from what callers send.
package wire

import (
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
)

// Each is a list in the form of the API: empty, and not null, where there is none.
func Each[T, O any](list []T, form func(*T) O) []O {
	out := make([]O, len(list))
	for i := range list {
		out[i] = form(&list[i])
	}
	return out
}

// Time is a time in the API.
func Time(t time.Time) client.Time { return client.Time{Time: t} }

// QueueCounts are the tasks of a queue.
func QueueCounts(s inspect.QueueStats) *client.QueueCounts {
	return &client.QueueCounts{Pending: s.Pending, Parked: s.Parked, Running: s.Running, Dead: s.Dead}
}
