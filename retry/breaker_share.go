package retry

import "time"

// BreakerView is a breaker at one moment, as it is shown and shared.
type BreakerView struct {
	State    BreakerState
	Forced   bool
	Since    time.Time // of the last opening, closing or forcing; see [Breaker.Adopt]
	Steered  time.Time // of the last Force or Unforce; zero when there was none
	Until    time.Time // when an open breaker probes
	Opened   time.Time // the beginning of the outage, ramp included; zero when closed
	Trips    int       // failed probes of this outage, plus one
	Calls    int64     // in the window
	Failures int64
	Slow     int64
	Probing  int     // probes under way
	Admitted float64 // share of calls let through: 1 closed, 0 open
}

// View returns the breaker as it stands.
func (b *Breaker) View(now time.Time) BreakerView {
	b.mu.Lock()
	defer b.unlock()
	b.advance(now)
	if b.config.Count == 0 {
		b.window.turn(since(now))
	}
	view := BreakerView{
		State: b.state(), Forced: b.forced(),
		Since: b.since, Steered: b.steered, Until: b.until, Opened: b.opened,
		Trips: b.trips, Probing: len(b.probes), Admitted: b.admitted(now),
	}
	view.Calls, view.Failures, view.Slow = b.calls()
	return view
}

// settledClosed reports whether the breaker is closed by itself and has nothing
// to lose.
func (b *Breaker) settledClosed() bool {
	w := breakerWord(b.word.Load())
	return w.state() == Closed && !w.forced()
}

// Force opens or closes the breaker until Unforce. A forced-open one lets nothing
// through and sends no probes; a forced-closed one lets everything through. Every
// state but Open is taken for Closed.
func (b *Breaker) Force(now time.Time, to BreakerState) {
	b.mu.Lock()
	defer b.unlock()
	b.advance(now)
	b.steered = later(now, b.steered)
	b.force(now, to, "forced")
}

func (b *Breaker) force(now time.Time, to BreakerState, cause string) {
	if to != Open {
		to = Closed
	}
	b.forget()
	if to == Open {
		b.opened, b.trips = now, 1
	}
	b.until = time.Time{}
	b.set(to, true, now, cause)
}

// Unforce gives the breaker back to itself: closed, with a ramp. It does nothing
// to a breaker that is not forced.
func (b *Breaker) Unforce(now time.Time) {
	b.mu.Lock()
	defer b.unlock()
	if b.forced() {
		b.steered = later(now, b.steered)
		b.restart(now, now, "unforced")
	}
}

// restart closes with a ramp whatever went before, which was no outage of which
// the length is known.
func (b *Breaker) restart(now, from time.Time, cause string) {
	b.forget()
	b.closed, b.ramp, b.credit = from, b.config.Ramp, 1
	to := Ramping
	if b.ramp <= 0 {
		to = Closed
	}
	b.enter(to, now, cause)
}

// Adopt takes over what another node knows of the same target, if it is newer than
// what this one knows: an opening, a closing after a successful probe (which
// starts a ramp here too), a forcing or its end. It reports whether anything
// changed.
//
// Newer is the later Since or, where one of the two is forced, the later Steered:
// no outage undoes what an operator wants. Of two that are equally new
// the forced one counts, and then the open one. A half-open view is an open one with a probe under way, and the end
// of a ramp is no news. Adopted open times are drawn anew and end after the
// other's, so that nodes do not probe in step. Clocks of nodes may differ: what a
// node learns itself is newer than all it has heard of.
func (b *Breaker) Adopt(now time.Time, other BreakerView) bool {
	b.mu.Lock()
	defer b.unlock()
	b.advance(now)
	adopted := b.outdated(other) && b.adopt(now, other)
	if adopted || !b.forced() && !other.Forced && other.Since.After(b.since) {
		b.since = other.Since
	}
	if other.Steered.After(b.steered) {
		b.steered = other.Steered
	}
	return adopted
}

// outdated reports whether the other view is the newer one.
func (b *Breaker) outdated(other BreakerView) bool {
	order := other.Since.Compare(b.since)
	if b.forced() || other.Forced {
		order = other.Steered.Compare(b.steered)
	}
	return order > 0 || order == 0 && rank(other.Forced, other.State) > rank(b.forced(), b.state())
}

// rank decides between two views that are equally new.
func rank(forced bool, s BreakerState) (rank int) {
	if forced {
		rank = 2
	}
	if s.shut() {
		rank++
	}
	return rank
}

// shut reports whether a state keeps calls away, but for probes.
func (s BreakerState) shut() bool { return s == Open || s == HalfOpen }

// adopt takes over a newer view and reports whether anything changed.
func (b *Breaker) adopt(now time.Time, other BreakerView) bool {
	state, forced := b.state(), b.forced()
	switch {
	case other.Forced:
		if forced && (state == Open) == (other.State == Open) {
			return false
		}
		b.force(now, other.State, "adopted")
	case other.State.shut():
		b.adoptOpen(now, other)
	case forced:
		b.restart(now, now, "adopted")
	case state.shut():
		from := now
		if age := now.Sub(other.Since); other.State == Ramping && age > 0 && age < b.config.Ramp {
			from = other.Since
		}
		b.close(now, from, "adopted")
	default:
		return false
	}
	return true
}

// adoptOpen opens until some time after the other node probes.
func (b *Breaker) adoptOpen(now time.Time, other BreakerView) {
	length := max(other.Until.Sub(other.Since), 0)
	left := min(max(other.Until.Sub(now), 0), length)
	if other.State == HalfOpen || other.Until.IsZero() {
		length, left = b.config.OpenFor, b.config.OpenFor
	}
	b.opened, b.failed = other.Opened, other.Since
	if b.opened.IsZero() || b.opened.After(now) {
		b.opened = now
	}
	if b.failed.Before(b.opened) {
		b.failed = b.opened
	}
	b.trips = max(other.Trips, 1)
	b.open(now, now.Add(left+scale(length, openSpread*uniform(b.config.Rand))), "adopted")
}
