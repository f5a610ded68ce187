package schedules

import (
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/task"
)

// Kinds of the objects that schedules are kept as.
const (
	Kind      = "schedule" // the definition
	StateKind = "tick"     // what has become of it
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

// TimesOf are the ticks of a valid schedule.
func TimesOf(s *inspect.Schedule) (Times, error) {
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
func Check(s *inspect.Schedule, complain func(path, message, hint string)) {
	checkTimes(s, complain)
	switch s.Misfire {
	case "", inspect.MisfireSkip, inspect.FireOnce, inspect.FireAll:
	default:
		complain("misfire", task.Quote(string(s.Misfire))+" is not a misfire rule", ruleHint(string(s.Misfire), "skip, fire_once or fire_all; leave it out for fire_once", inspect.MisfireSkip, inspect.FireOnce, inspect.FireAll))
	}
	switch s.Overlap {
	case "", inspect.OverlapAllow, inspect.OverlapSkip, inspect.OverlapReplace, inspect.OverlapQueue:
	default:
		complain("overlap", task.Quote(string(s.Overlap))+" is not an overlap rule", ruleHint(string(s.Overlap), "allow, skip, replace or queue; leave it out for allow", inspect.OverlapAllow, inspect.OverlapSkip, inspect.OverlapReplace, inspect.OverlapQueue))
	}
	switch {
	case s.Window < 0 || s.Window > MaxWindow:
		complain("window", s.Window.String()+" is outside 0s to 744h", "leave it out for 1h")
	case s.Window != 0 && s.Misfire != inspect.FireAll:
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

func checkTimes(s *inspect.Schedule, complain func(path, message, hint string)) {
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
	if _, err := TimesOf(s); err != nil {
		path, hint := "cron", "five fields: minute, hour, day of month, month, day of week; or six with seconds first"
		if s.Every != 0 {
			path, hint = "every", "a duration such as 30s or 1h"
		}
		complain(path, err.Error(), hint)
	}
}

func window(s *inspect.Schedule) time.Duration {
	if s.Window == 0 {
		return DefaultWindow
	}
	return s.Window
}
