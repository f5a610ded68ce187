package sim_test

import (
	"fmt"
	"strings"

	"github.com/outlast-dev/outlast/internal/sim"
	"github.com/outlast-dev/outlast/retry"
)

// A scenario says what must hold, and what was measured.
func ExampleScenario_Run() {
	report := sim.Find("S11").Run(1, nil)
	for _, v := range report.Verdicts {
		fmt.Printf("%s: %s, must be %s\n", v.Name, v.Measured, v.Bound)
	}
	// Output:
	// without a key: more than one effect: 0 calls, must be ≤ 0 calls
	// with a key: more than one effect: 0 calls, must be ≤ 0 calls
	// with a key: no effect: 0 calls, must be ≤ 5 calls
	// control, repeats everything: more than one effect: 443 calls, must be ≥ 100 calls
}

// Two policies go through the same storm: five thousand clients are told to come
// back in two seconds.
func ExampleCompare() {
	patient, _ := retry.New(retry.Attempts(2), retry.PerAttempt(0))
	once, _ := retry.New(retry.Attempts(1))
	for _, v := range sim.Compare(sim.Find("S9"), 1, []sim.Contender{{Name: "patient", Policy: patient}, {Name: "once", Policy: once}}).Variants {
		fmt.Printf("%s: %.0f %% of the calls ended well\n", v.Name, 100*v.Metrics.Success)
	}
	// Output:
	// patient: 100 % of the calls ended well
	// once: 0 % of the calls ended well
}

// What was recorded runs again under another policy: one task that a target refused
// until another was served.
func ExampleReplay() {
	recorded := `{"type": "push", "attempts": [
		{"started_at": "2026-01-01T10:00:00Z", "ended_at": "2026-01-01T10:00:01Z", "outcome": "failed", "category": "unavailable"},
		{"started_at": "2026-01-01T10:00:20Z", "ended_at": "2026-01-01T10:00:21Z", "outcome": "failed", "category": "unavailable"},
		{"started_at": "2026-01-01T10:05:00Z", "ended_at": "2026-01-01T10:05:01Z", "outcome": "succeeded"}]}`
	history, err := sim.ReadHistory(strings.NewReader(strings.ReplaceAll(recorded, "\n", "")))
	if err != nil {
		fmt.Println(err)
		return
	}
	once, _ := retry.Preset("permanent")
	for _, v := range sim.Replay(history, 1, []sim.Contender{{Name: "no retries", Policy: once}}).Variants {
		fmt.Printf("%s: %d attempts, %d of %d tasks ended well\n", v.Name, v.Metrics.Attempts, v.Metrics.Good, v.Metrics.Offered)
	}
	// Output:
	// as recorded: 3 attempts, 1 of 1 tasks ended well
	// no retries: 1 attempts, 0 of 1 tasks ended well
}
