package alerts

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/buckets"
)

func turn(w *Windows, n int) {
	for range n {
		w.Turn()
	}
}

func TestRatesOfSeveralNodes(t *testing.T) {
	t.Parallel()
	a, b := NewWindows(), NewWindows()
	for range 90 {
		a.Add("mail", "smtp", "", false, 10*time.Millisecond)
	}
	for range 10 {
		b.Add("mail", "smtp", "timeout", true, time.Second)
	}
	turn(a, 1)
	turn(b, 1)
	targets, types, categories := Merge([]*Rates{a.Rates(), b.Rates()})
	if len(targets) != 1 || len(types) != 1 || len(categories) != 1 {
		t.Fatal(targets, types, categories)
	}
	got := targets[0]
	if got.Attempts != 100 || got.Failures != 10 || got.Retries != 10 || got.P99 < time.Second || got.P99 > 1200*time.Millisecond || got.RetryGrowth != 10 || got.P99Growth != 1 {
		t.Errorf("%+v", got)
	}
	turn(a, nowSteps)
	if targets, _, _ = Merge([]*Rates{a.Rates()}); targets[0].Attempts != 0 {
		t.Errorf("after a minute: %+v", targets[0])
	}
	turn(a, steps)
	if targets, _, _ = Merge([]*Rates{a.Rates()}); len(targets) != 0 {
		t.Errorf("after all: %+v", targets)
	}
}

// storm is whether the built-in rule holds for what a target has gone through.
func storm(t *testing.T, w *Windows) bool {
	t.Helper()
	targets, _, _ := Merge([]*Rates{w.Rates()})
	for _, rule := range Builtin(1) {
		if rule.Name != "storm_forming" {
			continue
		}
		condition, err := Compile(rule.On, rule.When)
		if err != nil {
			t.Fatal(err)
		}
		for i := range targets {
			holds, err := condition.Holds(targets[i].at(alert.OnTarget, "target", start).Values)
			if err != nil {
				t.Fatal(err)
			}
			if holds {
				return true
			}
		}
	}
	return false
}

func TestStormIsSeenForming(t *testing.T) {
	t.Parallel()
	calm := func(w *Windows) {
		for range 20 { // five minutes
			for i := range 50 {
				w.Add("pay", "bank", "", i == 0, 20*time.Millisecond)
			}
			w.Turn()
		}
	}
	w := NewWindows()
	calm(w)
	if storm(t, w) {
		t.Error("a calm target is a storm")
	}
	for range nowSteps { // slow, but hardly a retry
		for i := range 50 {
			w.Add("pay", "bank", "", i == 0, 200*time.Millisecond)
		}
		w.Turn()
	}
	if storm(t, w) {
		t.Error("a slow target is a storm")
	}
	w = NewWindows()
	calm(w)
	for range nowSteps { // retries, but as quick as ever
		for i := range 80 {
			w.Add("pay", "bank", "unavailable", i%2 == 0, 20*time.Millisecond)
		}
		w.Turn()
	}
	if storm(t, w) {
		t.Error("quick refusals are a storm")
	}
	w = NewWindows()
	calm(w)
	for range nowSteps {
		for i := range 80 {
			w.Add("pay", "bank", "timeout", i%2 == 0, 200*time.Millisecond)
		}
		w.Turn()
	}
	if !storm(t, w) {
		t.Error("retries and p99 rise together, and nobody says so")
	}
}

func TestBucketsAreNarrow(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		took := time.Duration(rapid.Int64Range(int64(2*time.Microsecond), int64(time.Hour)).Draw(t, "took"))
		upper := buckets.End(buckets.Of(took, sizes))
		if ratio := float64(upper) / float64(took); ratio < 0.66 || ratio > 1.5 || took > time.Millisecond && (ratio < 0.99 || ratio > 1.26) {
			t.Fatalf("%s is in the bucket up to %s", took, upper)
		}
	})
}

func TestSeriesAreBounded(t *testing.T) {
	t.Parallel()
	w := NewWindows()
	for i := range 3 * mostSeries {
		w.Add(string(rune('a'+i%26))+string(rune('a'+i/26)), "t", "", false, time.Millisecond)
	}
	w.Turn()
	if n := len(w.Rates().Types); n > mostSeries+1 {
		t.Errorf("%d series", n)
	}
}

func TestBuiltinRulesAreValid(t *testing.T) {
	t.Parallel()
	for _, rule := range Builtin(1) {
		if err := CheckRule(&rule); err != nil {
			t.Errorf("%s: %v", rule.Name, err)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	w := NewWindows()
	b.ReportAllocs()
	for b.Loop() {
		w.Add("mail.send", "smtp.example.com", "", false, 12*time.Millisecond)
	}
}
