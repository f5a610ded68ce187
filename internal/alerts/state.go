package alerts

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/alert"
)

// MostNames is how many held-back alerts a message names.
const MostNames = 20

// State is what is known of one rule and subject. Its methods are pure
// functions of the state and the time that they are given; whoever calls them
// keeps the state by compare-and-set, so that of several nodes one tells.
type State struct {
	Rule    string `json:"rule"`
	Subject string `json:"subject"`
	// Told is when the last message was sent on its way, Until how long further
	// alerts are held back.
	Told  time.Time `json:"told,omitzero"`
	Until time.Time `json:"until,omitzero"`
	// Firing is an aggregate whose condition holds and was told; Since is when
	// it began to hold, also before it was told.
	Firing bool      `json:"firing,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	// Size is the number that was told, or the smallest since.
	Size int `json:"size,omitempty"`
	// Acked says that somebody takes care of the aggregate that fires: it is not
	// told again until it is over, or has grown by half.
	Acked bool `json:"acked,omitempty"`
	// HeldBack counts what was not told; Names are the first of it.
	HeldBack  int           `json:"held_back,omitempty"`
	Names     []string      `json:"names,omitempty"`
	Kinds     alert.Tallies `json:"kinds,omitempty"`
	HeldSince time.Time     `json:"held_since,omitzero"`
	// Last is the last message held back: what a digest tells with.
	Last *alert.Message `json:"last,omitempty"`
	// Spared are channels that other rules tell of all that is held back.
	Spared []string `json:"spared,omitempty"`
	// Digest names the task that will tell of what was held back, "" for none.
	Digest string `json:"digest,omitempty"`
}

// Verdict says what to do about a raised alert.
type Verdict struct {
	Tell   bool      // send a message now
	Digest bool      // make the task that tells of what is held back, at At
	At     time.Time //
}

// Next is when an alert that comes now can be told at the earliest.
func (s *State) Next(now time.Time, later time.Duration) time.Time {
	switch {
	case now.Before(s.Until):
		return s.Until
	case later > 0 && s.HeldBack > 0:
		return latest(now, s.HeldSince.Add(later))
	}
	return now.Add(later)
}

// Raise takes an alert and says what to do. Later is rule.Digest, Cooldown the
// rule's cool-down.
func (s *State) Raise(now time.Time, held alert.Tallies, cooldown, later time.Duration) Verdict {
	if now.Before(s.Until) || later > 0 {
		at := s.Next(now, later)
		s.hold(now, held...)
		return Verdict{Digest: s.Digest == "", At: at}
	}
	s.Tell(now, cooldown)
	return Verdict{Tell: true}
}

// Hold takes alerts that a node has held back by itself.
func (s *State) Hold(now time.Time, held ...alert.Tally) Verdict {
	s.hold(now, held...)
	at := s.Until
	if at.Before(now) {
		at = now
	}
	return Verdict{Digest: s.Digest == "", At: at}
}

// Take empties the account of what was held back into a message, and begins a
// new cool-down. The result is false if there is nothing to tell.
func (s *State) Take(now time.Time, m *alert.Message, cooldown time.Duration) bool {
	s.Digest = ""
	if s.HeldBack == 0 {
		return false
	}
	m.HeldBack, m.Names, m.Kinds, m.Since = s.HeldBack, s.Names, s.Kinds, s.HeldSince
	s.Tell(now, cooldown)
	return true
}

// Reading is one measurement of an aggregate.
type Reading struct {
	Holds bool
	Size  int  // the number that it is about, 0 where there is none
	Total bool // told again only when that has grown
}

// Measure takes one measurement of an aggregate and says whether to tell that
// it fires, or that it is over. It fires once its condition has held for hold,
// and is told again every cool-down while it goes on and is not acknowledged; a
// total only when it has grown since. An acknowledgement ends when the number has
// grown by half.
func (s *State) Measure(now time.Time, r Reading, hold, cooldown time.Duration) (fires, recovers bool) {
	if !r.Holds {
		recovers = s.Firing
		s.Firing, s.Since, s.Acked, s.Size = false, time.Time{}, false, 0
		return false, recovers
	}
	if s.Since.IsZero() {
		s.Since = now
	}
	if s.Firing {
		s.Size = min(s.Size, r.Size)
		s.Acked = s.Acked && (r.Size == 0 || 2*r.Size < 3*s.Size)
	}
	if now.Sub(s.Since) < hold || now.Before(s.Until) || s.Acked || s.Firing && r.Total && r.Size <= s.Size {
		return false, false
	}
	s.Firing, s.Size = true, r.Size
	s.Tell(now, cooldown)
	return true, false
}

// Idle reports whether nothing would be lost if the state were forgotten.
func (s *State) Idle(now time.Time) bool {
	return !s.Firing && s.Since.IsZero() && s.HeldBack == 0 && s.Digest == "" && now.After(s.Until)
}

// Tell begins a cool-down with a message that takes along what was held back.
func (s *State) Tell(now time.Time, cooldown time.Duration) {
	s.Told, s.Until = now, now.Add(cooldown)
	s.HeldBack, s.Names, s.Kinds, s.HeldSince, s.Last, s.Spared = 0, nil, nil, time.Time{}, nil, nil
}

// Spare notes which channels others tell of what was held back just now; only what is
// spared every time since the first stays so.
func (s *State) Spare(channels []string, first bool) {
	if first {
		s.Spared = channels
		return
	}
	s.Spared = slices.DeleteFunc(s.Spared, func(channel string) bool { return !slices.Contains(channels, channel) })
}

func (s *State) hold(now time.Time, held ...alert.Tally) {
	if s.HeldBack == 0 {
		s.HeldSince = now
	}
	AddTallies(&s.Kinds, held...)
	for i := range held {
		s.HeldBack += held[i].Count
		s.Names = append(s.Names, held[i].Names[:min(len(held[i].Names), MostNames-len(s.Names))]...)
	}
}

func latest(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
