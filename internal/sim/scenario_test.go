package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/outlast-dev/outlast/internal/sim/internal/world"
	"github.com/outlast-dev/outlast/retry"
)

// TestScenarios plays every scenario with five seeds and holds it against its
// acceptance numbers; controls must fail where theory says so.
func TestScenarios(t *testing.T) {
	seeds := 5
	if testing.Short() {
		seeds = 1
	}
	for _, s := range Scenarios() {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(seeds) {
				check(t, played(s, seed+1))
			}
		})
	}
}

// played is the report of a scenario with our own clients, played once.
func played(s *Scenario, seed uint64) *Report {
	key := fmt.Sprint(s.ID, " ", seed)
	once, _ := reports.LoadOrStore(key, sync.OnceValue(func() *Report { return s.Run(seed, nil) }))
	return once.(func() *Report)()
}

var reports sync.Map

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
	for _, id := range []string{"S6", "S11", "S12", "S15"} {
		first, second, other := reported(t, id, 7), reported(t, id, 7), reported(t, id, 8)
		if !bytes.Equal(first, second) {
			t.Errorf("%s: two runs with the same seed differ", id)
		}
		if bytes.Equal(first, other) {
			t.Errorf("%s: another seed changes nothing", id)
		}
	}
}

func reported(t *testing.T, id string, seed uint64) []byte {
	t.Helper()
	data, err := json.Marshal(Find(id).Run(seed, nil))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestContender puts a policy in the place of our clients: one that repeats what may
// have had an effect must fail S11; the controls stay.
func TestContender(t *testing.T) {
	r := Find("S11").Run(1, &Contender{"hasty", world.Must(retry.New(retry.Attempts(4)))})
	if r.Passed || r.Variants[0].Name != "hasty" || r.Variants[0].Metrics.Retries == 0 {
		t.Errorf("passed %v, first variant %+v", r.Passed, r.Variants[0])
	}
	for _, v := range r.Verdicts {
		if strings.HasPrefix(v.Name, "control") && !v.OK {
			t.Errorf("%s: %s", v.Name, v.Measured)
		}
	}
}

// TestCompare: a policy brings the guards that it asks for, and all meet the same
// arrivals.
func TestCompare(t *testing.T) {
	naked := world.Must(world.Must(retry.ParseSpec([]byte(`{"max_attempts": 3, "backoff": {"initial": "100ms"}, "budget": "none", "breaker": "none"}`))).Policy())
	c := Compare(Find("S3"), 1, []Contender{{"naked", naked}, {"default", retry.Default()}})
	if len(c.Variants) != 2 || c.Variants[0].Metrics.Offered != c.Variants[1].Metrics.Offered {
		t.Fatalf("%+v", c.Variants)
	}
	if got := c.Variants[0].Metrics.Peak10s; got < 2.9 {
		t.Errorf("naked: amplification %v", got)
	}
	if got := c.Variants[1].Metrics.Peak10s; got > 1.1 {
		t.Errorf("the default policy has a budget; amplification %v", got)
	}
	if got := c.Variants[0].Series; len(got.Offered) != 90 || len(got.P99) != 90 || got.Step != 1 {
		t.Errorf("series of %d steps of %v s", len(got.Offered), got.Step)
	}
	page, err := c.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<!doctype html>", "S3 · Hard outage", "naked", "Goodput", "Latency", "In flight", "</html>"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	if got := strings.Count(string(page), `role="img"`); got != 4 {
		t.Errorf("%d charts", got)
	}
	for _, unwanted := range []string{"<script", "src=", "@import", "url("} {
		if strings.Contains(string(page), unwanted) {
			t.Errorf("the page has %q: it must need nothing else", unwanted)
		}
	}
}

// TestCompareWithUs: a policy alone is compared with our clients and the control,
// and variants that behave the same share a curve and say so.
func TestCompareWithUs(t *testing.T) {
	once := world.Must(retry.New(retry.Attempts(1), retry.TaskBudget(nil), retry.TaskBreaker(nil)))
	c := Compare(Find("S3"), 1, []Contender{{"once", once}})
	if len(c.Variants) != 3 || c.Variants[0].Name != "ours: budget and breaker" || !c.Variants[1].Control || c.Variants[2].Name != "once" {
		t.Errorf("%d variants: %+v", len(c.Variants), c.Rows())
	}
	for _, s := range Scenarios() {
		if s.made.Contrast.Name == "" && s.ID != "S9" {
			t.Errorf("%s has no control to compare with", s.ID)
		}
	}
	page := string(world.Must(Compare(Find("S3"), 1, []Contender{{"once", once}, {"again", once}}).HTML()))
	if got := strings.Count(page, ">once = again<"); got < 4 {
		t.Errorf("%d charts say that two policies behave the same", got)
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

// A run that is given up has no report, and what comes later is as ever.
func TestRunUntil(t *testing.T) {
	asked := 0
	report, err := Find("S4").RunUntil(func() bool { asked++; return asked > 3 }, 1, nil)
	if report != nil || err == nil || asked != 4 {
		t.Errorf("%v, %v after %d questions", report, err, asked)
	}
	if report, err = Find("S9").RunUntil(func() bool { return false }, 1, nil); err != nil || report.Events != Find("S9").Run(1, nil).Events {
		t.Errorf("%v, %v", report, err)
	}
}
