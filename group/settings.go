package group

import (
	"encoding/json"
	"time"
)

// Kind says why a task found no member.
type Kind string

// The kinds.
const (
	Busy        Kind = "busy"        // all members are at capacity, or answer 503
	Unreachable Kind = "unreachable" // no connection to any
	Empty       Kind = "empty"       // no member lives
)

// Settings are what is configured of a group: the body of an object of kind "group".
// The zero value has the defaults. Kinds without steps of their own have those of
// Dispatch.
type Settings struct {
	Dispatch    Waits    `json:"dispatch,omitzero"`
	Busy        Waits    `json:"busy,omitzero"`
	Unreachable Waits    `json:"unreachable,omitzero"`
	Empty       Waits    `json:"empty,omitzero"`
	MemberTTL   Duration `json:"member_ttl,omitzero"` // 15s when 0
}

// Waits are the waits after failed dispatches in a row. After the last step, that
// one is repeated.
type Waits struct {
	Steps []Duration `json:"steps,omitempty"` // 1s, 5s, 10s, 60s when empty
	Max   Duration   `json:"max,omitzero"`    // of longer steps and of what the group asks for; 300s when 0
}

// Duration is a [time.Duration] that is written as "1.5s".
type Duration time.Duration

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

var usualSteps = []Duration{Duration(time.Second), Duration(5 * time.Second), Duration(10 * time.Second), Duration(time.Minute)}

const (
	usualMax = 300 * time.Second
	usualTTL = 15 * time.Second
)

// ParseSettings reads the body of an object of kind "group".
func ParseSettings(body []byte) (s Settings, err error) {
	err = json.Unmarshal(body, &s)
	return s, err
}

// wait is how long a group waits after so many failed dispatches in a row, the last
// of them of a kind; at least what the group asks for.
func (s *Settings) wait(kind Kind, failures int, asked time.Duration) time.Duration {
	waits := s.Dispatch
	of := map[Kind]Waits{Busy: s.Busy, Unreachable: s.Unreachable, Empty: s.Empty}[kind]
	if len(of.Steps) > 0 {
		waits.Steps = of.Steps
	}
	if of.Max > 0 {
		waits.Max = of.Max
	}
	if len(waits.Steps) == 0 {
		waits.Steps = usualSteps
	}
	most := time.Duration(waits.Max)
	if most <= 0 {
		most = usualMax
	}
	step := time.Duration(waits.Steps[min(max(failures, 1), len(waits.Steps))-1])
	return max(min(max(step, asked), most), time.Millisecond)
}

func (s *Settings) ttl() time.Duration {
	if s.MemberTTL <= 0 {
		return usualTTL
	}
	return time.Duration(s.MemberTTL)
}
