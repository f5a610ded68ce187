package retry

import (
	"errors"
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestThrottleFormula checks the share of refusals against the formula.
func TestThrottleFormula(t *testing.T) {
	for _, test := range []struct {
		k                 float64
		accepted, refused int
		want              float64
	}{
		{2, 0, 0, 0},
		{2, 100, 0, 0},
		{2, 50, 50, 0},
		{2, 25, 75, 50.0 / 101},
		{2, 0, 99, 0.99},
		{1.1, 50, 50, 45.0 / 101},
		{100, 1, 98, 0},
	} {
		throttle := must(NewThrottle(ThrottleConfig{K: test.k}))
		for range test.accepted {
			throttle.Accepted(day)
		}
		for range test.refused {
			throttle.Refused(day)
		}
		if got := throttle.Rejects(after(time.Minute)); math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%+v: %v", test, got)
		}
		if got := throttle.Rejects(after(5 * time.Minute)); got != 0 {
			t.Errorf("%+v: %v after the window", test, got)
		}
	}
}

// throttled runs a target for some seconds at 100 requests a second, up or down,
// and returns how many requests reached it in each second.
func throttled(throttle *Throttle, r Rand, from, to int, up bool) (reached []int) {
	for second := from; second < to; second++ {
		n := 0
		for i := range 100 {
			now := after(time.Duration(second)*time.Second + time.Duration(i)*10*time.Millisecond)
			if throttle.Allow(now, r) != nil {
				continue
			}
			n++
			if up {
				throttle.Accepted(now)
			} else {
				throttle.Refused(now)
			}
		}
		reached = append(reached, n)
	}
	return reached
}

// TestThrottleLife: a healthy target is left alone; one that refuses everything
// gets fewer and fewer requests, but never fewer than the floor, and is found
// again.
func TestThrottleLife(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	throttle := must(NewThrottle(ThrottleConfig{Window: 10 * time.Second}))
	for _, n := range throttled(throttle, r, 0, 60, true) {
		if n != 100 {
			t.Fatalf("%d of 100 let through to a healthy target", n)
		}
	}
	down := throttled(throttle, r, 60, 120, false)
	for _, n := range down[20:] {
		if n < 1 || n > 10 {
			t.Errorf("%d of 100 let through to a target that is down", n)
		}
	}
	up := throttled(throttle, r, 120, 240, true)
	recovered := 0
	for recovered < len(up) && up[recovered] < 95 {
		recovered++
	}
	if recovered > 60 {
		t.Errorf("recovered after %d s: %v", recovered, up)
	}
}

// TestThrottleFloor: with the least K, which refuses nearly everything, and
// random numbers that always refuse, exactly the floor passes.
func TestThrottleFloor(t *testing.T) {
	throttle := must(NewThrottle(ThrottleConfig{K: 1.1, Floor: 4}))
	for range 1000 {
		throttle.Refused(day)
	}
	passed := 0
	for i := range 1000 { // ten seconds
		if throttle.Allow(after(time.Duration(i)*10*time.Millisecond), constant(0)) == nil {
			passed++
			throttle.Refused(day)
		} else if !errors.Is(throttle.Allow(day, constant(0)), ErrThrottled) {
			t.Fatal("not ErrThrottled")
		}
	}
	if passed != 40 {
		t.Errorf("%d passed in ten seconds", passed)
	}
}

// TestThrottleColdStart: many requests at once before the first answer are all
// let through.
func TestThrottleColdStart(t *testing.T) {
	throttle := must(NewThrottle(ThrottleConfig{}))
	for i := range 1000 {
		if err := throttle.Allow(day, constant(0)); err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
	}
}

func TestThrottleConcurrent(t *testing.T) {
	throttle := must(NewThrottle(ThrottleConfig{Window: time.Second}))
	var passed atomic.Int64
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			for i := range 1000 { // ten seconds
				now := after(time.Duration(i) * 10 * time.Millisecond)
				if throttle.Allow(now, nil) == nil {
					passed.Add(1)
					throttle.Refused(now)
				}
			}
		})
	}
	group.Wait()
	if n := passed.Load(); n < 10 || n > 64_000/4 {
		t.Errorf("%d of 64 000 passed", n)
	}
}

func TestThrottleConfigRefused(t *testing.T) {
	_, err := NewThrottle(ThrottleConfig{K: 1, Window: time.Millisecond, Floor: -1})
	if fields := FieldErrors(err); len(fields) != 3 || fields[0].Field != "throttle.k" {
		t.Error(err)
	}
}
