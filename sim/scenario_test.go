package sim

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/retry"
)

// TestScenarios plays every scenario with five seeds and holds it against its
// acceptance numbers; controls must fail where theory says so. With the race
// detector, which makes it ten times slower, one seed is enough: an engine of one
// goroutine has no races.
func TestScenarios(t *testing.T) {
	seeds := uint64(5)
	if raceDetector {
		seeds = 1
	}
	for _, s := range Scenarios() {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			for seed := range seeds {
				check(t, s.Run(seed+1, nil))
			}
		})
	}
}

func check(t *testing.T, r *Report) {
	t.Helper()
	controls := slices.ContainsFunc(r.Variants, func(v Variant) bool { return v.Control })
	if comparison := r.Scenario == "L1"; len(r.Verdicts) == 0 || controls == comparison {
		t.Errorf("%s: %d verdicts, controls %v", r.Scenario, len(r.Verdicts), controls)
	}
	for _, v := range r.Verdicts {
		if !v.OK {
			t.Errorf("%s, seed %d: %s is %s, wanted %s", r.Scenario, r.Seed, v.Name, v.Measured, v.Bound)
		}
	}
	if r.Passed != (r.Missed() == 0) {
		t.Errorf("%s: passed %v with %d misses", r.Scenario, r.Passed, r.Missed())
	}
}

// TestSameSeedSameBytes: nothing but the seed decides, not even the order of maps.
func TestSameSeedSameBytes(t *testing.T) {
	for _, id := range []string{"S4", "S6", "S11", "S15", "S17"} {
		first, second, other := report(t, id, 7), report(t, id, 7), report(t, id, 8)
		if !bytes.Equal(first, second) {
			t.Errorf("%s: two runs with the same seed differ", id)
		}
		if bytes.Equal(first, other) {
			t.Errorf("%s: another seed changes nothing", id)
		}
	}
}

func report(t *testing.T, id string, seed uint64) []byte {
	t.Helper()
	data, err := json.Marshal(Find(id).Run(seed, nil))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestContender puts a policy in the place of our clients: without a budget, S3
// must fail; the controls stay.
func TestContender(t *testing.T) {
	spec, err := retry.ParseSpec([]byte(`{"max_attempts": 3, "backoff": {"initial": "100ms"}, "budget": "none", "breaker": "none"}`))
	if err != nil {
		t.Fatal(err)
	}
	policy, err := spec.Policy()
	if err != nil {
		t.Fatal(err)
	}
	r := Find("S3").Run(1, &Contender{"naked", policy})
	if r.Passed || r.Variants[0].Name != "naked" || r.Variants[0].Metrics.Amplification < 1.9 {
		t.Errorf("passed %v, first variant %+v", r.Passed, r.Variants[0])
	}
	for _, v := range r.Verdicts {
		if strings.HasPrefix(v.Name, "control") && !v.OK {
			t.Errorf("%s: %s", v.Name, v.Measured)
		}
	}
}

// TestGuardsOfContenders: a policy brings the guards that it asks for.
func TestGuardsOfContenders(t *testing.T) {
	guarded := Find("S3").Run(1, &Contender{"default", retry.Default()})
	if got := guarded.Variants[0].Metrics.Peak10s; got > 1.1 {
		t.Errorf("the default policy has a budget; amplification %v", got)
	}
}

func TestFind(t *testing.T) {
	if s := Find("s4"); s == nil || s.ID != "S4" {
		t.Errorf("found %v", s)
	}
	if s := Find("S99"); s != nil {
		t.Errorf("found %v", s)
	}
	seen := map[string]bool{}
	for _, s := range Scenarios() {
		if seen[s.ID] || s.Name == "" || s.Shows == "" || s.Source == "" || len(s.Parameters) == 0 {
			t.Errorf("%s is incomplete or there twice", s.ID)
		}
		seen[s.ID] = true
	}
}
