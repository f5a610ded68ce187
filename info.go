package outlast

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/handlers"
	"github.com/outlast-dev/outlast/task"
)

// RunInfo is what a handler can know of its attempt.
type RunInfo struct {
	ID       ID
	Type     string
	Queue    string
	Key      string // ordering key, "" for none
	ShareKey string // "" for none
	Attempt  int    // from 1
	// Claim grows with every run of a task, crash re-runs included, and from
	// task to task of one key. Hand it to what the handler changes: a receiver
	// that remembers the largest can refuse a caller that is late.
	Claim       int64
	MaxAttempts int       // 0 for unlimited
	Deadline    time.Time // of all attempts together, zero for none
	Metadata    map[string]string
	TraceParent string
}

type runKey struct{}

// attemptContext is the context of a handler: that of the attempt, with what
// [Info], [ClientOf] and [Progress] need.
type attemptContext struct {
	context.Context
	run    *engine.Run
	client *Client
}

// Value implements [context.Context].
func (c *attemptContext) Value(key any) any {
	if key == (runKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Info returns what is known of the attempt that ctx belongs to; false outside
// of handlers. The metadata is a copy.
func Info(ctx context.Context) (RunInfo, bool) {
	of, ok := ctx.Value(runKey{}).(*attemptContext)
	if !ok {
		return RunInfo{}, false
	}
	run, t := of.run, of.run.Task
	return RunInfo{
		ID: t.ID, Type: t.Type, Queue: t.Queue, Key: t.Key, ShareKey: t.Spec.ShareKey,
		Attempt: t.Attempt, Claim: t.Claim, MaxAttempts: run.MaxAttempts, Deadline: run.Deadline,
		Metadata: maps.Clone(t.Spec.Metadata), TraceParent: t.Spec.TraceParent,
	}, true
}

// ClientOf is the client that runs the attempt that ctx belongs to, so that a handler can
// enqueue what follows; nil outside of handlers. Calls of a [Definition] refuse nil.
func ClientOf(ctx context.Context) *Client {
	if of, ok := ctx.Value(runKey{}).(*attemptContext); ok {
		return of.client
	}
	return nil
}

// Progress reports how far the attempt has come: any value that is JSON of at
// most 4 KiB. Tasks.Get of [Client.Inspector] shows the last one while the attempt runs, on
// the node that runs it; it is not written to the store. Outside of handlers
// it is an error.
func Progress(ctx context.Context, value any) error {
	of, ok := ctx.Value(runKey{}).(*attemptContext)
	if !ok {
		return noHandler()
	}
	text, err := json.Marshal(value)
	if err != nil {
		return task.Invalid("progress", "the value has no JSON form: "+err.Error(), "")
	}
	if len(text) > handlers.MaxProgress {
		return &Error{Code: task.CodeTooLarge, Message: "progress has more than 4 KiB"}
	}
	of.client.registry.Progress.Set(of.run.Task.ID, of.run.Task.Claim, text)
	return nil
}
