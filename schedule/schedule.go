package schedule

import (
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/task"
)

// Kinds of the objects that schedules are kept as.
const (
	Kind      = "schedule" // the definition
	StateKind = "tick"     // what has become of it
)

// Misfire says what becomes of ticks that nobody could enqueue in time: those
// that are more than [Tolerance] late.
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

const (
	// Tolerance is how late a tick can be and still be in time: nodes take as
	// long to find that another one has died.
	Tolerance = 10 * time.Second
	// DefaultWindow is how far back fire_all reaches.
	DefaultWindow = time.Hour
	// MaxWindow is how far it can be made to reach.
	MaxWindow = 31 * 24 * time.Hour
	// MostWaiting is how many ticks wait at most for the end of the last task
	// (overlap queue); further ones are left out.
	MostWaiting = 100
)

// Schedule is a rule that enqueues a task again and again. Exactly one of
// Cron, Every and At says when.
type Schedule struct {
	// Name is 1 to 128 of A-Z a-z 0-9 . _ : -.
	Name string
	// Cron is an expression of five fields, or six with seconds first; see
	// [Cron]. Zone is its IANA time zone, "" for UTC.
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
	Task Task
}

// Task is what a tick enqueues: a draft without id, times and dedupe key,
// which are the schedule's to say.
type Task struct {
	Type        string            // required without Target
	Queue       string            // "default" when empty
	Payload     json.RawMessage   // JSON
	Priority    *int              // 5 when nil
	Key         string            // ordering key
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

// Times are the ticks of a valid schedule.
func (s *Schedule) Times() (Times, error) {
	switch {
	case s.Cron != "":
		return Cron(s.Cron, s.Zone, time.Second)
	case s.Every != 0:
		start := s.Start
		if start.IsZero() {
			start = time.Unix(0, 0)
		}
		return Every(s.Every, start)
	}
	return At(s.At), nil
}

// Check tells complain all that is wrong with the times and rules, by the
// names of the API; the name and the task are the caller's to check.
func (s *Schedule) Check(complain func(path, message, hint string)) {
	s.checkTimes(complain)
	switch s.Misfire {
	case "", MisfireSkip, FireOnce, FireAll:
	default:
		complain("misfire", task.Quote(string(s.Misfire))+" is no misfire rule", ruleHint(string(s.Misfire), "skip, fire_once or fire_all; leave it out for fire_once", MisfireSkip, FireOnce, FireAll))
	}
	switch s.Overlap {
	case "", OverlapAllow, OverlapSkip, OverlapReplace, OverlapQueue:
	default:
		complain("overlap", task.Quote(string(s.Overlap))+" is no overlap rule", ruleHint(string(s.Overlap), "allow, skip, replace or queue; leave it out for allow", OverlapAllow, OverlapSkip, OverlapReplace, OverlapQueue))
	}
	switch {
	case s.Window < 0 || s.Window > MaxWindow:
		complain("window", s.Window.String()+" is outside 0s to 744h", "leave it out for 1h")
	case s.Window != 0 && s.Misfire != FireAll:
		complain("window", "is for the misfire rule fire_all", "leave it out")
	}
}

// ruleHint names the rule that is nearest to one that there is not, else all of them.
func ruleHint[T ~string](name, all string, known ...T) string {
	names := make([]string, len(known))
	for i := range known {
		names[i] = string(known[i])
	}
	if near := hints.Nearest(name, names); near != "" {
		return "did you mean " + near + "?"
	}
	return all
}

func (s *Schedule) checkTimes(complain func(path, message, hint string)) {
	given := 0
	for _, is := range []bool{s.Cron != "", s.Every != 0, !s.At.IsZero()} {
		if is {
			given++
		}
	}
	switch {
	case given == 0:
		complain("cron", "is required, or every, or at", "such as \"0 3 * * *\" for every day at 3")
		return
	case given > 1:
		complain("cron", "is given together with every or at", "give one of them")
		return
	}
	if s.Zone != "" && s.Cron == "" {
		complain("zone", "is for cron expressions", "leave it out: every and at follow no clock")
	}
	if !s.Start.IsZero() && s.Every == 0 {
		complain("start", "is for every", "leave it out")
	}
	if _, err := Zone(s.Zone); err != nil {
		complain("zone", err.Error(), "leave it out for UTC")
		return
	}
	if _, err := s.Times(); err != nil {
		path, hint := "cron", "five fields: minute, hour, day of month, month, day of week; or six with seconds first"
		if s.Every != 0 {
			path, hint = "every", "a duration such as 30s or 1h"
		}
		complain(path, err.Error(), hint)
	}
}

func (s *Schedule) window() time.Duration {
	if s.Window == 0 {
		return DefaultWindow
	}
	return s.Window
}
