package sim

import (
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// rigidBreaker is a breaker with the rules of gobreaker's defaults: it opens after
// more than five failures in a row, whatever failed, for a time that is always the
// same, and then lets one call through, of which it waits for the end for ever.
type rigidBreaker struct {
	openFor  time.Duration
	failures int
	open     bool
	until    time.Time
	probing  bool
	round    int // calls of earlier rounds do not count
}

const rigidTrips = 6

func withRigidBreaker(openFor time.Duration) func(*kit) {
	return func(k *kit) { k.breaker = func(*world) breaker { return &rigidBreaker{openFor: openFor} } }
}

func (b *rigidBreaker) enter(now time.Time) (pass, bool) {
	if !b.open {
		return pass{round: b.round}, true
	}
	if b.probing || now.Before(b.until) {
		return pass{}, false
	}
	b.probing = true
	return pass{round: b.round}, true
}

func (b *rigidBreaker) leave(now time.Time, p pass, _ time.Duration, v *retry.Verdict) {
	if p.round != b.round {
		return
	}
	if v == nil {
		b.failures = 0
		if b.probing {
			b.open, b.probing = false, false
			b.round++
		}
		return
	}
	if b.failures++; b.probing || b.failures >= rigidTrips {
		b.open, b.probing, b.failures, b.until = true, false, 0, now.Add(b.openFor)
		b.round++
	}
}

// cancel counts like any failure: the caller's cancellation is an error to it.
func (b *rigidBreaker) cancel(now time.Time, p pass) { b.leave(now, p, 0, &canceled) }
