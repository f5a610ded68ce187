package plan_test

import (
	"bytes"
	"encoding/xml"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

// Every preset, and what no preset is, can be drawn; equal plans look equal.
func TestPictures(t *testing.T) {
	policies := map[string]*retry.Policy{
		"code":    policy(t, retry.Custom(func(n int, _ retry.Attempt) time.Duration { return time.Duration(n) * time.Second }), retry.WithJitter(foreign{})),
		"no wait": policy(t, retry.Fixed(0)),
		"long":    policy(t, retry.Exponential(time.Nanosecond, 100, 0), retry.Attempts(1_000_000), retry.PerAttempt(time.Hour)),
	}
	for _, name := range retry.Presets() {
		p, err := retry.Preset(name)
		if err != nil {
			t.Fatal(err)
		}
		policies[name] = p
	}
	for name, p := range policies {
		env := plan.Env{Deadline: time.Minute, OuterAttempts: []int{2}}
		one, err := plan.Of(p, env)
		if err != nil {
			t.Fatal(err)
		}
		two, err := plan.Of(p, env)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(one.SVG(), two.SVG()) {
			t.Errorf("%s: two sheets of equal plans differ", name)
		}
		names := ""
		for _, picture := range append(one.Pictures(), plan.Picture{Name: "sheet", SVG: one.SVG()}) {
			names += picture.Name + " "
			var any struct{}
			if err := xml.Unmarshal(picture.SVG, &any); err != nil || bytes.Contains(picture.SVG, []byte("NaN")) {
				t.Errorf("%s: the picture %s is broken: %v", name, picture.Name, err)
			}
		}
		if names != "delays multiplier growth success load sheet " {
			t.Errorf("pictures %s", names)
		}
	}
}

func TestSummary(t *testing.T) {
	for preset, want := range map[string]string{
		"payment":        "exponential 1s × 2, cap 30s, full jitter, 4 retries",
		"dispatch":       "4 steps, cap 5m, additive jitter, unlimited retries",
		"logistics-sync": "linear 5s, full jitter, 2 retries",
	} {
		p, err := retry.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		r, err := plan.Of(p, plan.Env{})
		if err != nil || r.Summary() != want {
			t.Errorf("%s: %q, %v", preset, r.Summary(), err)
		}
	}
	if got := report(t, plan.Env{}, retry.Custom(func(int, retry.Attempt) time.Duration { return 0 })).Summary(); got != "a schedule in code, full jitter, 7 retries" {
		t.Errorf("%q", got)
	}
}
