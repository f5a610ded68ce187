package outlast

import (
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Draft is a task that is about to be enqueued. Zero fields take their
// defaults. Nothing in it is kept or changed by the calls that take it.
type Draft struct {
	// ID may be made by the caller (with [NewID]), so that an enqueue of
	// unknown outcome can be repeated: the same id with the same content
	// answers with the first task. Its last 16 bits are replaced by the lane.
	// The zero ID means that one is made here.
	ID ID
	// Type selects the handler: 1 to 128 of A-Z a-z 0-9 . _ : -. It is
	// required, except that a draft with a Target has "http".
	Type string
	// Queue is "default" when empty. It must exist.
	Queue string
	// Payload is what the handler gets, byte for byte; at most 1 MiB. Typed
	// handlers want JSON.
	Payload []byte

	// Delay, or RunAt, says when the task may run first: not both. Zero, or a
	// time that has passed, means at once. Neither is more than 10 years.
	Delay time.Duration
	RunAt time.Time
	// Priority is 0 (lowest) to 9; nil means 5.
	Priority *int
	// Key is the ordering key: tasks of one queue with the same key run one
	// at a time in the order of their acceptance. "" means none. At most 512
	// bytes of UTF-8 without control characters, as for DedupeKey.
	Key string
	// ShareKey says whose the task is, such as a customer: starts of a queue go round the
	// share keys, so that one with a backlog delays no other. Tasks with "" are one share.
	// At most as long as Key.
	ShareKey string
	// DedupeKey makes a repeat with the same content, in the same queue and
	// within DedupeWindow, return the first task. "" means none.
	DedupeKey string
	// DedupeWindow counts from acceptance; 0 means 24 h.
	DedupeWindow time.Duration

	// Policy names the retry policy; "" leaves it to the type, the queue and
	// the default, in this order.
	Policy string
	// Retry is a policy of the task's own, which replaces every other one as a
	// whole; nil means none. It is stored with the task, in the form of
	// [retry.Spec]: one with parts that cannot be written, such as rules by Go
	// type or guards of calls, is refused, by their names; see
	// [retry.Policy.Spec]. The handler's policy, given by [Retry], may have
	// them. Breaker and budget may be off, for this task; settings of a target's
	// come from policies with a name.
	Retry *retry.Policy
	// MaxAttempts overrides the policy's limit, the first attempt included;
	// nil keeps it, 1 turns retries off, 0 is refused.
	MaxAttempts *int
	// Timeout limits one attempt, 1 ms to 24 h; 0 keeps the policy's.
	Timeout time.Duration
	// Deadline, or TTL counted from acceptance, ends all attempts together:
	// not both. Zero means none.
	Deadline time.Time
	TTL      time.Duration

	// Metadata is for people and filters: at most 64 pairs and 16 KiB.
	Metadata map[string]string
	// Target is the HTTP request that the task makes; nil for a Go handler.
	Target *task.Request
	// Fallback and OnDead are enqueued in the transaction in which the task
	// dies, OnSuccess in that in which it succeeds.
	Fallback  *task.Follow
	OnSuccess *task.Follow
	OnDead    *task.Follow
	// Alert says when to tell people about this task, in the form of
	// [alert.TaskRule], instead of what its type or policy says; nil for that.
	Alert json.RawMessage
	// TraceParent is the W3C trace context of the caller, "" for none.
	TraceParent string
	// Group is the [Group] that the task is a member of; zero for none. A member has no
	// DedupeKey.
	Group ID

	made made
}

// made is what no caller sets of a draft.
type made struct {
	target func(payload []byte) string // of the definition, for those without its handler
	retry  json.RawMessage             // in place of Retry: as a server was given it
}

// plain is the draft in the form in which it is checked.
func (d *Draft) plain() drafts.Draft {
	return drafts.Draft{
		ID: d.ID, Type: d.Type, Queue: d.Queue, Payload: d.Payload, Delay: d.Delay, RunAt: d.RunAt, Priority: d.Priority,
		Key: d.Key, ShareKey: d.ShareKey, DedupeKey: d.DedupeKey, DedupeWindow: d.DedupeWindow, Policy: d.Policy, Given: d.Retry, Retry: d.made.retry,
		MaxAttempts: d.MaxAttempts, Timeout: d.Timeout, Deadline: d.Deadline, TTL: d.TTL, Metadata: d.Metadata, Target: d.Target,
		Fallback: d.Fallback, OnSuccess: d.OnSuccess, OnDead: d.OnDead, Alert: d.Alert, TraceParent: d.TraceParent, Group: d.Group, Names: d.made.target,
	}
}

// draftOf is the counterpart of plain.
func draftOf(d drafts.Draft) Draft {
	return Draft{
		ID: d.ID, Type: d.Type, Queue: d.Queue, Payload: d.Payload, Delay: d.Delay, RunAt: d.RunAt, Priority: d.Priority,
		Key: d.Key, ShareKey: d.ShareKey, DedupeKey: d.DedupeKey, DedupeWindow: d.DedupeWindow, Policy: d.Policy, Retry: d.Given,
		MaxAttempts: d.MaxAttempts, Timeout: d.Timeout, Deadline: d.Deadline, TTL: d.TTL, Metadata: d.Metadata, Target: d.Target,
		Fallback: d.Fallback, OnSuccess: d.OnSuccess, OnDead: d.OnDead, Alert: d.Alert, TraceParent: d.TraceParent, Group: d.Group, made: made{d.Names, d.Retry},
	}
}

// CallOption changes a call of a [Definition]; of several the last holds. Any function
// that sets fields of the draft is one. Given to [Define] it holds for all calls.
type CallOption func(*Draft)

func (o CallOption) ofType(r *asked) {
	if o != nil {
		r.calls = append(r.calls, o)
	}
}

// Delay is the wait before the first attempt.
func Delay(d time.Duration) CallOption {
	return func(draft *Draft) { draft.Delay, draft.RunAt = d, time.Time{} }
}

// RunAt is when the first attempt may start; a time that has passed means now.
func RunAt(t time.Time) CallOption {
	return func(draft *Draft) { draft.Delay, draft.RunAt = 0, t }
}

// InQueue names the queue, which must exist. Without it a call goes where tasks of its
// type go: to "default", unless the configuration of the type says otherwise.
func InQueue(name string) CallOption { return func(draft *Draft) { draft.Queue = name } }

// Key is the ordering key, in place of that of [Definition.Key].
func Key(key string) CallOption { return func(draft *Draft) { draft.Key = key } }

// ShareKey is the share key, in place of that of [Definition.ShareKey].
func ShareKey(key string) CallOption { return func(draft *Draft) { draft.ShareKey = key } }

// Receipt says what became of a draft.
type Receipt struct {
	// Task is the task as accepted; nil if Err is set.
	Task *Task
	// Existing says that the task was there already: the same id or dedupe
	// key with the same content.
	Existing bool
	// Err is why this draft of a batch that is not atomic was refused.
	Err error
}
