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

// backoffProbes is a breaker that opens after three failures in a row and probes
// like a lonely client with full-jitter exponential backoff.
type backoffProbes struct {
	policy *retry.Policy
	random retry.Rand

	failures int // in a row
	until    time.Time
	probing  bool
}

const tripAfter = 3

func withBackoffProbes(first, most time.Duration) func(*kit) {
	policy := must(retry.New(retry.Exponential(first, 2, most)))
	return func(k *kit) {
		k.breaker = func(w *world) breaker { return &backoffProbes{policy: policy, random: w.jitter} }
	}
}

func (b *backoffProbes) enter(now time.Time) (pass, bool) {
	if b.failures < tripAfter {
		return pass{}, true
	}
	if b.probing || now.Before(b.until) {
		return pass{}, false
	}
	b.probing = true
	return pass{round: 1}, true
}

func (b *backoffProbes) leave(now time.Time, p pass, _ time.Duration, v *retry.Verdict) {
	if p.round == 1 {
		b.probing = false
	} else if b.failures >= tripAfter {
		return // began before the breaker opened
	}
	if v == nil {
		b.failures = 0
		return
	}
	if b.failures++; b.failures >= tripAfter {
		window := b.policy.Window(retry.Attempt{Number: b.failures - tripAfter + 1})
		b.until = now.Add(b.policy.Jitter().Draw(window, b.random))
	}
}

func (b *backoffProbes) cancel(_ time.Time, p pass) {
	if p.round == 1 {
		b.probing = false
	}
}
