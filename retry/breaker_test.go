package retry

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// half is a source of random numbers that draws the middle of every range.
type half struct{}

func (half) Float64() float64 { return 0.5 }

// told collects the changes of a breaker.
func told(changes *[]string) func(BreakerChange) {
	return func(c BreakerChange) {
		*changes = append(*changes, fmt.Sprintf("%s→%s:%s@%v", c.From, c.To, c.Cause, c.At.Sub(day).Round(time.Millisecond)))
	}
}

// send makes a call of some length that starts now and reports whether it was
// let through.
func send(b *Breaker, now time.Time, took time.Duration, c Category) bool {
	permit, err := b.Acquire(now)
	if err != nil {
		return false
	}
	if c == "" {
		permit.Success(now.Add(took), took)
	} else {
		permit.Failure(now.Add(took), took, c)
	}
	return true
}

// TestBreakerLife goes once around all states.
func TestBreakerLife(t *testing.T) {
	var changes []string
	b := must(NewBreaker(BreakerConfig{Rand: half{}, OnChange: told(&changes)}))
	for range 10 {
		send(b, day, 0, "")
	}
	for i := range 10 {
		if !send(b, day, 0, Unavailable) {
			t.Fatalf("refused after %d failures", i)
		}
	}
	if _, err := b.Acquire(after(5*time.Second - 1)); !errors.Is(err, ErrBreakerOpen) {
		t.Errorf("open: %v", err)
	}
	if ok, at := b.Ready(after(time.Second)); ok || !at.Equal(after(5*time.Second)) {
		t.Errorf("ready %v at %v", ok, at)
	}
	send(b, after(5*time.Second), 0, Timeout) // the probe fails: half as long again
	send(b, after(13*time.Second), 0, "")     // the next one does not
	if got := b.View(after(16250 * time.Millisecond)); got.State != Ramping || math.Abs(got.Admitted-0.55) > 1e-9 || got.Trips != 2 {
		t.Errorf("%+v", got)
	}
	if got := b.View(after(23 * time.Second)); got.State != Closed || got.Trips != 0 || got.Admitted != 1 {
		t.Errorf("%+v", got)
	}
	want := "closed→open:failure_rate@0s open→half_open:time@5s half_open→open:probe_failed@5s " +
		"open→half_open:time@13s half_open→ramping:probed@13s ramping→closed:ramped@19.5s" // half of the outage
	if got := strings.Join(changes, " "); got != want {
		t.Errorf("changes:\n%s, want\n%s", got, want)
	}
}

// TestBreakerOpens is the table of what opens a breaker.
func TestBreakerOpens(t *testing.T) {
	type step struct {
		n    int
		took time.Duration
		c    Category
		gap  time.Duration // before each
	}
	ok, bad := step{n: 1}, step{n: 1, c: Unavailable}
	times := func(s step, n int) step { s.n = n; return s }
	for _, test := range []struct {
		name   string
		config BreakerConfig
		steps  []step
		want   string // cause, "" if it stays closed
	}{
		{"too few calls", BreakerConfig{}, []step{times(bad, 19)}, ""},
		{"half", BreakerConfig{}, []step{times(ok, 10), times(bad, 10)}, "failure_rate"},
		{"less than half", BreakerConfig{}, []step{times(ok, 12), times(bad, 11)}, ""},
		{"failures that a window has forgotten", BreakerConfig{}, []step{times(bad, 15), {n: 5, gap: 9 * time.Second}, times(bad, 4)}, ""},
		{"all", BreakerConfig{FailureRate: 1, MinCalls: 3}, []step{ok, times(bad, 30)}, ""},
		{"all in fact", BreakerConfig{FailureRate: 1, MinCalls: 3}, []step{times(bad, 3)}, "failure_rate"},
		{"in a row", BreakerConfig{Consecutive: 5}, []step{times(ok, 100), times(bad, 5)}, "consecutive"},
		{"not in a row", BreakerConfig{Consecutive: 5}, []step{times(ok, 100), times(bad, 4), ok, times(bad, 4)}, ""},
		{"nothing works", BreakerConfig{}, []step{times(ok, 1000), {n: 20, c: Unavailable, gap: 60 * time.Millisecond}}, "consecutive"},
		{"nothing works, few calls", BreakerConfig{MinCalls: 2}, []step{times(ok, 1000), {n: 19, c: Unavailable, gap: 60 * time.Millisecond}}, ""},
		{"nothing works, more calls wanted", BreakerConfig{MinCalls: 30}, []step{times(ok, 1000), {n: 29, c: Unavailable, gap: 60 * time.Millisecond}}, ""},
		{"a hiccup", BreakerConfig{}, []step{times(ok, 1000), times(bad, 900), ok}, ""},
		{"slow", BreakerConfig{SlowCall: time.Second}, []step{times(ok, 10), {n: 10, took: time.Second}}, "slow_rate"},
		{"not slow enough", BreakerConfig{SlowCall: time.Second}, []step{{n: 50, took: time.Second - 1}}, ""},
		{"slow is off", BreakerConfig{}, []step{{n: 50, took: time.Hour}}, ""},
		{"slow failures", BreakerConfig{SlowCall: time.Second, FailureRate: 0.9}, []step{times(ok, 10), {n: 10, took: time.Second, c: Timeout}}, "slow_rate"},
		{"last calls", BreakerConfig{Count: 10}, []step{times(ok, 100), times(bad, 5)}, "failure_rate"},
		{"last calls, however old", BreakerConfig{Count: 10}, []step{times(ok, 5), {n: 5, c: Unavailable, gap: time.Hour}}, "failure_rate"},
		{"last calls, too few", BreakerConfig{Count: 10}, []step{times(ok, 100), times(bad, 4), times(ok, 6), times(bad, 4)}, ""},
	} {
		for _, c := range []Category{Canceled, Permanent, Conflict, Throttled, Local, Deadline} {
			test.steps = append(test.steps, step{n: 100, c: c})
		}
		var cause string
		test.config.OnChange = func(c BreakerChange) { cause = c.Cause }
		b, now := must(NewBreaker(test.config)), day
		for _, s := range test.steps {
			for range s.n {
				now = now.Add(s.gap)
				send(b, now, s.took, s.c)
			}
		}
		if cause != test.want {
			t.Errorf("%s: %q, want %q", test.name, cause, test.want)
		}
		if open := b.View(now).State == Open; open != (test.want != "") {
			t.Errorf("%s: %+v", test.name, b.View(now))
		}
	}
}

// tripped returns a breaker with these settings that has just opened.
func tripped(t *testing.T, config BreakerConfig) *Breaker {
	t.Helper()
	b := must(NewBreaker(config))
	for range 1000 {
		send(b, day, 0, Unavailable)
	}
	if b.View(day).State != Open {
		t.Fatal("not open")
	}
	return b
}

// TestBreakerOpenTimes: open times grow by half up to the maximum, spread by a
// quarter; after the ramp they begin anew, during it they go on.
func TestBreakerOpenTimes(t *testing.T) {
	b := tripped(t, BreakerConfig{Rand: half{}, OpenFor: 4 * time.Second, OpenMax: 10 * time.Second})
	now := day
	open := func() time.Duration { return b.View(now).Until.Sub(now) }
	for i, want := range []time.Duration{4, 6, 9, 10, 10} {
		if got := open(); got != want*time.Second {
			t.Errorf("trip %d: %v, want %v s", i+1, got, want)
		}
		now = now.Add(open())
		if i < 4 {
			send(b, now, 0, Network)
		}
	}
	send(b, now, 0, "")
	for b.View(now).State == Ramping { // it fails again at once
		send(b, now, 0, Network)
	}
	if got := b.View(now); got.Trips != 6 || open() != 10*time.Second || !got.Opened.Equal(day) {
		t.Errorf("reopened: %+v", got)
	}
	now = now.Add(open())
	send(b, now, 0, "")
	now = now.Add(DefaultRamp)
	for range DefaultMinCalls {
		send(b, now, 0, Network)
	}
	if got := b.View(now); got.Trips != 1 || open() != 4*time.Second || !got.Opened.Equal(now) {
		t.Errorf("a new outage: %+v", got)
	}

	lowest, highest := time.Hour, time.Duration(0)
	for range 2000 {
		b := tripped(t, BreakerConfig{MinCalls: 1})
		until := b.View(day).Until.Sub(day)
		lowest, highest = min(lowest, until), max(highest, until)
	}
	if lowest < 3750*time.Millisecond || lowest > 3800*time.Millisecond || highest >= 6250*time.Millisecond || highest < 6200*time.Millisecond {
		t.Errorf("open for %v to %v", lowest, highest)
	}
}

// TestBreakerProbes: as many at once as configured, all in a row must succeed, and
// no more calls go through than that.
func TestBreakerProbes(t *testing.T) {
	b := tripped(t, BreakerConfig{Probes: 3})
	now := b.View(day).Until
	var probes []Permit
	for range 10 {
		if p, err := b.Acquire(now); err == nil {
			probes = append(probes, p)
		}
	}
	if len(probes) != 3 || b.View(now).Probing != 3 {
		t.Fatalf("%d probes", len(probes))
	}
	if ok, at := b.Ready(now); ok || !at.Equal(now.Add(DefaultProbeTimeout)) {
		t.Errorf("ready %v at %v", ok, at)
	}
	probes[0].Cancel(now)
	probes[1].Failure(now, 0, Permanent) // says nothing
	for range 3 {
		probes[0].Success(now, 0) // its place is gone
	}
	if got := b.View(now); got.Probing != 1 || got.State != HalfOpen {
		t.Errorf("%+v", got)
	}
	probes[2].Success(now, 0)
	send(b, now, 0, "")
	if got := b.View(now).State; got != HalfOpen {
		t.Errorf("closed after two: %v", got)
	}
	last, err := b.Acquire(now)
	if err != nil {
		t.Fatal(err)
	}
	if ok, _ := b.Ready(now); ok {
		t.Error("one more success closes it, and a probe is under way: no more")
	}
	last.Success(now, 0)
	if got := b.View(now).State; got != Ramping {
		t.Errorf("after three: %v", got)
	}
}

// TestBreakerHungProbe: a probe that never ends is a failed one when its time is
// over, and its late outcome does nothing.
func TestBreakerHungProbe(t *testing.T) {
	var changes []string
	b := tripped(t, BreakerConfig{Rand: half{}, OnChange: told(&changes)})
	hung, err := b.Acquire(after(5 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Acquire(after(15*time.Second - 1)); err == nil {
		t.Error("a second probe beside the first")
	}
	// Expired at 15 s, open for 7.5 s: it probes again.
	second, err := b.Acquire(after(22500 * time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	hung.Success(after(23*time.Second), 0)
	if got := b.View(after(23 * time.Second)); got.State != HalfOpen || got.Probing != 1 {
		t.Errorf("after a late success: %+v", got)
	}
	second.Success(after(24*time.Second), 0)
	want := "closed→open:failure_rate@0s open→half_open:time@5s half_open→open:probe_expired@15s " +
		"open→half_open:time@22.5s half_open→ramping:probed@24s"
	if got := strings.Join(changes, " "); got != want {
		t.Errorf("changes:\n%s, want\n%s", got, want)
	}
}

// TestBreakerSlowProbe: a target that is still slow is not well.
func TestBreakerSlowProbe(t *testing.T) {
	b := tripped(t, BreakerConfig{SlowCall: time.Second})
	send(b, b.View(day).Until, 2*time.Second, "")
	if got := b.View(after(10 * time.Second)); got.State != Open || got.Trips != 2 {
		t.Errorf("%+v", got)
	}
}

// TestBreakerLateOutcomes: outcomes of calls that began in an older state say
// nothing about the present one.
func TestBreakerLateOutcomes(t *testing.T) {
	b := must(NewBreaker(BreakerConfig{Rand: half{}, Ramp: -1}))
	var old []Permit
	for range 100 {
		old = append(old, must(b.Acquire(day)))
	}
	for range DefaultMinCalls {
		send(b, day, 0, Unavailable)
	}
	for _, p := range old[:50] { // in open
		p.Failure(after(time.Second), time.Second, Timeout)
	}
	send(b, after(5*time.Second), 0, "")
	for _, p := range old[50:] { // in closed
		p.Failure(after(6*time.Second), 6*time.Second, Timeout)
	}
	if got := b.View(after(6 * time.Second)); got.State != Closed || got.Calls != 0 {
		t.Errorf("%+v", got)
	}
}

// TestBreakerRampPermits: what began in the ramp counts after it.
func TestBreakerRampPermits(t *testing.T) {
	b := tripped(t, BreakerConfig{Rand: half{}})
	send(b, after(5*time.Second), 0, "")
	p := must(b.Acquire(after(6 * time.Second)))
	b.View(after(20 * time.Second))
	p.Failure(after(21*time.Second), 15*time.Second, Timeout)
	if got := b.View(after(21 * time.Second)); got.State != Closed || got.Failures != 1 {
		t.Errorf("%+v", got)
	}
}

// TestBreakerRamp: of n calls during the ramp, as many pass as its share says,
// evenly spread, whether they are asked by Acquire or by Ready first.
func TestBreakerRamp(t *testing.T) {
	for _, ask := range []bool{false, true} {
		b := tripped(t, BreakerConfig{Rand: half{}, OpenFor: 20 * time.Second})
		start := after(20 * time.Second)
		send(b, start, 0, "")
		for second, share := range []float64{0.1, 0.19, 0.28, 0.37, 0.46, 0.55, 0.64, 0.73, 0.82, 0.91} {
			now := start.Add(time.Duration(second) * time.Second)
			passed, longest, refused := 0, 0, 0
			for range 1000 {
				if ask {
					if ok, at := b.Ready(now); !ok {
						if !at.After(now) {
							t.Fatal("no time to come back")
						}
						refused++
						continue
					}
				}
				if !send(b, now, 0, "") {
					refused++
					continue
				}
				passed++
				longest, refused = max(longest, refused), 0
			}
			if want := share * 1000; math.Abs(float64(passed)-want) > 1.01 {
				t.Errorf("second %d: %d passed, want %.0f", second, passed, want)
			}
			if longest > int(1/share) {
				t.Errorf("second %d: %d refused in a row", second, longest)
			}
		}
	}
}

// TestBreakerOutages: an outage is over when the ramp is, and what is told of its
// length is what the probes have seen.
func TestBreakerOutages(t *testing.T) {
	outages := NewOutages(OutagesConfig{})
	b := tripped(t, BreakerConfig{Rand: half{}, Outages: outages})
	send(b, after(5*time.Second), 0, Network)
	send(b, after(13*time.Second), 0, "")
	if outages.Known() != 0 {
		t.Error("known before the ramp is over")
	}
	for b.View(after(14*time.Second)).State == Ramping {
		send(b, after(14*time.Second), 0, Network)
	}
	now := b.View(after(14 * time.Second)).Until
	send(b, now, 0, "")
	b.View(now.Add(DefaultRamp))
	b.Force(now.Add(time.Minute), Open)
	b.Unforce(now.Add(2 * time.Minute))
	b.View(now.Add(3 * time.Minute))
	if outages.Known() != 1 {
		t.Errorf("%d known, what was forced is no outage", outages.Known())
	}
	for range 10 {
		outages.Observe(29*time.Second, 30*time.Second)
	}
	now = now.Add(time.Hour)
	for range DefaultMinCalls {
		send(b, now, 0, Network)
	}
	// History says 30 s, where OpenFor says 5.
	if open := b.View(now).Until.Sub(now); open < 25*time.Second || open > 36*time.Second {
		t.Errorf("open for %v", open)
	}
}

// TestBreakerUnforcedFails: an outage that begins in the ramp after Unforce begins
// there.
func TestBreakerUnforcedFails(t *testing.T) {
	b := must(NewBreaker(BreakerConfig{Rand: half{}, Consecutive: 1}))
	b.Force(day, Closed)
	b.Unforce(day)
	now := after(2 * time.Second)
	for !send(b, now, 0, Network) {
	}
	if got := b.View(now); got.State != Open || got.Trips != 1 || !got.Opened.Equal(now) || !got.Until.Equal(now.Add(5*time.Second)) {
		t.Errorf("%+v", got)
	}
}

// TestBreakerTells: changes are told in order and outside the lock, also when the
// listener uses the breaker, and panics harm nobody else.
func TestBreakerTells(t *testing.T) {
	var b *Breaker
	var seen []string
	b = must(NewBreaker(BreakerConfig{MinCalls: 1, OnChange: func(c BreakerChange) {
		seen = append(seen, c.Cause)
		b.View(c.At)
		switch c.Cause {
		case "failure_rate":
			b.Force(c.At, Closed)
		case "forced":
			b.Unforce(c.At)
			panic("listener")
		}
	}}))
	func() {
		defer func() { _ = recover() }()
		send(b, day, 0, Bug)
	}()
	send(b, after(time.Minute), 0, "")
	if want := []string{"failure_rate", "forced", "unforced", "ramped"}; !slices.Equal(seen, want) {
		t.Errorf("%v, want %v", seen, want)
	}
}

// TestBreakerConcurrent: 64 goroutines on a target that comes and goes. Never are
// more probes under way than configured, changes follow each other, and in the
// end it is closed.
func TestBreakerConcurrent(t *testing.T) {
	const probes = 3
	var state atomic.Uint32 // as told
	b := must(NewBreaker(BreakerConfig{Probes: probes, MinCalls: 5, OnChange: func(c BreakerChange) {
		if was := BreakerState(state.Swap(uint32(c.To))); was != c.From {
			t.Errorf("%v told after %v", c, was)
		}
	}}))
	var clock, probing atomic.Int64
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			for range 2000 {
				now := after(time.Duration(clock.Add(int64(3 * time.Millisecond))))
				permit, err := b.Acquire(now)
				if err != nil {
					continue
				}
				if permit.probe > 0 && probing.Add(1) > probes {
					t.Error("too many probes")
				}
				down := now.Sub(day)/(20*time.Second)%2 == 1
				if permit.probe > 0 {
					probing.Add(-1)
				}
				if down {
					permit.Failure(now, 0, Unavailable)
				} else {
					permit.Success(now, 0)
				}
			}
		})
	}
	group.Wait()
	now := after(time.Hour)
	for range 100 {
		send(b, now, 0, "")
		now = now.Add(time.Second)
	}
	if got := b.View(now).State; got != Closed {
		t.Errorf("%v in the end", got)
	}
}

func TestBreakerConfigRefused(t *testing.T) {
	for want, config := range map[string]BreakerConfig{
		"breaker.failure_rate":  {FailureRate: 1.1},
		"breaker.slow_call":     {SlowCall: -1},
		"breaker.slow_rate":     {SlowRate: math.NaN()},
		"breaker.consecutive":   {Consecutive: -1},
		"breaker.min_calls":     {MinCalls: 21, Count: 20},
		"breaker.window":        {Window: time.Millisecond},
		"breaker.count":         {Count: 100_001},
		"breaker.open_for":      {OpenFor: -time.Second},
		"breaker.open_max":      {OpenMax: time.Second},
		"breaker.probes":        {Probes: 1001},
		"breaker.probe_timeout": {ProbeTimeout: -1},
		"breaker.ramp":          {Ramp: 2 * time.Hour},
	} {
		_, err := NewBreaker(config)
		if fields := FieldErrors(err); len(fields) != 1 || fields[0].Field != want {
			t.Errorf("%+v: %v", config, err)
		}
	}
	if _, err := NewBreaker(BreakerConfig{OpenFor: 2 * time.Minute}); err != nil {
		t.Error(err)
	}
	if _, err := NewBreaker(BreakerConfig{MinCalls: -1, Probes: -1}); len(FieldErrors(err)) != 2 {
		t.Error(err)
	}
}
