package client

import (
	"bytes"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Duration is a [time.Duration] that is written as Go writes it: "1.5s".
type Duration time.Duration

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%s is not a duration; write a number and a unit, such as 1.5s, 200ms or 2h45m", task.Quote(string(text)))
	}
	*d = Duration(parsed)
	return nil
}

// String writes the duration as Go does.
func (d Duration) String() string { return time.Duration(d).String() }

// Time is a point in time, written as RFC 3339 in UTC with microseconds.
type Time struct{ time.Time }

const timeLayout = "2006-01-02T15:04:05.000000Z"

// MarshalText implements [encoding.TextMarshaler].
func (t Time) MarshalText() ([]byte, error) { return t.UTC().AppendFormat(nil, timeLayout), nil }

// MarshalJSON implements [encoding/json.Marshaler].
func (t Time) MarshalJSON() ([]byte, error) {
	return t.UTC().AppendFormat(nil, `"`+timeLayout+`"`), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. Any zone is accepted.
func (t *Time) UnmarshalText(text []byte) error {
	var parsed time.Time
	err := parsed.UnmarshalText(text)                                                                          // which takes an hour of one digit and a comma, too
	if err != nil || len(text) < 20 || text[13] != ':' || bytes.IndexByte(text, ',') >= 0 || parsed.IsZero() { // the zero time would read as absent
		return fmt.Errorf("%s is not a time; write it as RFC 3339 with a zone, such as 2026-11-20T10:00:00.000Z", task.Quote(string(text)))
	}
	if parsed = parsed.UTC(); parsed.Year() < 0 || parsed.Year() > 9999 { // its zone took it there, where RFC 3339 has no name for it
		return fmt.Errorf("%s is not between the years 0 and 9999 in UTC", task.Quote(string(text)))
	}
	t.Time = parsed
	return nil
}

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (t *Time) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	if len(data) < 2 || data[0] != '"' {
		return fmt.Errorf("a time is a string")
	}
	if string(data) == `"0001-01-01T00:00:00.000000Z"` { // how an absent one is written where it must be
		t.Time = time.Time{}
		return nil
	}
	return t.UnmarshalText(data[1 : len(data)-1])
}

// IsZero reports whether the time is absent.
func (t Time) IsZero() bool { return t.Time.IsZero() }
