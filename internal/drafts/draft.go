// Package drafts checks tasks that are about to be enqueued and makes rows of them: those
// that callers hand in, and those that follow others.
package drafts

import (
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Draft is a task that is about to be enqueued; [outlast.Draft] says what its fields mean.
// Its own policy is Given as a value, or Retry, as it was written.
type Draft struct {
	ID           task.ID
	Type         string
	Queue        string
	Payload      []byte
	Delay        time.Duration
	RunAt        time.Time
	Priority     *int
	Key          string
	ShareKey     string
	DedupeKey    string
	DedupeWindow time.Duration
	Policy       string
	Given        *retry.Policy
	Retry        json.RawMessage
	MaxAttempts  *int
	Timeout      time.Duration
	Deadline     time.Time
	TTL          time.Duration
	Metadata     map[string]string
	Target       *task.Request
	Fallback     *task.Follow
	OnSuccess    *task.Follow
	OnDead       *task.Follow
	Alert        json.RawMessage
	TraceParent  string
	Group        task.ID
	Names        func(payload []byte) string // names its target where its type has no handler; nil for none
}

// IsPlain reports whether a draft names neither addresses nor channels nor other tasks.
func (d *Draft) IsPlain() bool {
	return d.Target == nil && d.Given == nil && len(d.Retry)+len(d.Alert) == 0 && d.Fallback == nil && d.OnSuccess == nil && d.OnDead == nil
}

// Follows yields the follow-up tasks with their paths.
func (d *Draft) Follows(yield func(path string, follow *task.Follow) bool) {
	_ = (d.Fallback == nil || yield("fallback", d.Fallback)) &&
		(d.OnSuccess == nil || yield("on_success", d.OnSuccess)) &&
		(d.OnDead == nil || yield("on_dead", d.OnDead))
}
