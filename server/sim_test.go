package server_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/internal/sim"
)

// A scenario is played with our own clients or a policy, and reports what the command
// reports.
func TestSimulator(t *testing.T) {
	racetest.WithoutDetector(t)
	a := start(t)
	a.server.PlayFor(time.Hour) // a slow machine gives the same answers
	var list struct{ Scenarios []sim.Scenario }
	a.call("GET", "/v1/sim/scenarios", "").is(200).into(&list)
	if len(list.Scenarios) != len(sim.Scenarios()) || list.Scenarios[0].ID == "" || list.Scenarios[0].Shows == "" {
		t.Fatalf("%+v", list)
	}
	var got map[string]json.RawMessage
	a.call("POST", "/v1/sim/run", `{"scenario":"S9","seed":7}`).is(200).into(&got)
	own, err := json.Marshal(sim.Find("S9").Run(7, nil))
	must(t, err)
	var want map[string]json.RawMessage
	must(t, json.Unmarshal(own, &want))
	if string(got["verdicts"]) == "" || string(got["events"]) != string(want["events"]) || string(got["scenario"]) != `"S9"` {
		t.Errorf("%s, want %s", got, want)
	}
	a.call("POST", "/v1/sim/run", `{"scenario":"S9","preset":"payment"}`).is(200)
	a.call("POST", "/v1/sim/run", `{"scenario":"S9","policy":{"max_attempts":3,"backoff":{"kind":"fixed","initial":"1s"}}}`).is(200)
	a.call("POST", "/v1/sim/run", `{"scenario":"S99"}`).problem(404, "not_found")
	a.call("POST", "/v1/sim/run", `{"scenario":"S9","preset":"none"}`).problem(400, "invalid", "preset")
	a.call("POST", "/v1/sim/run", `{"scenario":"S9","policy":{"backoff":{"multiplier":-1}}}`).problem(400, "invalid", "policy.backoff.multiplier")
	a.call("POST", "/v1/sim/run", `{"scenario":"S9","preset":"payment","policy":{}}`).problem(400, "invalid", "policy")

	a.call("PUT", "/v1/policies/mine", `{"max_attempts":3,"backoff":{"kind":"fixed","initial":"1s"},"fallback":{"type":"other"}}`).is(201)
	var compared sim.Comparison
	a.call("POST", "/v1/sim/compare", `{"scenario":"S4","policies":[{"preset":"mine"},{"preset":"payment"},{"policy":{"max_attempts":9,"backoff":{"kind":"fixed","initial":"10ms"}}}]}`).is(200).into(&compared)
	if len(compared.Variants) != 3 || compared.Variants[0].Name != "mine" || compared.Variants[2].Name != "policies[2]" || len(compared.Variants[1].Series.Attempts) == 0 {
		t.Errorf("%+v", compared)
	}
	a.call("POST", "/v1/sim/compare", `{"scenario":"S4","policies":[{"preset":"none"}]}`).problem(400, "invalid", "policies[0].preset")
	a.call("POST", "/v1/sim/compare", `{"scenario":"S4","policies":[{},{},{},{},{}]}`).problem(400, "invalid", "policies")
	a.server.PlayFor(0)
	a.call("POST", "/v1/sim/run", `{"scenario":"S9"}`).problem(503, "unavailable")
	a.call("POST", "/v1/sim/compare", `{"scenario":"S4","policies":[{}]}`).problem(503, "unavailable")
}
