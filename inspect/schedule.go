package inspect

import (
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Misfire says what becomes of ticks that nobody could enqueue in time: those
// that are more than 10 s late, as long as nodes take to find that another one has died.
type Misfire string

// The misfire rules.
const (
	MisfireSkip Misfire = "skip"      // they are left out
	FireOnce    Misfire = "fire_once" // the last of them runs, for all; the default
	FireAll     Misfire = "fire_all"  // each runs that is not older than the window
)

// Overlap says what a tick does while the task of the last one is pending or
// running.
type Overlap string

// The overlap rules.
const (
	OverlapAllow   Overlap = "allow"   // it runs beside it; the default
	OverlapSkip    Overlap = "skip"    // it is left out
	OverlapReplace Overlap = "replace" // the other one is canceled
	OverlapQueue   Overlap = "queue"   // it waits until the other one has ended
)

// Schedule is a rule that enqueues a task again and again. Exactly one of
// Cron, Every and At says when.
type Schedule struct {
	// Name is 1 to 128 of A-Z a-z 0-9 . _ : -.
	Name string
	// Cron is an expression of five fields (minute, hour, day of month, month, day of
	// week), or six with seconds first, on the clock of the IANA time zone Zone, "" for
	// UTC. A field may be a list of *, ? (the same), numbers, names, ranges and steps; days
	// of the month also L, L-3, LW and 15W, days of the week FRI#2 and FRI#L. Where both day
	// fields are restricted, a day that matches one of them matches.
	//
	// Where clocks are changed, an expression that names hours fires once for each local
	// time that it names; one whose hour field is * follows elapsed time.
	Cron, Zone string
	// Every is an interval, at least 1 s. Ticks are the multiples of it after
	// Start; without one, after the beginning of 1970 in UTC, so that 15m is
	// four times an hour at 0, 15, 30 and 45.
	Every time.Duration
	Start time.Time
	// At is the only tick.
	At time.Time
	// Misfire is fire_once when empty, Overlap allow.
	Misfire Misfire
	Overlap Overlap
	// Window is how old a tick can be that fire_all still runs: 1 h when 0, at
	// most 31 days.
	Window time.Duration
	// Task is what a tick enqueues.
	Task ScheduledTask
}

// ScheduledTask is what a tick enqueues: a draft without id, times and dedupe key,
// which are the schedule's to say.
type ScheduledTask struct {
	Type        string          // required without Target
	Queue       string          // "default" when empty
	Payload     json.RawMessage // JSON
	Priority    *int            // 5 when nil
	Key         string          // ordering key
	ShareKey    string
	Policy      string            // named policy
	Retry       json.RawMessage   // inline policy
	MaxAttempts *int              // overrides the policy's
	Timeout     time.Duration     // of each attempt
	TTL         time.Duration     // of all attempts, from the moment the tick was enqueued
	Metadata    map[string]string // "outlast.schedule" and "outlast.tick" are added
	Target      *task.Request     // the request to make
	Fallback    *task.Follow
	OnSuccess   *task.Follow
	OnDead      *task.Follow
}

// ScheduleState is what has become of a schedule. Times are zero where there is none.
type ScheduleState struct {
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

// ScheduleView is a schedule as people look at it: the rule, and what has become of it.
type ScheduleView struct {
	Schedule
	ScheduleState
	Managed   string // "file" where the configuration file owns it, "code" where the code of an application put it
	Actor     string // who made this version
	Version   int64  // of the rule
	UpdatedAt time.Time
	Created   bool // it was made by this very call
	// StateVersion is that of the state, 0 before there is one.
	StateVersion int64
}

// ScheduleEvent is what happens to ticks of a schedule.
type ScheduleEvent struct {
	Schedule string
	Kind     TickKind
	Count    int
	Tick     time.Time // the last one that it is about
	Err      error     // of a failure
}

// TickKind is what an event tells of ticks.
type TickKind string

// What is told of ticks.
const (
	TicksFired   TickKind = "fired"   // ticks were enqueued
	TicksMissed  TickKind = "missed"  // ticks were left out for their lateness
	TicksSkipped TickKind = "skipped" // ticks were left out for overlap
	TicksFailed  TickKind = "failed"  // ticks could not be enqueued; it is tried again
)
