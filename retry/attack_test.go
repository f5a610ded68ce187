package retry

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A panic of a user's classifier passes through, but the attempt's place is given
// back.
func TestPanickingClassifierHoldsNothing(t *testing.T) {
	limit, _ := NewLimit(LimitConfig{Initial: 1, Fixed: true, Max: 1})
	breaker, _ := NewBreaker(BreakerConfig{})
	for name, opts := range map[string][]Option{
		"plain": {WithLimit(limit), WithBreaker(breaker)},
		"hedge": {WithLimit(limit), WithBreaker(breaker), Hedge(HedgeConfig{After: time.Hour})},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := New(append(opts, Attempts(3), Fixed(time.Millisecond), Idempotent())...)
			if err != nil {
				t.Fatal(err)
			}
			func() {
				defer func() { _ = recover() }()
				_, _ = Hedged(t.Context(), p, func(context.Context) (int, error) { return 0, errors.New("x") },
					Classifier(func(error) (Verdict, bool) { panic("classifier") }))
			}()
			if _, taken := limit.Now(); taken != 0 {
				t.Errorf("%d places are still taken", taken)
				limit.Release(time.Now(), 0, Canceled)
			}
		})
	}
}

// So does one of an observer.
func TestPanickingObserverHoldsNothing(t *testing.T) {
	limit, _ := NewLimit(LimitConfig{Initial: 1, Fixed: true, Max: 1})
	p, err := New(WithLimit(limit), Attempts(3), Fixed(time.Millisecond), Idempotent(), Observe(Observer{Attempt: func(AttemptEvent) { panic("o") }}))
	if err != nil {
		t.Fatal(err)
	}
	for _, ret := range []error{nil, errors.New("x")} {
		func() {
			defer func() { _ = recover() }()
			_ = Do(t.Context(), p, func(ctx context.Context) error { return ret })
		}()
		if _, taken := limit.Now(); taken != 0 {
			t.Errorf("%d places are still taken", taken)
			limit.Release(time.Now(), 0, Canceled)
		}
	}
}

// panicsIs is an error that panics when it is compared.
type panicsIs struct{}

func (panicsIs) Error() string   { return "x" }
func (panicsIs) Is(e error) bool { panic("is") }

func TestErrorThatPanicsInIs(t *testing.T) {
	limit, _ := NewLimit(LimitConfig{Initial: 1, Fixed: true, Max: 1})
	p, _ := New(WithLimit(limit), Attempts(3), Fixed(time.Millisecond), Idempotent())
	ctx, cancel := context.WithCancel(t.Context())
	func() {
		defer func() { t.Log(recover()) }()
		_ = Do(ctx, p, func(ctx context.Context) error { cancel(); return panicsIs{} })
	}()
	if _, taken := limit.Now(); taken != 0 {
		t.Errorf("%d places are still taken", taken)
	}
}

func TestCauseOfAnExpiredAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := New(Attempts(1), PerAttempt(time.Second))
		_ = Do(t.Context(), p, func(ctx context.Context) error {
			time.Sleep(2 * time.Second)
			if cause := context.Cause(ctx); !errors.Is(cause, ErrAttemptTimeout) {
				t.Errorf("first cause %v", cause)
			}
			if cause := context.Cause(ctx); !errors.Is(cause, ErrAttemptTimeout) {
				t.Errorf("second cause %v", cause)
			}
			child, cancel := context.WithCancel(ctx)
			defer cancel()
			if cause := context.Cause(child); !errors.Is(cause, ErrAttemptTimeout) {
				t.Errorf("child cause %v", cause)
			}
			return nil
		})
	})
}

func TestCauseAfterTheAttempt(t *testing.T) {
	p, _ := New(Attempts(2), Fixed(0), PerAttempt(time.Hour), Idempotent())
	var kept []context.Context
	_ = Do(t.Context(), p, func(ctx context.Context) error { kept = append(kept, ctx); return errors.New("connection reset") })
	for _, ctx := range kept {
		if context.Cause(ctx) == nil {
			t.Errorf("cause nil, err %v", ctx.Err())
		}
		child, cancel := context.WithTimeout(ctx, time.Hour)
		if child.Err() == nil {
			t.Error("child lives")
		}
		cancel()
	}
}

// 64 goroutines: no more probes than configured, whatever happens.
func TestManyProbes(t *testing.T) {
	b, _ := NewBreaker(BreakerConfig{Consecutive: 1, OpenFor: time.Millisecond, OpenMax: time.Millisecond, Probes: 3, ProbeTimeout: time.Second, Ramp: -1})
	var now [1 << 16]atomic.Int64 // by epoch
	var high atomic.Int64
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Go(func() {
			for i := range 3000 {
				permit, err := b.Acquire(time.Now())
				if err != nil {
					runtime.Gosched()
					continue
				}
				if permit.probe != 0 {
					n := now[permit.epoch].Add(1)
					for h := high.Load(); n > h && !high.CompareAndSwap(h, n); h = high.Load() {
					}
					runtime.Gosched()
					now[permit.epoch].Add(-1)
				}
				switch (g + i) % 4 {
				case 0:
					permit.Cancel(time.Now())
				case 1:
					permit.Failure(time.Now(), 0, Unavailable)
				case 2:
					permit.Failure(time.Now(), 0, Permanent)
				default:
					permit.Success(time.Now(), 0)
				}
			}
		})
	}
	wg.Wait()
	if high.Load() > 3 {
		t.Errorf("%d probes at once", high.Load())
	}
}

// Two and three nodes with clocks apart exchange views for ever: the open time must not
// grow, and all must close after one has.
func TestAdoptConverges(t *testing.T) {
	for _, skew := range []time.Duration{0, time.Hour, -time.Hour, 3 * time.Second, -3 * time.Second} {
		now := time.Unix(1e9, 0)
		var nodes []*Breaker
		clockOf := func(i int) time.Time { return now.Add(time.Duration(i) * skew) }
		for range 3 {
			b, _ := NewBreaker(BreakerConfig{Consecutive: 1})
			nodes = append(nodes, b)
		}
		p, _ := nodes[0].Acquire(now)
		p.Failure(now, 0, Unavailable)
		worked := -1
		for s := range 600 {
			now = now.Add(time.Second)
			var views []BreakerView
			for i, b := range nodes {
				v := b.View(clockOf(i))
				v.Since, v.Until, v.Opened = v.Since.Truncate(time.Microsecond), v.Until.Truncate(time.Microsecond), v.Opened.Truncate(time.Microsecond)
				views = append(views, v)
			}
			for i, b := range nodes {
				for j := range views {
					if i != j {
						b.Adopt(clockOf(i), views[j])
					}
				}
				if permit, err := b.Acquire(clockOf(i)); err == nil {
					if s < 120 {
						permit.Failure(clockOf(i), 0, Unavailable)
					} else {
						permit.Success(clockOf(i), 0)
					}
				}
			}
			all := true
			for i, b := range nodes {
				all = all && b.View(clockOf(i)).State == Closed
			}
			if s > 120 && all {
				worked = s
				break
			}
		}
		t.Logf("skew %v: closed everywhere after %d s", skew, worked)
		if worked < 0 || worked > 120+150 {
			t.Errorf("skew %v: never closed: %d", skew, worked)
		}
	}
}

func TestAbsurdNumbers(t *testing.T) {
	for _, after := range []time.Duration{math.MaxInt64, math.MinInt64, 1} {
		for _, opts := range [][]Option{{Attempts(3), Exponential(time.Second, 100, 0)}, {Unlimited(), Fibonacci(time.Hour, 0)}, {Attempts(3), Linear(math.MaxInt64, math.MaxInt64, 0), Additive(1)}} {
			p, err := New(opts...)
			if err != nil {
				continue
			}
			for _, n := range []int{1, 2, 1 << 30, math.MaxInt} {
				d := p.Decide(Failure{Attempt: n, MaxAttempts: math.MaxInt, Verdict: Verdict{Category: Unavailable, Hint: Hint{After: after}}, Now: time.Now(), PreviousDelay: math.MaxInt64, Deadline: time.Now().Add(math.MaxInt64), Usual: math.MaxInt64}, nil)
				if d.Delay < 0 {
					t.Errorf("%v", d)
				}
			}
		}
	}
}
