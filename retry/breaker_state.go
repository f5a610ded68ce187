package retry

import (
	"slices"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/window"
)

// Everything here runs under the breaker's lock.

func (b *Breaker) state() BreakerState { return breakerWord(b.word.Load()).state() }
func (b *Breaker) forced() bool        { return breakerWord(b.word.Load()).forced() }
func (b *Breaker) epoch() uint64       { return breakerWord(b.word.Load()).epoch() }

// advance does what time alone does: probes expire, a ramp ends. It is done as of
// the moment at which it was due.
func (b *Breaker) advance(now time.Time) {
	switch b.state() {
	case HalfOpen:
		if len(b.probes) > 0 && !now.Before(b.firstExpiry()) {
			b.trip(b.firstExpiry(), "probe_expired")
		}
	case Ramping:
		if end := b.closed.Add(b.ramp); !now.Before(end) {
			b.settled()
			b.enter(Closed, end, "ramped")
		}
	}
}

// trip opens the breaker, or goes on with an outage.
func (b *Breaker) trip(at time.Time, cause string) {
	if b.opened.IsZero() {
		b.opened, b.trips = at, 0
	}
	b.trips++
	b.failed = at
	b.open(at, at.Add(b.config.openTime(b.trips, at.Sub(b.opened))), cause)
}

// open enters Open until the given time.
func (b *Breaker) open(at, until time.Time, cause string) {
	b.until = until
	b.enter(Open, at, cause)
}

// close ends an outage with a ramp, if there is one. The ramp has begun at from.
func (b *Breaker) close(at, from time.Time, cause string) {
	b.closed, b.credit = from, 1
	b.ramp = min(b.config.Ramp, from.Sub(b.opened)/2)
	if b.ramp > 0 {
		b.enter(Ramping, at, cause)
		return
	}
	b.settled()
	b.enter(Closed, at, cause)
}

// settled ends the outage, if there is one: what is known of its length is kept to
// be observed.
func (b *Breaker) settled() {
	if !b.opened.IsZero() && b.config.Outages != nil {
		b.ended = append(b.ended, outage{b.failed.Sub(b.opened), b.closed.Sub(b.opened)})
	}
	b.forget()
}

// forget forgets the outage.
func (b *Breaker) forget() {
	b.opened, b.failed, b.trips = time.Time{}, time.Time{}, 0
}

// enter changes the state. All permits given before become void, but those of a
// ramp that is over: they count for the closed breaker.
func (b *Breaker) enter(to BreakerState, at time.Time, cause string) {
	b.set(to, false, at, cause)
}

func (b *Breaker) set(to BreakerState, forced bool, at time.Time, cause string) {
	was := breakerWord(b.word.Load())
	ramped := was.state() == Ramping && to == Closed && !forced
	epoch := was.epoch()
	if !ramped {
		epoch++
		b.probes, b.passed = b.probes[:0], 0
		b.row.Store(0)
		b.recent.Reset()
		b.window.Reset(window.Since(at))
	}
	if to != HalfOpen && !ramped {
		b.since = later(at, b.since)
	}
	if to != Open {
		b.until = time.Time{}
	}
	word := breakerWord(epoch<<3) | breakerWord(to)
	if forced {
		word |= forcedBit
	}
	b.word.Store(uint64(word))
	b.stirred = true
	if b.config.OnChange != nil {
		b.news = append(b.news, BreakerChange{From: was.state(), To: to, At: at, Until: b.until, Cause: cause})
	}
}

// later is a time that is not before t and after last: what this node learns is
// newer than all it has heard of, even if clocks differ. The step survives being
// stored.
func later(t, last time.Time) time.Time {
	if next := last.Add(time.Millisecond); t.Before(next) && !last.IsZero() {
		return next
	}
	return t
}

// admitted is the share of calls that is let through.
func (b *Breaker) admitted(now time.Time) float64 {
	switch b.state() {
	case Closed:
		return 1
	case Ramping:
		gone := float64(now.Sub(b.closed)) / float64(b.ramp)
		return rampLeast + (1-rampLeast)*min(max(gone, 0), 1)
	}
	return 0
}

// firstExpiry is when the first of the probes expires. There must be one.
func (b *Breaker) firstExpiry() time.Time {
	return slices.MinFunc(b.probes, func(a, b probe) int { return a.expires.Compare(b.expires) }).expires
}

// free gives up the place of a probe and reports whether it had one.
func (b *Breaker) free(number uint32) bool {
	i := slices.IndexFunc(b.probes, func(p probe) bool { return p.number == number })
	if i < 0 {
		return false
	}
	b.probes, b.stirred = slices.Delete(b.probes, i, i+1), true
	return true
}

// unlock ends a critical section, and then tells what happened in it, unless
// somebody is telling already, who then goes on: changes are told in order.
func (b *Breaker) unlock() {
	if b.stirred {
		b.stirred = false
		b.waiting.Stir()
	}
	if b.telling || len(b.news)+len(b.ended) == 0 {
		b.mu.Unlock()
		return
	}
	b.telling = true
	b.mu.Unlock()
	b.tell()
}

// tell calls those who want to know until there is nothing more to tell.
func (b *Breaker) tell() {
	done := false
	defer func() { // also when OnChange panics
		if !done {
			b.mu.Lock()
			b.telling = false
			b.mu.Unlock()
		}
	}()
	for {
		b.mu.Lock()
		news, ended := b.news, b.ended
		b.news, b.ended = nil, nil
		if done = len(news)+len(ended) == 0; done {
			b.telling = false
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		for _, change := range news {
			b.config.OnChange(change)
		}
		for _, o := range ended {
			b.config.Outages.Observe(o.after, o.by)
		}
	}
}

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
		b.window.Turn(window.Since(now))
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
