package schedules

import (
	"time"

	"github.com/netresearch/go-cron"
)

// Times are the moments at which a schedule fires. Immutable and safe for
// concurrent use. The zero value never fires.
//
// Where clocks are changed, some local times happen twice and others not at all.
// What a schedule does then follows from whether its cron expression names hours:
//
//   - One that does fires once for each local time that it names: one that is
//     skipped, at the first instant after the gap (once, if several are), one that
//     comes twice, the first time.
//   - One that does not, whose hour field is "*", follows elapsed time: it fires
//     whenever the local clock shows a time that matches, so a change neither
//     stops it for an hour nor makes it fire for that hour at once.
//
// Intervals and single times follow no clock.
type Times struct {
	wall    cron.Schedule // ticks of a clock that nobody changes; nil for other kinds
	elapsed bool          // the hour field is "*"
	minutes bool          // all ticks are whole minutes
	zone    *time.Location
	every   time.Duration
	start   time.Time // of every
	at      time.Time
}

// After is the first time after a moment, and false if there is none. Those of
// cron expressions are whole seconds.
func (t Times) After(moment time.Time) (next time.Time, ok bool) {
	switch {
	case t.wall != nil:
		return t.afterByClock(moment)
	case t.every > 0:
		return t.afterByInterval(moment), true
	default:
		return t.at, t.at.After(moment)
	}
}

func (t Times) afterByInterval(moment time.Time) time.Time {
	passed := moment.Sub(t.start)
	if passed < 0 {
		return t.start
	}
	return t.start.Add(passed - passed%t.every + t.every)
}

// afterByClock goes from one change of the clock to the next. Between two, its
// distance from a clock that nobody changes is constant.
func (t Times) afterByClock(moment time.Time) (time.Time, bool) {
	local := moment.In(t.zone)
	begin, end := local.ZoneBounds()
	for from := shown(local); ; from = shown(begin).Add(-1) {
		if repeated := shownBefore(begin); !t.elapsed && repeated.After(from) {
			from = repeated.Add(-1) // what is before has fired already
		}
		if t.minutes {
			from = from.Truncate(time.Minute).Add(time.Minute - 1) // no need to try each second
		}
		tick := t.wall.Next(from)
		if tick.IsZero() {
			return time.Time{}, false
		}
		if next := local.Add(tick.Sub(shown(local))).UTC(); end.IsZero() || next.Before(end) {
			return next, true
		}
		if !t.elapsed && tick.Before(shown(end)) {
			return end.UTC(), true // the clock skips the tick
		}
		local = end
		begin, end = local.ZoneBounds()
	}
}

// shown is what the clock shows, as the same time in UTC.
func shown(local time.Time) time.Time {
	_, offset := local.Zone()
	return local.Add(time.Duration(offset) * time.Second).UTC()
}

// shownBefore is what the clock would show at the beginning of a period if it
// had not been changed then; the zero time if it never was.
func shownBefore(begin time.Time) time.Time {
	if begin.IsZero() {
		return begin
	}
	return shown(begin.Add(-1)).Add(1)
}
