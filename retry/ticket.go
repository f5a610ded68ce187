package retry

import (
	"context"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/clock"
	"github.com/outlast-dev/outlast/retry/internal/line"
)

// ticket is what an attempt took from the guards of its target, to be given back
// by exactly one of its methods.
type ticket struct {
	target *Target
	permit Permit
	first  bool
	began  time.Time // zero when nothing measures the attempt
}

// guards reports whether the target has any.
func (t *Target) guards() bool {
	return t.Budget != nil || t.Breaker != nil || t.Throttle != nil || t.Limit != nil || t.Rate != nil
}

// measures reports whether a guard wants the time or the length of attempts.
func (t *Target) measures() bool {
	return t.Throttle != nil || t.Limit != nil || t.Rate != nil || t.Breaker != nil && t.Breaker.config.SlowCall > 0
}

// queued is a guard that callers can wait for.
type queued interface {
	line() *line.Line
	// due is when a caller who has so many ahead of it is to ask again if it hears
	// nothing before, zero for never. Sure tells that asking before is in vain.
	due(now time.Time, ahead int) (at time.Time, sure bool)
}

// take asks the guards that stand before an attempt, in their order. Now may be
// zero if the target does not measure. Patient is for callers who can wait: they do
// not overtake those who do.
func (k *ticket) take(t *Target, now time.Time, first, patient bool, r Rand) error {
	k.target, k.first = t, first
	if first && t.Throttle != nil {
		if err := t.Throttle.Allow(now, r); err != nil {
			return err
		}
	}
	return k.enter(now, patient, nil)
}

// enter asks the guards behind the throttle. Turn is the guard in whose line the
// caller is the first, nil for none.
func (k *ticket) enter(now time.Time, patient bool, turn queued) error {
	t := k.target
	k.began, k.permit = now, Permit{}
	if b := t.Breaker; b != nil {
		if patient && turn != b && !b.waiting.Empty() {
			return ErrBreakerOpen
		}
		permit, err := b.acquireLazily(now)
		if err != nil {
			return err
		}
		k.permit = permit
	}
	if l := t.Limit; l != nil && (patient && turn != l && !l.waiting.Empty() || !l.Acquire(now)) {
		k.permit.Cancel(now)
		return ErrLimited
	}
	if r := t.Rate; r != nil {
		ok := !patient || turn == r || r.waiting.Empty()
		if ok {
			ok, _ = r.Acquire(now)
		}
		if !ok {
			k.cancel(now)
			return ErrRate
		}
	}
	return nil
}

// awaited is the guard that has refused with err, nil for one that nobody waits for.
func (t *Target) awaited(err error) queued {
	switch {
	case errors.Is(err, ErrBreakerOpen):
		return t.Breaker
	case errors.Is(err, ErrLimited):
		return t.Limit
	case errors.Is(err, ErrRate):
		return t.Rate
	}
	return nil
}

// acquireLazily is Acquire for a caller who has not read the clock yet, if now is
// zero: a closed breaker does not need it.
func (b *Breaker) acquireLazily(now time.Time) (Permit, error) {
	if w := breakerWord(b.word.Load()); w.state() == Closed {
		return Permit{b, w.epoch(), 0}, nil
	}
	if now.IsZero() {
		now = clock.Now()
	}
	return b.acquire(now)
}

// call makes the attempt under the ticket alone. A panic or the end of the
// goroutine passes through, but counts as a failure.
func (k *ticket) call(ctx context.Context, fn func(ctx context.Context) error) error {
	returned := false
	defer func() {
		if !returned {
			k.fail(clock.Now(), Bug)
		}
	}()
	err := fn(ctx)
	returned = true
	return err
}

// heard tells the throttle whether the target accepted a first attempt.
func (k *ticket) heard(now time.Time, accepted bool) {
	switch {
	case !k.first || k.target.Throttle == nil:
	case accepted:
		k.target.Throttle.Accepted(now)
	default:
		k.target.Throttle.Refused(now)
	}
}

// took is the length of the attempt, 0 when unknown.
func (k *ticket) took(now time.Time) time.Duration {
	if k.began.IsZero() {
		return 0
	}
	return max(0, now.Sub(k.began))
}

// succeed counts a success.
func (k *ticket) succeed(now time.Time) {
	t := k.target
	k.permit.Success(now, k.took(now))
	if t.Limit != nil {
		t.Limit.Release(now, k.took(now), "")
	}
	k.heard(now, true)
	if t.Budget != nil {
		t.Budget.Record(now, k.first, true)
	}
}

// fail counts a failure. Canceled says nothing about the target.
func (k *ticket) fail(now time.Time, c Category) {
	if c == Canceled {
		k.cancel(now)
		return
	}
	t := k.target
	k.permit.Failure(now, k.took(now), c)
	if t.Limit != nil {
		t.Limit.Release(now, k.took(now), c)
	}
	served := c == Permanent || c == Conflict
	k.heard(now, served)
	if t.Budget != nil {
		t.Budget.Record(now, k.first, served)
	}
}

// cancel gives everything back: the attempt was not made, or says nothing.
func (k *ticket) cancel(now time.Time) {
	t := k.target
	k.permit.Cancel(now)
	if t.Limit != nil {
		t.Limit.Release(now, k.took(now), Canceled)
	}
}
