package group

import (
	"encoding/json"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/retry"
)

// Settings are what is configured of a group: the body of an object of kind "group".
// The zero value has the defaults. Kinds without steps of their own have those of
// Dispatch.
type Settings struct {
	Dispatch    Waits          `json:"dispatch,omitzero"`
	Busy        Waits          `json:"busy,omitzero"`
	Unreachable Waits          `json:"unreachable,omitzero"`
	Empty       Waits          `json:"empty,omitzero"`
	MemberTTL   retry.Duration `json:"member_ttl,omitzero"` // 15s when 0
}

// Waits are the waits after failed dispatches in a row. After the last step, that
// one is repeated.
type Waits struct {
	Steps []retry.Duration `json:"steps,omitempty"` // 1s, 5s, 10s, 60s when empty
	Max   retry.Duration   `json:"max,omitzero"`    // of longer steps and of what the group asks for; 300s when 0
}

var usualSteps = []retry.Duration{retry.Duration(time.Second), retry.Duration(5 * time.Second), retry.Duration(10 * time.Second), retry.Duration(time.Minute)}

const (
	usualMax = 300 * time.Second
	usualTTL = 15 * time.Second
)

// ParseSettings reads the body of an object of kind "group".
func ParseSettings(body []byte) (s Settings, err error) {
	err = json.Unmarshal(body, &s)
	return s, err
}

// waits are those that hold after failures of a kind.
func (s *Settings) waits(kind inspect.DispatchKind) Waits {
	waits := s.Dispatch
	of := map[inspect.DispatchKind]Waits{inspect.DispatchBusy: s.Busy, inspect.DispatchUnreachable: s.Unreachable, inspect.DispatchEmpty: s.Empty}[kind]
	if len(of.Steps) > 0 {
		waits.Steps = of.Steps
	}
	if of.Max > 0 {
		waits.Max = of.Max
	}
	if len(waits.Steps) == 0 {
		waits.Steps = usualSteps
	}
	if waits.Max <= 0 {
		waits.Max = retry.Duration(usualMax)
	}
	return waits
}

// step is the wait after so many failed dispatches in a row.
func (w *Waits) step(failures int) time.Duration {
	return time.Duration(w.Steps[min(max(failures, 1), len(w.Steps))-1])
}

func (w *Waits) bound(wait time.Duration) time.Duration {
	return max(min(wait, time.Duration(w.Max)), time.Millisecond)
}

// late is how long after its end the steps notice an outage of a length.
func (w *Waits) late(length time.Duration) time.Duration {
	at := time.Duration(0)
	for failures := 1; at < length; failures++ {
		wait := w.bound(w.step(failures))
		if failures >= len(w.Steps) { // from here on they are even
			return (wait - (length-at)%wait) % wait
		}
		at += wait
	}
	return at - length
}

func (s *Settings) ttl() time.Duration {
	if s.MemberTTL <= 0 {
		return usualTTL
	}
	return time.Duration(s.MemberTTL)
}
