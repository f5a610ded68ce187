package retry

import (
	"context"
	"time"
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
	return t.Budget != nil || t.Breaker != nil || t.Throttle != nil || t.Limit != nil
}

// measures reports whether a guard wants the length of attempts.
func (t *Target) measures() bool {
	return t.Throttle != nil || t.Limit != nil || t.Breaker != nil && t.Breaker.config.SlowCall > 0
}

// take asks the guards that stand before an attempt, in their order. Now may be
// zero if the target does not measure.
func (k *ticket) take(t *Target, now time.Time, first bool, r Rand) error {
	k.target, k.first, k.began = t, first, now
	if first && t.Throttle != nil {
		if err := t.Throttle.Allow(now, r); err != nil {
			return err
		}
	}
	if t.Breaker != nil {
		permit, err := t.Breaker.acquireLazily(now)
		if err != nil {
			return err
		}
		k.permit = permit
	}
	if t.Limit != nil && !t.Limit.Acquire(now) {
		k.permit.Cancel(now)
		return ErrLimited
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
		now = clock()
	}
	return b.acquire(now)
}

// call makes the attempt under the ticket alone. A panic or the end of the
// goroutine passes through, but counts as a failure.
func (k *ticket) call(ctx context.Context, fn func(ctx context.Context) error) error {
	returned := false
	defer func() {
		if !returned {
			k.fail(clock(), Bug)
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
