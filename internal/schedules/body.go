package schedules

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// duration is written as Go writes it.
type duration time.Duration

func (d duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

func (d *duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return &retry.FieldError{Message: task.Quote(string(text)) + " is not a duration", Hint: "write it with units, such as 1.5s"}
	}
	*d = duration(parsed)
	return nil
}

// body is a schedule as an object keeps it, in the form of the API.
type body struct {
	Cron    string          `json:"cron,omitempty"`
	Zone    string          `json:"zone,omitempty"`
	Every   duration        `json:"every,omitzero"`
	Start   time.Time       `json:"start,omitzero"`
	At      time.Time       `json:"at,omitzero"`
	Misfire inspect.Misfire `json:"misfire,omitempty"`
	Window  duration        `json:"window,omitzero"`
	Overlap inspect.Overlap `json:"overlap,omitempty"`
	Task    taskBody        `json:"task"`
}

type taskBody struct {
	Type        string            `json:"type,omitempty"`
	Queue       string            `json:"queue,omitempty"`
	Payload     json.RawMessage   `json:"payload,omitempty"`
	Priority    *int              `json:"priority,omitempty"`
	Key         string            `json:"key,omitempty"`
	ShareKey    string            `json:"share_key,omitempty"`
	Policy      string            `json:"policy,omitempty"`
	Retry       json.RawMessage   `json:"retry,omitempty"`
	MaxAttempts *int              `json:"max_attempts,omitempty"`
	Timeout     duration          `json:"timeout,omitzero"`
	TTL         duration          `json:"ttl,omitzero"`
	Metadata    map[string]string `json:"metadata,omitempty"`
	Target      *task.Request     `json:"target,omitempty"`
	Fallback    *task.Follow      `json:"fallback,omitempty"`
	OnSuccess   *task.Follow      `json:"on_success,omitempty"`
	OnDead      *task.Follow      `json:"on_dead,omitempty"`
}

// Object is a schedule as the store keeps it, without version and actor. A
// payload keeps its tokens as they are written, not the space between them.
func Object(s *inspect.Schedule) (store.Object, error) {
	t := &s.Task
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(body{
		Cron: s.Cron, Zone: s.Zone, Every: duration(s.Every), Start: s.Start, At: s.At, Misfire: s.Misfire, Window: duration(s.Window), Overlap: s.Overlap,
		Task: taskBody{
			Type: t.Type, Queue: t.Queue, Payload: t.Payload, Priority: t.Priority, Key: t.Key, ShareKey: t.ShareKey, Policy: t.Policy, Retry: t.Retry,
			MaxAttempts: t.MaxAttempts, Timeout: duration(t.Timeout), TTL: duration(t.TTL), Metadata: t.Metadata, Target: t.Target,
			Fallback: t.Fallback, OnSuccess: t.OnSuccess, OnDead: t.OnDead,
		},
	})
	return store.Object{Kind: Kind, Name: s.Name, Body: bytes.TrimSpace(text.Bytes())}, err
}

// Same reports whether two schedules say the same, in whatever zones they name
// their times.
func Same(s, other *inspect.Schedule) bool {
	a, b := *s, *other
	for _, one := range []*inspect.Schedule{&a, &b} {
		one.Start, one.At = one.Start.UTC().Truncate(time.Microsecond), one.At.UTC().Truncate(time.Microsecond)
	}
	left, errLeft := Object(&a)
	right, errRight := Object(&b)
	return errLeft == nil && errRight == nil && a.Name == b.Name && bytes.Equal(left.Body, right.Body)
}

// Parse reads the schedule of an object.
func Parse(object store.Object) (inspect.Schedule, error) {
	if object.Doubt != nil {
		return inspect.Schedule{}, fmt.Errorf("the schedule %s is not used: %w", task.Quote(object.Name), object.Doubt)
	}
	var b body
	decoder := json.NewDecoder(bytes.NewReader(object.Body))
	decoder.DisallowUnknownFields() // a newer program's schedule is not run by half
	if err := decoder.Decode(&b); err != nil {
		return inspect.Schedule{}, fmt.Errorf("the schedule %s cannot be read: %w", task.Quote(object.Name), err)
	}
	t := &b.Task
	return inspect.Schedule{
		Name: object.Name, Cron: b.Cron, Zone: b.Zone, Every: time.Duration(b.Every), Start: b.Start, At: b.At, Misfire: b.Misfire,
		Window: time.Duration(b.Window), Overlap: b.Overlap,
		Task: inspect.ScheduledTask{
			Type: t.Type, Queue: t.Queue, Payload: t.Payload, Priority: t.Priority, Key: t.Key, ShareKey: t.ShareKey, Policy: t.Policy, Retry: t.Retry,
			MaxAttempts: t.MaxAttempts, Timeout: time.Duration(t.Timeout), TTL: time.Duration(t.TTL), Metadata: t.Metadata, Target: t.Target,
			Fallback: t.Fallback, OnSuccess: t.OnSuccess, OnDead: t.OnDead,
		},
	}, nil
}

// Hash names what a schedule is defined by.
func Hash(object store.Object) string {
	sum := sha256.Sum256(object.Body)
	return hex.EncodeToString(sum[:8])
}

// StateObject is the state of a schedule as the store keeps it.
func StateObject(s *inspect.ScheduleState, name string, version int64) (store.Object, error) {
	text, err := json.Marshal(s)
	return store.Object{Kind: StateKind, Name: name, Body: text, Version: version}, err
}

// ParseState reads the state of an object.
func ParseState(object store.Object) (state inspect.ScheduleState, err error) {
	err = json.Unmarshal(object.Body, &state)
	return state, err
}
