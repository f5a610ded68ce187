package schedules

import (
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
)

// NewView joins the objects of a schedule; state is nil before there is one.
// At is when a rule that no node has seen yet began.
func NewView(definition store.Object, state *store.Object) (*inspect.ScheduleView, error) {
	s, err := Parse(definition)
	if err != nil {
		return nil, err
	}
	view := &inspect.ScheduleView{Schedule: s, Managed: definition.Managed, Actor: definition.Actor, Version: definition.Version, UpdatedAt: definition.UpdatedAt}
	if state != nil {
		view.StateVersion = state.Version
		if view.ScheduleState, err = ParseState(*state); err != nil {
			return nil, err
		}
	}
	times, err := TimesOf(&s)
	if err != nil {
		return nil, err
	}
	view.ScheduleState = Rebase(view.ScheduleState, Hash(definition), times, definition.UpdatedAt)
	return view, nil
}

// Ticks are the next n ticks from a moment on: those that would come if the
// schedule were not paused.
func Ticks(s *inspect.Schedule, from time.Time, n int) ([]time.Time, error) {
	times, err := TimesOf(s)
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
