package schedules

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // zones where the machine has none

	"github.com/netresearch/go-cron"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/task"
)

const (
	maxCron     = 256 // bytes of an expression, before anything reads it
	searchYears = 12  // in which a time must come: February 29th may be eight years off
	tried       = 500 // ticks that are looked at for the least distance between two
)

// cronField is what one field may look like: a list of *, ?, numbers, names,
// ranges and steps; L, W and # as in Quartz. Numbers are short, so that no
// range can be long.
var cronField = regexp.MustCompile(`^(?:[*?]|[0-9]{1,2}|[A-Za-z]{3}|L|LW)(?:-(?:[0-9]{1,2}|[A-Za-z]{3}))?(?:/[0-9]{1,2}|#[1-5L]|[LW])?$`)

var parser = cron.MustNewParser(cron.Second | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow | cron.Extended | cron.DowOrDom).WithMaxSearchYears(searchYears)

// Cron are the times of a cron expression on the clock of an IANA zone ("" is
// UTC): five fields (minute, hour, day of month, month, day of week), or six with
// seconds first. A field may be a list of *, ? (the same), numbers, names, ranges
// and steps; days of the month also L, L-3, LW and 15W, days of the week FRI#2 and
// FRI#L. Where both day fields are restricted, a day that matches one of them
// matches. An expression that never fires, or more often than once every least, is
// refused; least 0 allows every second.
func Cron(expression, zone string, least time.Duration) (Times, error) {
	location, err := Zone(zone)
	if err != nil {
		return Times{}, err
	}
	fields, err := cronFields(expression)
	if err != nil {
		return Times{}, err
	}
	wall, err := parser.Parse(strings.Join(fields, " "))
	if err != nil {
		return Times{}, fmt.Errorf("%s is not a cron expression: %w", task.Quote(expression), err)
	}
	t := Times{wall: wall, zone: location, elapsed: fields[2] == "*", minutes: fields[0] == "0"}
	return t, t.check(least)
}

func cronFields(expression string) ([]string, error) {
	if len(expression) > maxCron {
		return nil, fmt.Errorf("has %d bytes; the limit is %d", len(expression), maxCron)
	}
	fields := strings.Fields(expression)
	if len(fields) != 5 && len(fields) != 6 {
		return nil, fmt.Errorf("%s has %d fields instead of 5, or 6 with seconds first", task.Quote(expression), len(fields))
	}
	for i, field := range fields {
		for part := range strings.SplitSeq(field, ",") {
			if !cronField.MatchString(part) || strings.HasSuffix(part, "/0") {
				return nil, fmt.Errorf("the field %s of the cron expression is malformed", task.Quote(field))
			}
		}
		fields[i] = strings.ReplaceAll(field, "?", "*")
	}
	if len(fields) == 5 {
		fields = append([]string{"0"}, fields...)
	}
	return fields, nil
}

// check looks at the ticks of four years and more, or at the first few hundred.
func (t Times) check(least time.Duration) error {
	first := t.wall.Next(time.Date(2023, 12, 31, 23, 59, 59, 0, time.UTC))
	if first.IsZero() {
		return errors.New("the cron expression never fires: no such day comes")
	}
	for last, n := first, 0; n < tried; n++ {
		next := t.wall.Next(last)
		if next.IsZero() {
			return nil
		}
		if gap := next.Sub(last); gap < least {
			return fmt.Errorf("the cron expression fires %s apart; at least %s are needed", gap, least)
		}
		last = next
	}
	return nil
}

// Every are the times that are a multiple of an interval after a start.
func Every(interval time.Duration, start time.Time) (Times, error) {
	if interval < time.Second {
		return Times{}, fmt.Errorf("the interval is %s; the least is 1s", interval)
	}
	return Times{every: interval, start: start.UTC()}, nil
}

// At is one time.
func At(moment time.Time) Times { return Times{at: moment.UTC()} }

// Zone loads an IANA time zone; "" is UTC. "Local" and paths are refused.
func Zone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	location, err := time.LoadLocation(name)
	if err != nil || name == "Local" || strings.ContainsAny(name, `.\`) || strings.HasPrefix(name, "/") {
		return nil, fmt.Errorf("%s is not an IANA time zone%s", task.Quote(name), likeZone(name))
	}
	return location, nil
}

// likeZone is what a message says after a name that is no zone.
func likeZone(name string) string {
	if near := hints.Nearest(name, strings.Fields(zoneNames)); near != "" {
		return "; did you mean " + near + "?"
	}
	return ", such as Asia/Shanghai"
}
