package dead

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/adhocore/gronx"

	"github.com/outlast-dev/outlast/task"
)

// maxCron bounds an expression, in bytes, before anything reads it.
const maxCron = 256

// cronField is what one field may look like: a list of *, ?, numbers, names,
// ranges and steps. The numbers are short, so that no range can be long.
var cronField = regexp.MustCompile(`^(?:[*?]|[0-9]{1,4}|[A-Za-z]{3})(?:-(?:[0-9]{1,4}|[A-Za-z]{3}))?(?:/[0-9]{1,4})?$`)

// cron is a checked expression in a zone.
type cron struct {
	expression string
	zone       *time.Location
}

// parseCron checks an expression: five fields, or six with seconds first, at
// most once a minute, and one that fires at all.
func parseCron(expression, zoneName string) (cron, error) {
	location, err := zone(zoneName)
	if err != nil {
		return cron{}, err
	}
	if len(expression) > maxCron {
		return cron{}, fmt.Errorf("has %d bytes; %d are the limit", len(expression), maxCron)
	}
	fields := strings.Fields(expression)
	if len(fields) != 5 && len(fields) != 6 {
		return cron{}, fmt.Errorf("%s has %d fields instead of 5, or 6 with seconds first", task.Quote(expression), len(fields))
	}
	for _, field := range fields {
		for part := range strings.SplitSeq(field, ",") {
			if !cronField.MatchString(part) || strings.HasSuffix(part, "/0") {
				return cron{}, fmt.Errorf("the field %s of the cron expression is malformed", task.Quote(field))
			}
		}
	}
	if len(fields) == 5 {
		fields = append([]string{"0"}, fields...)
	} else if second, err := strconv.Atoi(fields[0]); err != nil || second > 59 {
		return cron{}, errors.New("the seconds must be one number, 0 to 59")
	}
	c := cron{strings.ReplaceAll(strings.Join(fields, " "), "?", "*"), location}
	if !gronx.New().IsValid(c.expression) {
		return cron{}, fmt.Errorf("%s is no cron expression", task.Quote(expression))
	}
	if _, err := c.next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)); err != nil {
		return cron{}, err
	}
	return c, nil
}

// next is the first time after now at which the expression fires.
func (c cron) next(now time.Time) (time.Time, error) {
	at, err := gronx.NextTickAfter(c.expression, now.In(c.zone), false)
	if err != nil {
		return time.Time{}, fmt.Errorf("the cron expression never fires: %w", err)
	}
	if !at.After(now) {
		at = now.Add(time.Minute).Truncate(time.Minute)
	}
	return at.UTC(), nil
}

// zone loads an IANA zone; "Local" and paths are refused.
func zone(name string) (*time.Location, error) {
	if name == "" {
		return time.UTC, nil
	}
	location, err := time.LoadLocation(name)
	if err != nil || name == "Local" || strings.ContainsAny(name, `.\`) || strings.HasPrefix(name, "/") {
		return nil, fmt.Errorf("%s is no IANA time zone, such as Asia/Shanghai", task.Quote(name))
	}
	return location, nil
}
