package retry_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// patient is a policy of one attempt that waits for its guards.
func patient(t *testing.T, most time.Duration, opts ...retry.Option) *retry.Policy {
	t.Helper()
	return policy(t, append(opts, retry.Attempts(1), retry.MaxWait(most))...)
}

func slowBreaker(t *testing.T, c retry.BreakerConfig) *retry.Breaker {
	t.Helper()
	c.Consecutive, c.OpenFor, c.OpenMax, c.Rand = 1, 10*time.Second, 10*time.Second, half{}
	b, err := retry.NewBreaker(c)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// half is the middle random number: open times are nominal.
type half struct{}

func (half) Float64() float64 { return 0.5 }

func places(t *testing.T, n int) *retry.Limit {
	t.Helper()
	l, err := retry.NewLimit(retry.LimitConfig{Initial: n, Fixed: true})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func trip(b *retry.Breaker) {
	permit, _ := b.Acquire(time.Now())
	permit.Failure(time.Now(), 0, retry.Network)
}

// starts runs n calls that take so long each, and returns when they began, in order,
// and the errors of those that did not.
func starts(t *testing.T, p *retry.Policy, n int, took time.Duration) (at []time.Duration, failed []error) {
	began := time.Now()
	var mu sync.Mutex
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			err := retry.Do(t.Context(), p, func(context.Context) error {
				mu.Lock()
				at = append(at, time.Since(began))
				mu.Unlock()
				time.Sleep(took)
				return nil
			})
			if err != nil {
				mu.Lock()
				failed = append(failed, err)
				mu.Unlock()
			}
		})
		synctest.Wait() // they come one after another
	}
	all.Wait()
	return at, failed
}

// An open breaker is waited for, within bounds, and a wait that is in vain is not begun.
func TestWaitForBreaker(t *testing.T) {
	for name, c := range map[string]struct {
		most, deadline, ttl time.Duration // 0 is none
		forced              bool
		reason              error
		took                time.Duration
	}{
		"until it probes":           {most: time.Minute, took: 10 * time.Second},
		"just long enough":          {most: 10 * time.Second, took: 10 * time.Second},
		"not at all":                {reason: retry.ErrBreakerOpen},
		"too short":                 {most: 10*time.Second - 1, reason: retry.ErrBreakerOpen},
		"a deadline after it":       {most: time.Minute, deadline: 10*time.Second + 1, took: 10 * time.Second},
		"a deadline":                {most: time.Minute, deadline: 10 * time.Second, reason: retry.ErrBreakerOpen},
		"a TTL":                     {most: time.Minute, ttl: 10 * time.Second, reason: retry.ErrBreakerOpen},
		"forced open, nobody knows": {most: time.Minute, forced: true, reason: retry.ErrBreakerOpen},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := slowBreaker(t, retry.BreakerConfig{})
				if trip(b); c.forced {
					b.Force(time.Now(), retry.Open)
				}
				ctx := t.Context()
				if c.deadline > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, c.deadline)
					defer cancel()
				}
				start, calls := time.Now(), 0
				err := retry.Do(ctx, patient(t, c.most, retry.WithBreaker(b), retry.TTL(c.ttl)), func(context.Context) error { calls++; return nil })
				if time.Since(start) != c.took || (calls == 1) != (c.reason == nil) || !errors.Is(err, c.reason) {
					t.Errorf("%v after %v, %d calls", err, time.Since(start), calls)
				}
			})
		})
	}
}

// A breaker that is half-open gets those who wait one by one: the second when the
// first has ended, then by the ramp, and the rest when that is over.
func TestWaitForBreakerOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := slowBreaker(t, retry.BreakerConfig{Ramp: 4 * time.Second})
		trip(b)
		at, failed := starts(t, patient(t, time.Minute, retry.WithBreaker(b)), 150, time.Second)
		if len(failed) > 0 || len(at) != 150 {
			t.Fatalf("%d began, %v", len(at), failed)
		}
		if at[0] != 10*time.Second || at[1] != 11*time.Second {
			t.Errorf("the probe at %v, the next one at %v", at[0], at[1])
		}
		for before, most := range map[time.Duration]int{11 * time.Second: 1, 12 * time.Second: 10, 13 * time.Second: 40, 14 * time.Second: 90} {
			if n, _ := slices.BinarySearch(at, before); n > most {
				t.Errorf("%d began before %v", n, before)
			}
		}
		if last := at[len(at)-1]; last > 15*time.Second+100*time.Millisecond {
			t.Errorf("the last one at %v", last)
		}
	})
}

// Who waits hears that the breaker has opened again, and gives up if the next probe
// comes too late.
func TestWaitForBreakerThatOpensAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := slowBreaker(t, retry.BreakerConfig{})
		trip(b)
		start := time.Now()
		var failed sync.WaitGroup
		for n, want := range []time.Duration{10 * time.Second, 12 * time.Second} {
			p := patient(t, 15*time.Second, retry.WithBreaker(b))
			failed.Go(func() {
				err := retry.Do(t.Context(), p, func(context.Context) error { time.Sleep(2 * time.Second); return errNetwork })
				if n == 0 {
					want += 2 * time.Second // the attempt
				}
				if passed := time.Since(start); err == nil || passed != want || errors.Is(err, retry.ErrBreakerOpen) != (n == 1) {
					t.Errorf("call %d: %v after %v", n, err, passed)
				}
			})
			synctest.Wait()
		}
		failed.Wait()
	})
}

// A probe that never ends does not keep the line waiting: its place expires.
func TestWaitForBreakerWithAHangingProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := slowBreaker(t, retry.BreakerConfig{ProbeTimeout: 3 * time.Second})
		trip(b)
		time.Sleep(10 * time.Second)
		if _, err := b.Acquire(time.Now()); err != nil {
			t.Fatal(err)
		}
		at, failed := starts(t, patient(t, time.Minute, retry.WithBreaker(b)), 1, 0)
		if len(failed) > 0 || at[0] != 13*time.Second {
			t.Errorf("began at %v, %v", at, failed)
		}
	})
}

// Whoever closes or opens a breaker by hand is heard.
func TestWaitForBreakerThatIsForced(t *testing.T) {
	for to, reason := range map[retry.BreakerState]error{retry.Closed: nil, retry.Open: retry.ErrBreakerOpen} {
		synctest.Test(t, func(t *testing.T) {
			b := slowBreaker(t, retry.BreakerConfig{})
			trip(b)
			start := time.Now()
			time.AfterFunc(2*time.Second, func() { b.Force(time.Now(), to) })
			err := retry.Do(t.Context(), patient(t, time.Minute, retry.WithBreaker(b)), func(context.Context) error { return nil })
			if !errors.Is(err, reason) || time.Since(start) != 2*time.Second {
				t.Errorf("forced %v: %v after %v", to, err, time.Since(start))
			}
		})
	}
}

// A retry waits for the breaker that its own failure has opened. Its tokens are kept
// meanwhile, and its own time begins after the wait.
func TestWaitOfARetry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := slowBreaker(t, retry.BreakerConfig{Ramp: -1})
		p := policy(t, retry.WithBreaker(b), retry.Attempts(3), retry.Fixed(time.Second), retry.NoJitter(), retry.Idempotent(),
			retry.MaxWait(time.Minute), retry.PerAttempt(5*time.Second))
		start := time.Now()
		var at, left []time.Duration
		err := retry.Do(t.Context(), p, func(ctx context.Context) error {
			deadline, _ := ctx.Deadline()
			at, left = append(at, time.Since(start)), append(left, time.Until(deadline))
			if len(at) < 3 {
				return errNetwork
			}
			return nil
		})
		if err != nil || !slices.Equal(at, []time.Duration{0, 10 * time.Second, 20 * time.Second}) {
			t.Errorf("%v, attempts at %v", err, at)
		}
		if !slices.Equal(left, []time.Duration{5 * time.Second, 5 * time.Second, 5 * time.Second}) {
			t.Errorf("the attempts had %v", left)
		}
	})
}

// Places under a limit go to those who wait in the order in which they came, and to
// nobody else who can wait.
func TestWaitForLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := places(t, 2)
		at, failed := starts(t, patient(t, 2500*time.Millisecond, retry.WithLimit(l)), 7, time.Second)
		want := []time.Duration{0, 0, time.Second, time.Second, 2 * time.Second, 2 * time.Second}
		if !slices.Equal(at, want) {
			t.Errorf("began at %v, not %v", at, want)
		}
		if len(failed) != 1 || !errors.Is(failed[0], retry.ErrLimited) {
			t.Errorf("one too many: %v", failed)
		}
		if _, taken := l.Now(); taken != 0 {
			t.Errorf("%d places are taken", taken)
		}
	})
}

func TestWaitForRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		at, failed := starts(t, patient(t, 2*time.Second, retry.WithRate(rate(t, 2, 1))), 7, time.Hour)
		want := []time.Duration{0, 500 * time.Millisecond, time.Second, 1500 * time.Millisecond, 2 * time.Second}
		if !slices.Equal(at, want) {
			t.Errorf("began at %v, not %v", at, want)
		}
		if len(failed) != 2 || !errors.Is(failed[0], retry.ErrRate) {
			t.Errorf("two too many: %v", failed)
		}
	})
}

// Who waits in vain for the rate, by the number of those ahead, is told at once.
func TestWaitForRateInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, start := patient(t, 2*time.Second, retry.WithRate(rate(t, 1, 1))), time.Now()
		var all sync.WaitGroup
		for n := range 5 {
			all.Go(func() {
				err := retry.Do(t.Context(), p, func(context.Context) error { return nil })
				want := time.Duration(n) * time.Second
				if n > 2 {
					want = 0
				}
				if (err != nil) != (n > 2) || time.Since(start) != want {
					t.Errorf("call %d: %v after %v", n, err, time.Since(start))
				}
			})
			synctest.Wait()
		}
		all.Wait()
	})
}

// A wait ends with the caller's context: by a cancellation with its cause, and by a
// deadline with the guard that was waited for.
func TestWaitEndsWithTheContext(t *testing.T) {
	errGone := errors.New("the caller has gone")
	synctest.Test(t, func(t *testing.T) {
		l := places(t, 1)
		l.Acquire(time.Now())
		p := patient(t, time.Minute, retry.WithLimit(l))
		for name, c := range map[string]struct {
			ctx     func() (context.Context, context.CancelFunc)
			reason  error
			context error
		}{
			"canceled": {func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(errGone) })
				return ctx, func() { cancel(nil) }
			}, errGone, context.Canceled},
			"deadline": {func() (context.Context, context.CancelFunc) { return context.WithTimeout(t.Context(), time.Second) },
				retry.ErrLimited, context.DeadlineExceeded},
		} {
			ctx, cancel := c.ctx()
			start := time.Now()
			end := asError(t, retry.Do(ctx, p, func(context.Context) error { return nil }))
			cancel()
			if end.Reason != c.reason || !errors.Is(end, c.context) || time.Since(start) != time.Second || end.Attempts != 0 { //nolint:errorlint // the very value
				t.Errorf("%s: %v after %v", name, end, time.Since(start))
			}
			if v := retry.Classify(end); v.Effect != retry.NotSent {
				t.Errorf("%s: an outer operation sees %+v", name, v)
			}
		}
		if _, taken := l.Now(); taken != 1 {
			t.Errorf("%d places are taken", taken)
		}
	})
}

// One guard after another is waited for, and nothing is held of one meanwhile.
func TestWaitForAllGuards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, l, r := slowBreaker(t, retry.BreakerConfig{Ramp: -1}), places(t, 1), rate(t, 0.05, 1)
		trip(b)
		l.Acquire(time.Now())
		_, _ = r.Acquire(time.Now())
		target := &retry.Target{Breaker: b, Limit: l, Rate: r}
		start := time.Now()
		time.AfterFunc(15*time.Second, func() {
			if _, taken := l.Now(); taken != 1 {
				t.Errorf("%d places are taken while it waits", taken)
			}
			l.Release(time.Now(), 0, retry.Canceled)
		})
		time.AfterFunc(16*time.Second, func() {
			view := b.View(time.Now())
			if _, taken := l.Now(); taken != 0 || view.Probing != 0 {
				t.Errorf("%d places and %d probes are taken while it waits for the rate", taken, view.Probing)
			}
		})
		err := retry.Do(t.Context(), patient(t, 20*time.Second, retry.For(target)), func(context.Context) error { return nil })
		if err != nil || time.Since(start) != 20*time.Second || b.View(time.Now()).State != retry.Closed {
			t.Errorf("%v after %v, the breaker is %v", err, time.Since(start), b.View(time.Now()).State)
		}
		if ok, wait := r.Acquire(time.Now()); ok || wait != 20*time.Second {
			t.Errorf("the call has not counted for the rate: %t, %v", ok, wait)
		}
	})
}

// A throttle and a budget are not waited for, and the throttle is asked once.
func TestWaitIsNotForThrottles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		for target.Throttle.Rejects(time.Now()) < 0.999 {
			target.Throttle.Refused(time.Now())
		}
		p, start := patient(t, time.Minute, retry.For(target), retry.WithRand(zero{})), time.Now()
		_ = retry.Do(t.Context(), p, func(context.Context) error { return nil }) // the floor
		end := asError(t, retry.Do(t.Context(), p, func(context.Context) error { return nil }))
		if end.Reason != retry.ErrThrottled || time.Since(start) != 0 { //nolint:errorlint // the very value
			t.Errorf("%v after %v", end, time.Since(start))
		}
		budget := everyGuard(t)
		budget.Throttle, budget.Breaker = nil, nil
		q := policy(t, retry.For(budget), retry.MaxWait(time.Minute), retry.Fixed(0), retry.NoJitter(), retry.Idempotent())
		end = asError(t, retry.Do(t.Context(), q, func(context.Context) error { return errNetwork }))
		if end.Reason != retry.ErrBudget || time.Since(start) != 0 { //nolint:errorlint // the very value
			t.Errorf("%v after %v", end, time.Since(start))
		}
	})
}

// A retry that gives up waiting has its tokens back.
func TestWaitReturnsTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		target := everyGuard(t)
		before := tokens(target)
		p := policy(t, retry.For(target), retry.MaxWait(time.Second), retry.Fixed(time.Second), retry.NoJitter(), retry.Idempotent())
		start := time.Now()
		end := asError(t, retry.Do(t.Context(), p, func(context.Context) error {
			target.Limit.Acquire(time.Now()) // with its own, all are taken, and it is over
			target.Limit.Acquire(time.Now())
			time.AfterFunc(time.Nanosecond, func() { target.Limit.Acquire(time.Now()) }) // when this one has given back its place
			return errNetwork
		}))
		if end.Reason != retry.ErrLimited || end.Attempts != 1 || time.Since(start) != 2*time.Second { //nolint:errorlint // the very value
			t.Errorf("%v after %v", end, time.Since(start))
		}
		if now := tokens(target); now != before {
			t.Errorf("%v tokens, %v before", now, before)
		}
	})
}

// All forms of calls wait: the loop, the background and hedges. Only the first copy of
// a hedged attempt does.
func TestWaitInAllForms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := places(t, 1)
		p := patient(t, time.Minute, retry.WithLimit(l), retry.Idempotent(), retry.Hedge(retry.HedgeConfig{After: -1}))
		for name, call := range map[string]func() error{
			"Do": func() error { return retry.Do(t.Context(), p, func(context.Context) error { return nil }) },
			"Attempts": func() (err error) {
				for try := range p.Attempts(t.Context()) {
					err = try.Done(try.Context().Err())
				}
				return err
			},
			"Go": func() error { return retry.Go(t.Context(), p, func(context.Context) error { return nil }).Wait() },
			"Hedged": func() error {
				calls := 0
				_, err := retry.Hedged(t.Context(), p, func(context.Context) (int, error) { calls++; time.Sleep(time.Second); return calls, nil })
				if calls != 1 {
					t.Errorf("%d copies under a limit of 1", calls)
				}
				return err
			},
		} {
			l.Acquire(time.Now())
			start := time.Now()
			time.AfterFunc(time.Second, func() { l.Release(time.Now(), 0, retry.Canceled) })
			if err := call(); err != nil || time.Since(start) < time.Second {
				t.Errorf("%s: %v after %v", name, err, time.Since(start))
			}
		}
	})
}

// What waits in the background is stopped.
func TestWaitIsStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := places(t, 1)
		l.Acquire(time.Now())
		h := retry.Go(t.Context(), patient(t, time.Hour, retry.WithLimit(l)), func(context.Context) error { return nil })
		time.Sleep(time.Minute)
		start := time.Now()
		h.Stop()
		if err := h.Wait(); !errors.Is(err, retry.ErrStopped) || time.Since(start) != 0 {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestWaitRefused(t *testing.T) {
	_, err := retry.New(retry.MaxWait(-1))
	if found := retry.FieldErrors(err); len(found) != 1 || found[0].Field != "max_wait" {
		t.Error(err)
	}
}

// Under many callers and a limit that is always full, nobody is lost and the limit
// holds.
func TestWaitConcurrent(t *testing.T) {
	l := places(t, 4)
	p := patient(t, time.Hour, retry.WithLimit(l))
	var mu sync.Mutex
	var inside, most, calls int
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() {
			for range 20 {
				err := retry.Do(t.Context(), p, func(context.Context) error {
					mu.Lock()
					defer mu.Unlock()
					calls++
					return nil
				})
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				inside++
				most = max(most, inside)
				inside--
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if _, taken := l.Now(); calls != 4000 || taken != 0 {
		t.Errorf("%d calls, %d places are taken", calls, taken)
	}
}
