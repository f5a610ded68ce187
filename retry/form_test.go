package retry_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/retry"
)

// again writes a policy, reads it and checks that it is the same.
func again(t rapid.TB, p *retry.Policy) {
	t.Helper()
	spec, unwritten := p.Spec()
	if len(unwritten) > 0 {
		t.Fatalf("%v of %+v cannot be written", unwritten, spec)
	}
	text, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	read, err := retry.ParseSpec(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	same, err := read.Policy()
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if rewritten, _ := same.Spec(); !reflect.DeepEqual(spec, rewritten) {
		t.Fatalf("%+v came back as %+v", spec, rewritten)
	}
	window := retry.Attempt{Number: 7, PreviousDelay: 3 * time.Second}
	if p.Window(window) != same.Window(window) || !reflect.DeepEqual(p.Jitter(), same.Jitter()) || !reflect.DeepEqual(p.Plan(20), same.Plan(20)) ||
		len(p.Rules()) != len(same.Rules()) || p.MaxAttempts() != same.MaxAttempts() || p.Timeout() != same.Timeout() || p.TTL() != same.TTL() {
		t.Fatalf("%s does not make the same policy again", text)
	}
}

func TestPresetsCanBeWritten(t *testing.T) {
	for _, name := range append(retry.Presets(), "easyjob(30s, 3.5, 5)") {
		t.Run(name, func(t *testing.T) {
			p, err := retry.Preset(name)
			if err != nil {
				t.Fatal(err)
			}
			again(t, p)
		})
	}
}

func TestPoliciesCanBeWritten(t *testing.T) {
	d := rapid.Custom(func(t *rapid.T) time.Duration {
		return time.Duration(rapid.Int64Range(1, int64(1000*time.Hour)).Draw(t, "d"))
	})
	// Bounds of a jitter are rounded; up to 15 digits come back.
	x := rapid.Map(rapid.IntRange(1, 1e6), func(n int) float64 { return float64(n) / 1e6 })
	jitter := rapid.Custom(func(t *rapid.T) retry.JitterOption {
		return rapid.SampledFrom([]retry.JitterOption{
			retry.FullJitter(), retry.EqualJitter(), retry.NoJitter(), retry.Decorrelated(), retry.Proportional(x.Draw(t, "x")),
			retry.Additive(x.Draw(t, "x")), retry.Bounded(0.3, 0.3+x.Draw(t, "x")), retry.Beta(0.1, 0.1+x.Draw(t, "x")),
		}).Draw(t, "jitter")
	})
	backoff := rapid.Custom(func(t *rapid.T) retry.BackoffOption {
		first := d.Draw(t, "first")
		return rapid.SampledFrom([]retry.BackoffOption{
			retry.Exponential(first, rapid.Float64Range(1, 100).Draw(t, "multiplier"), first+d.Draw(t, "max")), retry.Fixed(first), retry.Linear(first, d.Draw(t, "step"), 0),
			retry.Linear(first, 0, first+d.Draw(t, "max")), retry.Steps(first, d.Draw(t, "second")), retry.Fibonacci(first, 0),
		}).Draw(t, "backoff")
	})
	rapid.Check(t, func(t *rapid.T) {
		p, err := retry.New(backoff.Draw(t, "backoff"), jitter.Draw(t, "jitter"), retry.Attempts(rapid.IntRange(1, 1e6).Draw(t, "attempts")),
			retry.PerAttempt(d.Draw(t, "timeout")), retry.TTL(d.Draw(t, "ttl")), retry.FirstRunAfter(d.Draw(t, "after")),
			retry.On(retry.Permanent, "409"), retry.GiveUpOn("X509Error"), retry.MaxCrashes(rapid.IntRange(3, 1000).Draw(t, "crashes")), retry.OrderOnDead(retry.OrderSkip),
			retry.Rules(
				retry.Rule{When: []retry.Category{retry.Network, retry.Timeout}, Backoff: backoff.Draw(t, "of rule"), Jitter: jitter.Draw(t, "of rule"), MaxAttempts: 4},
				retry.Rule{When: []retry.Category{retry.Permanent}, Then: retry.GiveUp}))
		if err != nil {
			t.Fatal(err)
		}
		again(t, p)
	})
}

// A maximum that came by another option is that of the schedule; what cannot be
// written is said to be missing.
func TestSpecOfOptions(t *testing.T) {
	p, err := retry.New(retry.Exponential(time.Second, 2, 0), retry.Max(10*time.Second), retry.Unlimited())
	if err != nil {
		t.Fatal(err)
	}
	spec, unwritten := p.Spec()
	if len(unwritten) > 0 || spec.Backoff.Max == nil || time.Duration(*spec.Backoff.Max) != 10*time.Second || !spec.Unlimited || spec.MaxAttempts != nil {
		t.Errorf("got %+v, without %v", spec, unwritten)
	}
	for name, opt := range map[string]retry.Option{
		"function":       retry.Custom(func(int, retry.Attempt) time.Duration { return time.Second }),
		"foreign jitter": retry.WithJitter(foreign{retry.NoJitter()}),
		"error rule":     retry.OnError(errors.New("a"), retry.Rule{Then: retry.GiveUp}),
		"rule of none":   retry.Rules(retry.Rule{When: []retry.Category{retry.Network}, Jitter: retry.FullJitter()}),
	} {
		p, err := retry.New(opt)
		if err != nil {
			t.Fatal(name, err)
		}
		if spec, unwritten := p.Spec(); len(unwritten) != 1 {
			t.Errorf("%s: %+v is without %v", name, spec, unwritten)
		}
	}
}

type foreign struct{ retry.Jitter }
