// Package classify says what kind of failure an error, an answer or a status is. Its
// tables are those of docs/reference/classification.md.
//
// It knows the errors of other packages by their methods, by the name and the shape of
// their types, by codes and, as a last resort, by what they say, so that it links none
// of them.
package classify

import "time"

// Category is what kind of failure it is. The values are those of package retry.
type Category string

// The categories, see package retry.
const (
	Permanent   Category = "permanent"
	Canceled    Category = "canceled"
	Deadline    Category = "deadline"
	Unsent      Category = "unsent"
	Conflict    Category = "conflict"
	Network     Category = "network"
	Timeout     Category = "timeout"
	Throttled   Category = "throttled"
	Unavailable Category = "unavailable"
	Local       Category = "local"
	Bug         Category = "bug"
	Unknown     Category = "unknown"
)

// Effect is whether the attempt may have done its work.
type Effect string

// The effects, see package retry.
const (
	NotSent Effect = "not_sent"
	Maybe   Effect = "maybe"
	Done    Effect = "done"
)

// Hint is what the receiver asked for: a least wait, or no retry at all.
type Hint struct {
	After  time.Duration
	GiveUp bool
}

// Verdict is what is known of a failure.
type Verdict struct {
	Category Category
	Effect   Effect
	Hint     Hint
	Type     string // the error class or Go type that decided
	Code     string // that the error carries
	Answered bool   // the receiver works, whatever the caller takes its answer for
}

// complete fills what a verdict leaves open; the type of the error has that name.
func (v *Verdict) complete(name string) {
	if v.Category == "" {
		v.Category = Unknown
	}
	if v.Effect == "" {
		v.Effect = Maybe
	}
	if v.Type == "" {
		v.Type = name
	}
}
