package badinput

import (
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/serving"
	"github.com/outlast-dev/outlast/task"
)

// goDraft is the draft that a Go program would write for a body.
func goDraft(d *client.Draft) outlast.Draft {
	draft := outlast.Draft{
		ID: d.ID, Type: d.Type, Queue: d.Queue, Payload: d.Payload,
		Delay: time.Duration(d.Delay), RunAt: d.RunAt.Time, Priority: d.Priority,
		Key: d.Key, DedupeKey: d.DedupeKey, DedupeWindow: time.Duration(d.DedupeWindow),
		Policy: d.Policy, MaxAttempts: d.MaxAttempts, Timeout: time.Duration(d.Timeout),
		Deadline: d.Deadline.Time, TTL: time.Duration(d.TTL), Metadata: d.Metadata, Target: goTarget(d.Target),
		Fallback: goFollow(d.Fallback), OnSuccess: goFollow(d.OnSuccess), OnDead: goFollow(d.OnDead),
		Alert: d.Alert, TraceParent: d.TraceParent,
	}
	serving.SetRetry(&draft, d.Retry)
	return draft
}

func goTarget(t *client.Target) *task.Request {
	if t == nil {
		return nil
	}
	return &task.Request{URL: t.URL, Method: t.Method, Headers: t.Headers, Success: t.Success}
}

func goFollow(f *client.Follow) *task.Follow {
	if f == nil {
		return nil
	}
	return &task.Follow{Type: f.Type, Queue: f.Queue, Policy: f.Policy, Payload: f.Payload, HTTP: goTarget(f.Target)}
}
