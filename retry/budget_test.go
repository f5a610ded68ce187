package retry

import (
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// day is when the virtual times of the tests begin.
var day = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// after is a moment of the test's day.
func after(d time.Duration) time.Time { return day.Add(d) }

// TestBudgetColdStart: a client that starts during an outage, at any rate,
// has the two retries of a call, and then hardly adds to the load.
func TestBudgetColdStart(t *testing.T) {
	for _, rate := range []int{1, 10, 100} {
		b := must(NewBudget(BudgetConfig{}))
		firsts, retries := 0, 0
		for now := day; now.Before(after(10 * time.Second)); now = now.Add(time.Second / time.Duration(rate)) {
			firsts++
			b.Record(now, true, false)
			for { // as many retries as it gets, all failing
				ok, wait := b.Withdraw(now, b.Price(now, 1))
				if !ok {
					if wait <= 0 {
						t.Fatalf("wait %v", wait)
					}
					break
				}
				retries++
				b.Record(now, false, false)
			}
		}
		if retries < 2 || float64(firsts+retries) > 1.25*float64(firsts) {
			t.Errorf("%d/s: %d retries for %d first attempts", rate, retries, firsts)
		}
	}
}

// TestBudgetRates checks what is earned at some shares of successes.
func TestBudgetRates(t *testing.T) {
	for _, test := range []struct {
		name   string
		config BudgetConfig
		nodes  int
		worked int // of ten first attempts a second
		want   float64
	}{
		{"healthy", BudgetConfig{}, 1, 10, 1 + 1},
		{"half", BudgetConfig{}, 1, 5, 0.5 + 0.5},
		{"down", BudgetConfig{}, 1, 0, 0 + LeastProbes},
		{"one in ten", BudgetConfig{}, 1, 1, 0.1 + LeastProbes},
		{"high floor", BudgetConfig{Floor: 8}, 1, 5, 0.5 + 4},
		{"high ratio", BudgetConfig{Ratio: 1}, 1, 5, 5 + 0.5},
		{"four nodes", BudgetConfig{}, 4, 10, 1 + 0.25},
		{"four nodes, down", BudgetConfig{}, 4, 0, LeastProbes / 4},
	} {
		test.config.Pressure = alwaysBinds
		b := must(NewBudget(test.config))
		b.Split(test.nodes)
		spent, waited := 0.0, time.Duration(0)
		for second := range 40 {
			for i := range 10 {
				b.Record(after(time.Duration(second)*time.Second), true, i < test.worked)
			}
			now := after(time.Duration(second)*time.Second + time.Second - 1)
			for {
				ok, wait := b.Withdraw(now, 0.1)
				if !ok {
					waited = wait
					break
				}
				if second >= 20 {
					spent += 0.1
				}
			}
		}
		if got := spent / 20; math.Abs(got-test.want) > 0.06*test.want {
			t.Errorf("%s: %.3f tokens a second, want %.3f", test.name, got, test.want)
		}
		if waited <= 0 || waited > seconds(0.101/test.want*1.1) {
			t.Errorf("%s: wait %v", test.name, waited)
		}
	}
}

// TestBudgetWaitIsRight: who waits as long as told gets the token, if the rates
// stay, and not much earlier.
func TestBudgetWaitIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := must(NewBudget(BudgetConfig{Pressure: alwaysBinds}))
		for range rapid.IntRange(0, 30).Draw(t, "attempts") {
			b.Record(day, rapid.Bool().Draw(t, "first"), rapid.Bool().Draw(t, "worked"))
		}
		for {
			ok, wait := b.Withdraw(day, 1)
			if ok {
				continue
			}
			// Nothing is recorded meanwhile, so that only the floor pays.
			floor := advance + seconds(1/b.floor(b.Share(day)))
			if wait > floor+time.Millisecond {
				t.Fatalf("told to wait %v, the floor alone takes %v", wait, floor)
			}
			if ok, _ := b.Withdraw(day.Add(floor+time.Millisecond), 1); !ok {
				t.Fatal("no token after the wait")
			}
			return
		}
	})
}

// TestBudgetShare: the last ten seconds, and never fewer than five attempts.
func TestBudgetShare(t *testing.T) {
	b := must(NewBudget(BudgetConfig{}))
	if got := b.Share(day); got != 1 {
		t.Errorf("new: %v", got)
	}
	record := func(at time.Duration, worked, failed int) {
		for range worked {
			b.Record(after(at), true, true)
		}
		for range failed {
			b.Record(after(at), false, false)
		}
	}
	check := func(at time.Duration, want float64) {
		t.Helper()
		if got := b.Share(after(at)); math.Abs(got-want) > 1e-9 {
			t.Errorf("at %v: %v, want %v", at, got, want)
		}
	}
	record(0, 0, 1)
	check(0, 0) // of one
	record(time.Second, 8, 1)
	check(time.Second, 0.8)
	check(9*time.Second, 0.8)
	check(time.Hour, 8.0/9) // the last five, as those of their second were on average
	record(time.Hour, 0, 2)
	check(time.Hour, 8.0/9*3/5)
	record(time.Hour+time.Second, 0, 3)
	check(time.Hour+time.Second, 0)
	record(2*time.Hour, 1, 0)
	check(2*time.Hour, 0.2) // the older four failed
	for second := range 100 {
		record(3*time.Hour+time.Duration(second)*time.Second, 1, 0)
	}
	check(3*time.Hour+100*time.Second, 1)
}

// TestBudgetReturn: what was not spent comes back, but never above Burst.
func TestBudgetReturn(t *testing.T) {
	b := must(NewBudget(BudgetConfig{Burst: 2, Pressure: alwaysBinds}))
	b.Record(day, true, false)
	for range 3 {
		if ok, _ := b.Withdraw(day, 1); !ok {
			t.Fatal("refused")
		}
		if ok, _ := b.Withdraw(day, 1); ok {
			t.Fatal("granted twice")
		}
		b.Return(day, 1)
	}
	for range 5 {
		b.Return(day, 1)
	}
	state := b.State(day)
	if state.Tokens != 2 || state.Denied != 3 || state.First != 1 || state.Retries != 0 || state.Share != 0 || !state.Binding {
		t.Errorf("%+v", state)
	}
}

// TestBudgetBindsUnderPressure: one failure in five is none, one in four is, and
// so are ten in a row after any number of successes.
func TestBudgetBindsUnderPressure(t *testing.T) {
	binds := func(worked func(n int) bool, n int, config BudgetConfig) bool {
		b := must(NewBudget(config))
		for i := range n {
			b.Record(after(time.Duration(i)*time.Millisecond), true, worked(i))
		}
		return b.State(after(time.Duration(n) * time.Millisecond)).Binding
	}
	every := func(k int) func(int) bool { return func(n int) bool { return n%k != k-1 } }
	for n := range 500 {
		if binds(every(5), n, BudgetConfig{}) {
			t.Fatalf("it binds after %d attempts, of which every fifth failed", n)
		}
	}
	for _, test := range []struct {
		name   string
		worked func(int) bool
		n      int
		config BudgetConfig
		want   bool
	}{
		{"nothing", every(1), 0, BudgetConfig{}, false},
		{"one failure", every(1), 1, BudgetConfig{}, false},
		{"two failures", every(1), 2, BudgetConfig{}, true},
		{"one in four", every(4), 1000, BudgetConfig{}, true},
		{"nine in a row", func(n int) bool { return n < 5000 }, 5009, BudgetConfig{}, false},
		{"ten in a row", func(n int) bool { return n < 5000 }, 5010, BudgetConfig{}, true},
		{"ten in a row, and eleven good ones", func(n int) bool { return n < 5000 || n >= 5010 }, 5021, BudgetConfig{}, false},
		{"nineteen in twenty", func(n int) bool { return n < 5000 || n%20 == 0 }, 5020, BudgetConfig{}, true},
		{"one in five, less borne", every(5), 500, BudgetConfig{Pressure: 0.9}, true},
		{"always", func(int) bool { return true }, 100, BudgetConfig{Pressure: alwaysBinds}, true},
		{"of tasks, eight in nine", every(9), 90, BudgetConfig{Stored: true}, true},
		{"of tasks, nine in ten", every(10), 100, BudgetConfig{Stored: true}, false},
	} {
		if got := binds(test.worked, test.n, test.config); got != test.want {
			t.Errorf("%s: binds %v", test.name, got)
		}
	}
}

// TestBudgetPrice: what is free takes no token and leaves those that were saved
// up, except for what nothing has failed for.
func TestBudgetPrice(t *testing.T) {
	b := must(NewBudget(BudgetConfig{}))
	for range 200 {
		b.Record(day, true, true)
	}
	if full := b.State(day).Tokens; full != DefaultBurst || b.Price(day, 1) != 0 || b.Price(day, 0) != 0 {
		t.Errorf("%v tokens, prices %v and %v", full, b.Price(day, 1), b.Price(day, 0))
	}
	for range 10 {
		if !b.withdrawAlways(day) {
			t.Error("no token for a hedge")
		}
	}
	if b.withdrawAlways(day) {
		t.Error("a hedge without a token")
	}
	for range 200 {
		b.Record(day, true, false)
	}
	if b.Price(day, 0.2) != 0.2 || b.Price(day, 0) != 1 {
		t.Errorf("under pressure, prices %v and %v", b.Price(day, 0.2), b.Price(day, 0))
	}
}

// TestBudgetPressure: a budget of stored retries binds only while many attempts
// fail, and then lets them out by a ramp.
func TestBudgetPressure(t *testing.T) {
	b := must(NewBudget(BudgetConfig{Stored: true}))
	now := day
	grants := func() (n int) {
		for n < 100_000 {
			if ok, _ := b.Withdraw(now, 1); !ok {
				return n
			}
			n++
		}
		return n
	}
	record := func(worked bool) {
		for range 100 {
			b.Record(now, true, worked)
		}
	}
	record(true)
	if n := grants(); n != 100_000 {
		t.Errorf("without pressure: %d", n)
	}
	record(false)
	if n := grants(); n > 20 {
		t.Errorf("under pressure: %d", n)
	}
	now = now.Add(time.Minute)
	var ramp []int
	for range 17 {
		record(true)
		ramp = append(ramp, grants())
		now = now.Add(time.Second)
	}
	if ramp[0] != 1 || ramp[1] != 2 || ramp[4] != 16 || ramp[10] != 1024 || ramp[16] != 100_000 {
		t.Errorf("ramp %v", ramp)
	}
	record(true)
	if n := grants(); n != 100_000 {
		t.Errorf("after the ramp: %d", n)
	}
}

// TestBudgetRampStarts: when the ramp refuses, its wait is worth waiting.
func TestBudgetRampStarts(t *testing.T) {
	b := must(NewBudget(BudgetConfig{Stored: true}))
	b.Record(day, true, false)
	b.State(day) // sees the pressure
	now := after(time.Minute)
	for range 10 {
		b.Record(now, true, true)
	}
	granted := 0
	for now.Before(after(time.Minute + 5*time.Second)) {
		ok, wait := b.Withdraw(now, 1)
		if ok {
			granted++
			continue
		}
		now = now.Add(wait)
	}
	// 1 + the integral of 2^t over five seconds, less what rounding up of waits loses.
	if want := 1 + 31/math.Ln2; float64(granted) < 0.75*want || float64(granted) > 1.05*want {
		t.Errorf("%d granted, about %.0f wanted", granted, want)
	}
}

// spending is a withdrawal (or a return, negative) or a first attempt.
type spending struct {
	at     time.Time
	tokens float64
	first  bool
}

// worstWindow returns by how much any ten seconds exceed the guarantee.
func worstWindow(events []spending, c BudgetConfig) float64 {
	worst := math.Inf(-1)
	slices.SortStableFunc(events, func(a, b spending) int { return a.at.Compare(b.at) })
	for i := range events {
		spent, firsts := 0.0, 0
		for _, e := range events[i:] {
			if e.at.Sub(events[i].at) > BudgetWindow {
				break
			}
			spent += e.tokens
			if e.first {
				firsts++
			}
			worst = max(worst, spent-c.Ratio*float64(firsts)-max(c.Floor, LeastProbes)*10-c.Burst)
		}
	}
	return worst
}

// TestBudgetGuarantee: in no ten seconds is more spent than promised while the
// budget binds, whatever happens in whatever order.
func TestBudgetGuarantee(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		config := BudgetConfig{
			Ratio: rapid.Float64Range(0.01, 1).Draw(t, "ratio"),
			Floor: rapid.Float64Range(0.01, 5).Draw(t, "floor"),
			Burst: rapid.Float64Range(1, 20).Draw(t, "burst"),

			Pressure: rapid.SampledFrom([]float64{alwaysBinds, 0, 0.3, 1}).Draw(t, "pressure"),
		}
		b := must(NewBudget(config))
		now := day
		var events []spending
		for range rapid.IntRange(1, 150).Draw(t, "steps") {
			now = now.Add(seconds(rapid.SampledFrom([]float64{0, 0, 0, 0.1, 0.9, 1, 3, 9.99, 30}).Draw(t, "pause")))
			// Attempts may report with a time that was read before another one's.
			seen := now.Add(-seconds(rapid.SampledFrom([]float64{0, 0, 0.001, 2}).Draw(t, "late")))
			well := rapid.SampledFrom([]int{0, 5, 7, 8, 10}).Draw(t, "well") // of ten attempts
			switch n := rapid.IntRange(1, 40).Draw(t, "n"); rapid.IntRange(0, 4).Draw(t, "what") {
			case 0, 1:
				for range n {
					b.Record(seen, true, rapid.IntRange(0, 9).Draw(t, "luck") < well)
					events = append(events, spending{at: now, first: true})
				}
			case 2, 3:
				for range n {
					cost := rapid.SampledFrom([]float64{1, 0.4, 0.1}).Draw(t, "cost")
					cost = b.Price(now, cost)
					if ok, _ := b.Withdraw(now, cost); ok {
						events = append(events, spending{at: now, tokens: cost})
						b.Record(now, false, rapid.IntRange(0, 9).Draw(t, "luck") < well)
					}
				}
			default:
				if last := len(events) - 1; last >= 0 && events[last].tokens > 0 {
					b.Return(now, events[last].tokens)
					events = append(events, spending{at: now, tokens: -events[last].tokens})
				}
			}
		}
		if over := worstWindow(events, config); over > 1e-6 {
			t.Fatalf("%.3f tokens too many", over)
		}
	})
}

// TestBudgetConcurrent: the guarantee with 64 goroutines, and no attempt is lost.
func TestBudgetConcurrent(t *testing.T) {
	config := BudgetConfig{Pressure: alwaysBinds}.withDefaults()
	b := must(NewBudget(config))
	const goroutines, each = 64, 1000
	var mu sync.Mutex
	var events []spending
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			var mine []spending
			for i := range each {
				now := after(time.Duration(i) * 30 * time.Millisecond) // 30 s in all
				b.Record(now, true, (g+i)%3 > 0)
				mine = append(mine, spending{at: now, first: true})
				if ok, _ := b.Withdraw(now, 1); ok {
					mine = append(mine, spending{at: now, tokens: 1})
				}
			}
			mu.Lock()
			events = append(events, mine...)
			mu.Unlock()
		})
	}
	group.Wait()
	spent := 0.0
	for _, e := range events {
		spent += e.tokens
	}
	totals := b.window.Totals()
	if all := totals[firstWorked] + totals[firstFailed]; all != goroutines*each {
		t.Errorf("%d first attempts counted", all)
	}
	// Goroutines see different times, so that only the whole can be judged.
	if most := config.Ratio*goroutines*each + config.Floor*30 + config.Burst; spent > most || spent < 100 {
		t.Errorf("%v spent, at most %v", spent, most)
	}
}

func TestBudgetConfigRefused(t *testing.T) {
	for want, config := range map[string]BudgetConfig{
		"budget.ratio":    {Ratio: 1.1},
		"budget.floor":    {Floor: -1},
		"budget.burst":    {Burst: 0.5},
		"budget.pressure": {Pressure: math.NaN()},
	} {
		_, err := NewBudget(config)
		if fields := FieldErrors(err); len(fields) != 1 || fields[0].Field != want {
			t.Errorf("%+v: %v", config, err)
		}
	}
	_, err := NewBudget(BudgetConfig{Ratio: -1, Floor: math.NaN(), Burst: 2e6, Pressure: 2})
	if n := len(FieldErrors(err)); n != 4 {
		t.Errorf("%d findings: %v", n, err)
	}
}
