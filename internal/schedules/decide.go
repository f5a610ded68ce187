package schedules

import (
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/task"
)

const (
	// mostFired is how many ticks one decision enqueues.
	mostFired = 100
	// mostCounted is after how many missed ticks the rest is passed over at once.
	mostCounted = 10_000
)

// Decision is how a state goes on.
type Decision struct {
	State   inspect.ScheduleState // as it is to be stored, but for LastTask
	Fire    []time.Time           // ticks to enqueue, in their order
	Missed  int                   // ticks left out for their lateness
	Skipped int                   // ticks left out for overlap
	Changed bool                  // whether State differs from what it was
	More    bool                  // ticks are left that are due now
}

// Rebase makes a state that of a definition from a moment on. A tick of the
// one before that is due already stays; what comes then is the new one's.
func Rebase(state inspect.ScheduleState, definition string, times Times, at time.Time) inspect.ScheduleState {
	if state.Definition == definition {
		return state
	}
	due := state.Definition != "" && !state.Next.IsZero() && !state.Next.After(at)
	state.Definition, state.After = definition, at
	if !due {
		state.Next = after(times, at)
	}
	return state
}

// after is the first tick after a moment, zero if there is none.
func after(times Times, moment time.Time) time.Time {
	if next, ok := times.After(moment); ok {
		return next
	}
	return time.Time{}
}

// Resume makes a state go on at a moment. What fell into the pause is left out
// without a word: that is what a pause is for.
func Resume(state inspect.ScheduleState, times Times, at time.Time) inspect.ScheduleState {
	state.Paused, state.After = false, at
	state.Next = after(times, at)
	return state
}

// Decide is what is to be done at a moment, with busy saying whether the task
// of the last tick is pending or running.
func Decide(s *inspect.Schedule, times Times, state inspect.ScheduleState, busy bool, now time.Time) Decision {
	d := &decider{s: s, times: times, busy: busy, now: now, Decision: Decision{State: state}}
	d.State.Waiting = nil
	if state.Paused {
		d.State.Waiting = state.Waiting
		return d.Decision
	}
	for _, tick := range state.Waiting {
		d.due(tick)
	}
	d.ticks()
	return d.Decision
}

// decider collects a decision.
type decider struct {
	Decision
	s     *inspect.Schedule
	times Times
	busy  bool
	now   time.Time
}

// ticks goes through the ticks from Next on that have come.
func (d *decider) ticks() {
	until := d.now.Add(-Tolerance) // what is before is missed
	if window := window(d.s); d.s.Misfire == inspect.FireAll && window > Tolerance {
		until = d.now.Add(-window)
	}
	for next := d.State.Next; !next.IsZero() && !next.After(d.now); next = d.State.Next {
		if len(d.Fire) >= mostFired {
			d.More = true
			return
		}
		d.Changed = true
		if next.Before(until) {
			d.pass(until)
			continue
		}
		d.advance(next)
		d.due(next)
	}
}

func (d *decider) advance(tick time.Time) {
	from := tick
	if d.State.After.After(from) {
		from = d.State.After
	}
	d.State.Next = after(d.times, from)
}

// pass goes on to the first tick that is not missed. By fire_once the last one
// that is runs, for all.
func (d *decider) pass(until time.Time) {
	missed, last := 0, d.State.Next
	for !d.State.Next.IsZero() && d.State.Next.Before(until) {
		if missed == mostCounted {
			d.jump(until)
		}
		last = d.State.Next
		d.advance(last)
		missed++
	}
	if d.s.Misfire == "" || d.s.Misfire == inspect.FireOnce {
		missed--
		d.due(last)
	}
	d.Missed += missed
	d.State.Missed += int64(missed)
}

// jump goes to a tick shortly before a moment, from far behind it.
func (d *decider) jump(until time.Time) {
	for back := time.Second; until.Add(-back).After(d.State.Next); back *= 2 {
		if tick, ok := d.times.After(until.Add(-back)); ok && tick.Before(until) {
			d.State.Next = tick
			return
		}
	}
}

// due enqueues a tick, or does with it what the overlap rule says.
func (d *decider) due(tick time.Time) {
	switch {
	case d.s.Overlap == inspect.OverlapSkip && d.busy:
		d.skip()
		return
	case d.s.Overlap == inspect.OverlapQueue && d.busy:
		if len(d.State.Waiting) >= MostWaiting {
			d.skip()
			return
		}
		d.State.Waiting = append(d.State.Waiting, tick)
		return
	case d.s.Overlap == inspect.OverlapReplace && len(d.Fire) > 0: // it would be replaced at once
		d.Fire = d.Fire[:0]
		d.State.Fired--
		d.skip()
	case d.s.Overlap == inspect.OverlapReplace && d.busy:
		d.State.Cancel = append([]task.ID{}, append(d.State.Cancel, d.State.LastTask)...)
	}
	d.Fire = append(d.Fire, tick)
	d.State.Last = tick
	d.State.Fired++
	d.Changed, d.busy = true, true
}

func (d *decider) skip() {
	d.Skipped++
	d.State.Skipped++
	d.Changed = true
}
