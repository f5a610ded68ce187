package badinput

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/task"
)

// planRows are what a plan is asked for beside the policy.
var planRows = []refusal{
	{name: "fail rate of 0", body: `{"fail_rate":0}`, at: "fail_rate"},
	{name: "fail rate of 2", body: `{"fail_rate":2}`, at: "fail_rate"},
	{name: "fail rate of 1e999", body: `{"fail_rate":1e999}`, at: "fail_rate"},
	{name: "negative deadline", body: `{"deadline":"-1s"}`, at: "deadline"},
	{name: "deadline of 0", body: `{"deadline":"0s"}`, at: "deadline"},
	{name: "negative rate", body: `{"rate":-1}`, at: "rate"},
	{name: "rate of 1e300", body: `{"rate":1e300}`, at: "rate"},
	{name: "rows of 1e9", body: `{"rows":1000000000}`, at: "rows"},
	{name: "negative rows", body: `{"rows":-1}`, at: "rows"},
	{name: "layers of 0", body: `{"outer_attempts":[3,0]}`, at: "outer_attempts[1]"},
	{name: "17 layers", body: `{"outer_attempts":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}`, at: "outer_attempts"},
	{name: "20 000 layers", body: `{"outer_attempts":[` + strings.Repeat("1,", 20_000) + `1]}`, at: "outer_attempts"},
	{name: "unknown variable", body: `{"solve":"\u001b[2J","ttl":"5s"}`, at: "solve"},
	{name: "solve without a limit", body: `{"solve":"initial"}`, at: "ttl"},
	{name: "limit of a nanosecond", body: `{"solve":"initial","ttl":"1ns"}`, at: "ttl"},
	{name: "unknown key", body: `{"\u001b]0;x\u0007":1}`, at: `\x1b]0;x\a`},
	{name: "key of a task", body: `{"type":"t"}`, at: "type"},
}

// What no task may carry cannot be planned either, over HTTP and from a file.
func TestPlans(t *testing.T) {
	rows := planRows
	for _, row := range policyRows {
		policy, wrapped := strings.CutPrefix(row.body, `{"type":"t","retry":`)
		policy, closed := strings.CutSuffix(policy, "}")
		if !wrapped || !closed || !strings.HasPrefix(policy, "{") || len(policy) > 60<<10 {
			continue
		}
		if row.name == "max_attempts of null" { // at the top level null reads as absent
			continue
		}
		row.body, row.at = policy, strings.TrimPrefix(row.at, "retry.")
		rows = append(rows, row)
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			before := shared.count(t)
			answer := shared.post(t, "/v1/policies/plan", row.body)
			if row.at == "retry" { // about the policy as a whole
				answer.problem(t, row.verdict(), "policy", "alert")
			} else {
				answer.problem(t, row.verdict(), row.at)
			}
			shared.unchanged(t, before)
		})
	}
	shared.post(t, "/v1/policies/plan", strings.Repeat(" ", 64<<10)+"{}").problem(t, task.CodeTooLarge, "body")
	for _, row := range rows[len(planRows):] {
		if !row.form {
			shared.cli(t, row.body, "policy", "plan", "--file", "-").refuses(t, row.at, "the policy in --file: ")
		}
	}
}

// FuzzPlanBody: any body is planned or refused; no answer is an internal error.
func FuzzPlanBody(f *testing.F) {
	for _, row := range planRows {
		f.Add(row.body)
	}
	for _, body := range []string{
		`{"preset":"payment","fail_rate":0.5,"deadline":"30s","fit":true}`, `{"max_attempts":5,"ttl":"5s","solve":"initial","attempt_time":"800ms"}`,
		`{"unlimited":true,"backoff":{"kind":"fibonacci","jitter":"decorrelated"},"fail_rate":1,"rate":1,"attempt_time":"1s"}`,
		`{"rules":[{"when":["network"],"backoff":{"kind":"steps","steps":["0s"]}}],"budget":"none","breaker":"none","rows":1}`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		answer := shared.post(t, "/v1/policies/plan", body)
		switch answer.status {
		case http.StatusOK:
			if !json.Valid(answer.body) || len(answer.body) > 16<<20 {
				t.Fatalf("%d bytes of no JSON", len(answer.body))
			}
		case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
			if control(string(answer.body)) {
				t.Fatalf("control characters in %.500q", answer.body)
			}
		default:
			t.Fatalf("status %d: %.500s", answer.status, answer.body)
		}
	})
}
