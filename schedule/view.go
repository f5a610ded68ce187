package schedule

import (
	"time"

	"github.com/outlast-dev/outlast/store"
)

// View is a schedule as people look at it: the rule, and what has become of it.
type View struct {
	Schedule
	State
	Managed   string // "file" where the configuration file owns it
	Actor     string // who made this version
	Version   int64  // of the rule
	UpdatedAt time.Time
	Created   bool // it was made by this very call
	// StateVersion is that of the state, 0 before there is one.
	StateVersion int64
}

// NewView joins the objects of a schedule; state is nil before there is one.
// At is when a rule that no node has seen yet began.
func NewView(definition store.Object, state *store.Object) (*View, error) {
	s, err := Parse(definition)
	if err != nil {
		return nil, err
	}
	view := &View{Schedule: s, Managed: definition.Managed, Actor: definition.Actor, Version: definition.Version, UpdatedAt: definition.UpdatedAt}
	if state != nil {
		view.StateVersion = state.Version
		if view.State, err = ParseState(*state); err != nil {
			return nil, err
		}
	}
	times, err := s.Times()
	if err != nil {
		return nil, err
	}
	view.State = Rebase(view.State, Hash(definition), times, definition.UpdatedAt)
	return view, nil
}

// Ticks are the next n ticks from a moment on: those that would come if the
// schedule were not paused.
func (v *View) Ticks(from time.Time, n int) ([]time.Time, error) {
	times, err := v.Times()
	if err != nil {
		return nil, err
	}
	ticks := make([]time.Time, 0, n)
	next, ok := times.After(from)
	for ok && len(ticks) < n {
		ticks = append(ticks, next)
		next, ok = times.After(next)
	}
	return ticks, nil
}
