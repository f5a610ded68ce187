package peer

import (
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
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

// WithRigidBreaker gives each client such a breaker.
func WithRigidBreaker(openFor time.Duration) func(*world.Kit) {
	return func(k *world.Kit) {
		k.Breaker = func(*world.World) world.Breaker { return &rigidBreaker{openFor: openFor} }
	}
}

func (b *rigidBreaker) Enter(now time.Time) (world.Pass, bool) {
	if !b.open {
		return world.Pass{Round: b.round}, true
	}
	if b.probing || now.Before(b.until) {
		return world.Pass{}, false
	}
	b.probing = true
	return world.Pass{Round: b.round}, true
}

func (b *rigidBreaker) Leave(now time.Time, p world.Pass, _ time.Duration, v *retry.Verdict) {
	if p.Round != b.round {
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

// Cancel counts like any failure: the caller's cancellation is an error to it.
func (b *rigidBreaker) Cancel(now time.Time, p world.Pass) { b.Leave(now, p, 0, &world.Canceled) }

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

// WithBackoffProbes gives each client such a breaker.
func WithBackoffProbes(first, most time.Duration) func(*world.Kit) {
	policy := world.Must(retry.New(retry.Exponential(first, 2, most)))
	return func(k *world.Kit) {
		k.Breaker = func(w *world.World) world.Breaker { return &backoffProbes{policy: policy, random: w.Jitter} }
	}
}

func (b *backoffProbes) Enter(now time.Time) (world.Pass, bool) {
	if b.failures < tripAfter {
		return world.Pass{}, true
	}
	if b.probing || now.Before(b.until) {
		return world.Pass{}, false
	}
	b.probing = true
	return world.Pass{Round: 1}, true
}

func (b *backoffProbes) Leave(now time.Time, p world.Pass, _ time.Duration, v *retry.Verdict) {
	if p.Round == 1 {
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

func (b *backoffProbes) Cancel(_ time.Time, p world.Pass) {
	if p.Round == 1 {
		b.probing = false
	}
}
