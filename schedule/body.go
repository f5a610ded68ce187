package schedule

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

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
		return &retry.FieldError{Message: task.Quote(string(text)) + " is no duration", Hint: "write it with units, such as 1.5s"}
	}
	*d = duration(parsed)
	return nil
}

// body is a schedule as an object keeps it, in the form of the API.
type body struct {
	Cron    string    `json:"cron,omitempty"`
	Zone    string    `json:"zone,omitempty"`
	Every   duration  `json:"every,omitzero"`
	Start   time.Time `json:"start,omitzero"`
	At      time.Time `json:"at,omitzero"`
	Misfire Misfire   `json:"misfire,omitempty"`
	Window  duration  `json:"window,omitzero"`
	Overlap Overlap   `json:"overlap,omitempty"`
	Task    taskBody  `json:"task"`
}

type taskBody struct {
	Type        string            `json:"type,omitempty"`
	Queue       string            `json:"queue,omitempty"`
	Payload     json.RawMessage   `json:"payload,omitempty"`
	Priority    *int              `json:"priority,omitempty"`
	Key         string            `json:"key,omitempty"`
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

// Object is the schedule as the store keeps it, without version and actor. A
// payload keeps its tokens as they are written, not the space between them.
func (s *Schedule) Object() (store.Object, error) {
	t := &s.Task
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(body{
		Cron: s.Cron, Zone: s.Zone, Every: duration(s.Every), Start: s.Start, At: s.At, Misfire: s.Misfire, Window: duration(s.Window), Overlap: s.Overlap,
		Task: taskBody{
			Type: t.Type, Queue: t.Queue, Payload: t.Payload, Priority: t.Priority, Key: t.Key, Policy: t.Policy, Retry: t.Retry,
			MaxAttempts: t.MaxAttempts, Timeout: duration(t.Timeout), TTL: duration(t.TTL), Metadata: t.Metadata, Target: t.Target,
			Fallback: t.Fallback, OnSuccess: t.OnSuccess, OnDead: t.OnDead,
		},
	})
	return store.Object{Kind: Kind, Name: s.Name, Body: bytes.TrimSpace(text.Bytes())}, err
}

// Same reports whether two schedules say the same, in whatever zones they name
// their times.
func (s *Schedule) Same(other *Schedule) bool {
	a, b := *s, *other
	for _, one := range []*Schedule{&a, &b} {
		one.Start, one.At = one.Start.UTC().Truncate(time.Microsecond), one.At.UTC().Truncate(time.Microsecond)
	}
	left, errLeft := a.Object()
	right, errRight := b.Object()
	return errLeft == nil && errRight == nil && a.Name == b.Name && bytes.Equal(left.Body, right.Body)
}

// Parse reads the schedule of an object.
func Parse(object store.Object) (Schedule, error) {
	if object.Doubt != nil {
		return Schedule{}, fmt.Errorf("the schedule %s is not used: %w", task.Quote(object.Name), object.Doubt)
	}
	var b body
	decoder := json.NewDecoder(bytes.NewReader(object.Body))
	decoder.DisallowUnknownFields() // a newer program's schedule is not run by half
	if err := decoder.Decode(&b); err != nil {
		return Schedule{}, fmt.Errorf("the schedule %s cannot be read: %w", task.Quote(object.Name), err)
	}
	t := &b.Task
	return Schedule{
		Name: object.Name, Cron: b.Cron, Zone: b.Zone, Every: time.Duration(b.Every), Start: b.Start, At: b.At, Misfire: b.Misfire,
		Window: time.Duration(b.Window), Overlap: b.Overlap,
		Task: Task{
			Type: t.Type, Queue: t.Queue, Payload: t.Payload, Priority: t.Priority, Key: t.Key, Policy: t.Policy, Retry: t.Retry,
			MaxAttempts: t.MaxAttempts, Timeout: time.Duration(t.Timeout), TTL: time.Duration(t.TTL), Metadata: t.Metadata, Target: t.Target,
			Fallback: t.Fallback, OnSuccess: t.OnSuccess, OnDead: t.OnDead,
		},
	}, nil
}

// State is what has become of a schedule. Times are zero where there is none.
type State struct {
	// Definition is the hash of the schedule that Next belongs to, and After
	// when that began: its ticks are those after it.
	Definition string    `json:"definition"`
	After      time.Time `json:"after,omitzero"`
	// Next is the tick that comes next; zero after the last one.
	Next time.Time `json:"next,omitzero"`
	// Last is the tick that was enqueued last, LastTask its task, or the one of
	// a manual trigger after it.
	Last     time.Time `json:"last,omitzero"`
	LastTask task.ID   `json:"last_task,omitzero"`
	// Waiting are ticks that wait for the end of LastTask.
	Waiting []time.Time `json:"waiting,omitempty"`
	// Cancel are tasks that were replaced and are yet to be canceled.
	Cancel []task.ID `json:"cancel,omitempty"`
	Paused bool      `json:"paused,omitempty"`

	Fired   int64 `json:"fired"`   // ticks enqueued
	Missed  int64 `json:"missed"`  // ticks left out for their lateness, at most 10 000 counted at a time
	Skipped int64 `json:"skipped"` // ticks left out for overlap
}

// Hash names what a schedule is defined by.
func Hash(object store.Object) string {
	sum := sha256.Sum256(object.Body)
	return hex.EncodeToString(sum[:8])
}

// Object is the state as the store keeps it.
func (s *State) Object(name string, version int64) (store.Object, error) {
	text, err := json.Marshal(s)
	return store.Object{Kind: StateKind, Name: name, Body: text, Version: version}, err
}

// ParseState reads the state of an object.
func ParseState(object store.Object) (state State, err error) {
	err = json.Unmarshal(object.Body, &state)
	return state, err
}
