package sim

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

var recordedAt = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// failing is a task whose attempts come at the given seconds, take 100 ms and fail.
func failing(name string, policy *retry.Policy, starts ...float64) *Recorded {
	r := &Recorded{Type: "push", Target: "a.example", State: "dead", Policy: policy, PolicyName: name}
	for _, s := range starts {
		begin := recordedAt.Add(world.Seconds(s))
		r.Attempts = append(r.Attempts, RecordedAttempt{StartedAt: begin, EndedAt: begin.Add(100 * time.Millisecond), Outcome: "failed", Category: "unavailable"})
	}
	return r
}

func historyOf(t *testing.T, tasks ...*Recorded) *History {
	t.Helper()
	r := NewRecorder()
	for _, task := range tasks {
		if n, err := r.Add(task); err != nil || n != len(task.Attempts) {
			t.Fatalf("%d attempts, %v", n, err)
		}
	}
	return world.Must(r.History())
}

func policyOf(text string) *retry.Policy {
	return world.Must(world.Must(retry.ParseSpec([]byte(text))).Policy())
}

const unguarded = `{"max_attempts": %d, "backoff": {"kind": "fixed", "initial": "1s", "jitter": "none"}, "budget": "none", "breaker": "none"}`

// TestReplayWithOwnPolicies: without a policy for all, each task has its own; the limits
// of a task hold under every policy.
func TestReplayWithOwnPolicies(t *testing.T) {
	two, five, once := policyOf(fmt.Sprintf(unguarded, 2)), policyOf(fmt.Sprintf(unguarded, 5)), policyOf(fmt.Sprintf(unguarded, 9)).Once()
	limited, late, strict := failing("five", five, 1), failing("five", five, 1), failing("once", once, 1)
	limited.MaxAttempts, strict.MaxAttempts = 3, 3
	late.Deadline = recordedAt.Add(2500 * time.Millisecond)
	h := historyOf(t, failing("two", two, 1, 2), failing("five", five, 1), limited, late, strict)
	c := Replay(h, 1, []Contender{{Name: "own"}, {Name: "two", Policy: two}})
	if got := c.Variants[1].Metrics.Attempts; got != 2+5+3+2+1 {
		t.Errorf("%d attempts with policies of their own", got)
	}
	if got := c.Variants[2].Metrics.Attempts; got != 2+2+3+2+3 {
		t.Errorf("%d attempts with one policy", got)
	}
	if wait := c.Variants[2].Figure("wait p50"); wait < 0.95 || wait > 1.05 {
		t.Errorf("half of the waits are up to %v s", wait)
	}
	if h.Targets() != 1 || !h.Begin().Equal(recordedAt.Add(time.Second)) {
		t.Errorf("%d targets from %v", h.Targets(), h.Begin())
	}
}

// TestReplaySharesGuards: tasks of several policies that call one target meet one
// breaker.
func TestReplaySharesGuards(t *testing.T) {
	const guarded = `{"max_attempts": 3, "backoff": {"kind": "fixed", "initial": "%s", "jitter": "none"}, "budget": "none", "breaker": {"consecutive": 10, "open_for": "1h", "open_max": "1h"}}`
	var same, mixed []*Recorded
	one, other := policyOf(fmt.Sprintf(guarded, "1s")), policyOf(fmt.Sprintf(guarded, "2s"))
	for i := range 40 {
		name, policy := "one", one
		same = append(same, failing(name, policy, float64(i)/10))
		if i%2 == 1 {
			name, policy = "other", other
		}
		mixed = append(mixed, failing(name, policy, float64(i)/10))
	}
	wasted := func(tasks []*Recorded) float64 {
		return Replay(historyOf(t, tasks...), 1, []Contender{{Name: "own"}}).Variants[1].Figure("wasted")
	}
	if a, b := wasted(same), wasted(mixed); b > a*1.5 {
		t.Errorf("%v attempts wasted with one policy, %v with two", a, b)
	}
}

// TestReplayGivesUp: who does not wait gets an error.
func TestReplayGivesUp(t *testing.T) {
	h := historyOf(t, failing("", nil, 1, 2, 3))
	if c, err := ReplayUntil(func() bool { return true }, h, 1, []Contender{{"default", retry.Default()}}); c != nil || err == nil {
		t.Errorf("%v, %v", c, err)
	}
	if c, err := ReplayUntil(func() bool { return false }, h, 1, []Contender{{"default", retry.Default()}}); c == nil || err != nil {
		t.Errorf("%v, %v", c, err)
	}
}

// TestDraw: each variant of a report has a series of its own run.
func TestDraw(t *testing.T) {
	for _, s := range []string{"S1", "S4", "S9"} {
		report := Find(s).Run(1, nil)
		report.Draw(50)
		for _, v := range report.Variants {
			sum := 0.0
			for _, rate := range v.Series.Attempts[:len(v.Series.Attempts)-1] {
				sum += rate * v.Series.Step
			}
			if _, err := json.Marshal(v); err != nil {
				t.Errorf("%s, %s: %v", s, v.Name, err)
			}
			if n := len(v.Series.Attempts); n == 0 || n > 50 || n > 1 && sum <= 0 || sum > float64(v.Metrics.Attempts)*1.05+1 {
				t.Errorf("%s, %s: %d steps of %v s, %v attempts", s, v.Name, n, v.Series.Step, sum)
			}
		}
	}
}

// TestCoarsen: series have one length of step, however long each run took.
func TestCoarsen(t *testing.T) {
	h := historyOf(t, failing("", nil, 1, 2, 3), failing("", nil, 900))
	c := Replay(h, 1, []Contender{{"slow", policyOf(`{"max_attempts": 4, "backoff": {"kind": "fixed", "initial": "1h"}, "budget": "none"}`)}})
	before := c.Variants[1].Metrics
	c.Coarsen(50)
	for _, v := range c.Variants {
		if n := len(v.Series.Attempts); n == 0 || n > 50 || v.Series.Step != c.Variants[0].Series.Step {
			t.Errorf("%s: %d steps of %v s", v.Name, n, v.Series.Step)
		}
		sum := 0.0
		for _, rate := range v.Series.Attempts[:len(v.Series.Attempts)-1] {
			sum += rate * v.Series.Step
		}
		if sum > float64(v.Metrics.Attempts)*1.05 {
			t.Errorf("%s: %v attempts in its series, %d in all", v.Name, sum, v.Metrics.Attempts)
		}
	}
	if after := c.Variants[1].Metrics; after.Attempts != before.Attempts || after.P99 != before.P99 {
		t.Errorf("%+v, and then %+v", before, after)
	}
}
