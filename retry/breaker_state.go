package retry

import (
	"slices"
	"time"
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
		b.recent.reset()
		b.window.reset(since(at))
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
	b.probes = slices.Delete(b.probes, i, i+1)
	return true
}

// unlock ends a critical section, and then tells what happened in it, unless
// somebody is telling already, who then goes on: changes are told in order.
func (b *Breaker) unlock() {
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
