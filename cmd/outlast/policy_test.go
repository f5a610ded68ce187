package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/retry"
)

// nowhere is a command without a server: planning needs none.
func nowhere(t *testing.T) command { return command{t: t, server: "http://127.0.0.1:1"} }

// planned runs outlast policy plan with JSON.
func planned(t *testing.T, args ...string) map[string]any {
	t.Helper()
	return nowhere(t).run(append([]string{"policy", "plan", "--output", "json"}, args...)...).exits(0).json()
}

// column is one key of all delays.
func column(t *testing.T, plan map[string]any, key string) string {
	t.Helper()
	var all []string
	for _, delay := range plan["delays"].([]any) {
		all = append(all, fmt.Sprint(delay.(map[string]any)[key]))
	}
	return strings.Join(all, " ")
}

// codes are those of the warnings.
func codes(plan map[string]any) string {
	var all []string
	for _, warning := range plan["warnings"].([]any) {
		all = append(all, warning.(map[string]any)["code"].(string))
	}
	return strings.Join(all, " ")
}

func TestPolicyPlan(t *testing.T) {
	for _, c := range []struct {
		args, nominal, total string
	}{
		{"--preset instant", "100ms 200ms 400ms", "700ms"},
		{"--preset dispatch --rows 6", "1s 5s 10s 1m0s 1m0s 1m0s", "3m16s"},
		{"--preset order-create", "100ms 200ms 300ms", "600ms"},
		{"--preset payment --retries 2 --max 1500ms", "1s 1.5s", "2.5s"},
		{"--preset easyjob(30s,2,3)", "30s 1m0s 2m0s", "3m30s"},
		{"--kind exponential --initial 10s --multiplier 2 --max 5m --retries 5 --jitter none", "10s 20s 40s 1m20s 2m40s", "5m10s"},
		{"--kind fixed --initial 2s --retries 3", "2s 2s 2s", "6s"},
		{"--kind linear --initial 1s --step 2s --max 4s --retries 3", "1s 3s 4s", "8s"},
		{"--steps 1s,5s --retries 3", "1s 5s 5s", "11s"},
		{"--kind fibonacci --initial 1s --retries 5", "1s 1s 2s 3s 5s", "12s"},
		{"--retries 0", "", "0s"},
	} {
		t.Run(c.args, func(t *testing.T) {
			plan := planned(t, strings.Fields(c.args)...)
			if got := column(t, plan, "nominal"); got != c.nominal || plan["total"] != c.total {
				t.Errorf("%s in %v, want %s in %s", got, plan["total"], c.nominal, c.total)
			}
			if plan["warnings"] == nil {
				t.Error("no warnings is null")
			}
		})
	}
	plan := planned(t, "--kind", "exponential", "--initial", "1s", "--multiplier", "2", "--retries", "5", "--jitter", "additive(0.1)", "--deadline", "20s", "--timeout", "5s", "--fail-rate", "0.2", "--outer", "3,4")
	if got := column(t, plan, "max"); got != "1.1s 2.2s 4.4s 8.8s 17.6s" || column(t, plan, "mean") != "1.05s 2.1s 4.2s 8.4s 16.8s" || column(t, plan, "at") != "1s 3s 7s 15s 31s" {
		t.Errorf("max %s, mean %s, at %s", got, column(t, plan, "mean"), column(t, plan, "at"))
	}
	if got := codes(plan); got != "weak_jitter no_cap total_past_deadline attempts_past_deadline layers" {
		t.Errorf("warnings %s", got)
	}
	if got := fmt.Sprintf("%.4f", plan["success"].([]any)[2]); got != "0.9920" {
		t.Errorf("three attempts succeed with %s", got)
	}
}

func TestPolicyPlanSolves(t *testing.T) {
	for args, want := range map[string]string{
		"--solve initial --ttl 5s --retries 4 --multiplier 2":                            "initial 333ms",
		"--solve initial --ttl 5s --retries 3 --multiplier 2":                            "initial 714ms",
		"--solve initial --ttl 5s --retries 4 --multiplier 2 --jitter proportional(0.2)": "initial 277ms",
		"--solve initial --ttl 5s --retries 4 --multiplier 2 --attempt-time 800ms":       "initial 66ms",
		"--solve initial --deadline 5s --retries 4 --jitter none":                        "initial 333ms",
		"--solve multiplier --ttl 15s --retries 4 --initial 1s":                          "multiplier 2",
		"--solve retries --ttl 31s --initial 1s --multiplier 2":                          "retries 5",
	} {
		key, value, _ := strings.Cut(want, " ")
		plan := planned(t, strings.Fields(args)...)
		if got := fmt.Sprint(plan["solution"].(map[string]any)[key]); got != value {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
		got := nowhere(t).run(append([]string{"policy", "plan"}, strings.Fields(args)...)...).exits(0)
		if !strings.Contains(got.out, "solution") || !strings.Contains(got.out, value) {
			t.Errorf("%s: no solution in %s", args, got.out)
		}
	}
}

func TestPolicyPlanFits(t *testing.T) {
	plan := planned(t, "--fit", "--ttl", "5s", "--attempt-time", "800ms")
	var names []string
	for _, f := range plan["fit"].([]any) {
		names = append(names, f.(map[string]any)["preset"].(string))
	}
	if got := strings.Join(names, " "); got != "instant order-create notification permanent" {
		t.Errorf("%s fit", got)
	}
	got := nowhere(t).run("policy", "plan", "--fit", "--ttl", "5s", "--attempt-time", "800ms").exits(0)
	nowhere(t).run("policy", "plan", "--fit", "--ttl", "1s", "--attempt-time", "2s").exits(0).silent().says("no preset fits the limit")
	if !strings.HasPrefix(got.out, "FITS") || strings.Contains(got.out, "WARNING") {
		t.Errorf("got %s", got.out)
	}
}

func TestPolicyPlanOfAFile(t *testing.T) {
	const policy = `{"max_attempts":4,"backoff":{"initial":"2s","jitter":"none"},"rules":[{"when":["permanent"],"max_attempts":2}],"budget":"none"}`
	path := filepath.Join(t.TempDir(), "policy.json")
	if err := os.WriteFile(path, []byte(policy), 0o600); err != nil {
		t.Fatal(err)
	}
	plan := planned(t, "--file", path, "--multiplier", "3")
	if got := column(t, plan, "nominal"); got != "2s 6s 18s" || !strings.Contains(codes(plan), "no_jitter no_cap no_timeout retries_permanent no_budget") {
		t.Errorf("%s with %s", got, codes(plan))
	}
	c := nowhere(t)
	c.input = policy
	if got := c.run("policy", "plan", "--file", "-", "--retries", "1", "--output", "json").exits(0).json(); column(t, got, "nominal") != "2s" {
		t.Errorf("got %v", got)
	}
	for text, says := range map[string]string{
		`{"max_atempts":4}`: "max_atempts: unknown key", `{`: "is not JSON", `[]`: "an object is wanted", ``: "is not JSON",
		`{"max_attempts":0}`: "max_attempts: 0 is outside 1 to 1000000", `{"backoff":{"initial":"1s"}}}`: "something follows",
	} {
		c.input = text
		c.run("policy", "plan", "--file", "-").exits(2).silent().says(says)
	}
	c.run("policy", "plan", "--file", filepath.Join(t.TempDir(), "none.json")).silent().says("no such file")
}

func TestPolicyPlanDraws(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.svg")
	nowhere(t).run("policy", "plan", "--preset", "payment", "--plot", path).exits(0).says("plan.svg")
	drawn, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := nowhere(t).run("policy", "plan", "--preset", "payment", "--plot", "-").exits(0); got.out != string(drawn) || !strings.HasPrefix(got.out, "<svg ") {
		t.Errorf("the picture on standard output is another one: %.80s", got.out)
	}
	nowhere(t).run("policy", "plan", "--plot", filepath.Join(t.TempDir(), "no", "such", "folder.svg")).exits(1).silent()
}

// What is refused names the flag or field, the value and the range.
func TestPolicyPlanRefuses(t *testing.T) {
	for args, says := range map[string]string{
		"--preset paymnt":                            "did you mean payment",
		"--multiplier 200":                           "backoff.multiplier: 200 is outside 1 to 100",
		"--retries 1000000":                          "--retries: 1000000 is outside 0 to 999999",
		"--retries -1":                               "--retries: -1 is outside",
		"--retries x":                                "retries",
		"--kind exponentail":                         "backoff.kind",
		"--kind fixed --multiplier 2":                "backoff.multiplier: kind fixed does not use it",
		"--initial 0s":                               "backoff.initial: 0s is not longer than 0",
		"--initial 1":                                "initial",
		"--jitter ful":                               `backoff.jitter: "ful" is none of`,
		"--jitter additive":                          "backoff.jitter.x: is missing",
		"--jitter additive(0.1":                      "--jitter",
		"--jitter additive(x)":                       "--jitter",
		"--jitter additive(NaN)":                     "--jitter",
		"--jitter beta(0.1,0.2,0.3)":                 "--jitter",
		"--jitter additive(2)":                       "backoff.jitter.x: 2 is outside (0, 1]",
		"--fail-rate 1.5":                            "fail_rate: 1.5 is outside 0 to 1",
		"--fail-rate 0":                              "--fail-rate must be more than 0",
		"--deadline 0s":                              "--deadline must be more than 0",
		"--deadline -1s":                             "deadline: -1s is negative",
		"--outer 0":                                  "outer_attempts[0]: 0 is outside 1 to 1000000",
		"--rows 10001":                               "rows: 10001 is outside",
		"--solve jitter --ttl 5s":                    "solve: \"jitter\" is none of initial, multiplier, retries",
		"--solve initail":                            "solve: \"initail\" is none of initial, multiplier, retries",
		"--solve initial":                            "ttl: is missing",
		"--solve initial --ttl 1s --attempt-time 1s": "ttl: 1s is too short for",
		"--fit":                     "ttl: 0s is not longer than 0",
		"--preset payment --file x": "not both",
		"--preset dispatch --solve initial --ttl 5s":      "solve: kind steps has no initial",
		"--unlimited --solve initial --ttl 5s":            "max_attempts: is unlimited",
		"--unlimited --kind fixed --initial 0s":           "backoff: unlimited attempts without a wait",
		"--preset payment extra":                          "takes no arguments",
		"--preset payment --steps 1s,x":                   "steps",
		"--unlimited --retries 3 --preset consistency-ta": "preset",
	} {
		nowhere(t).run(append([]string{"policy", "plan"}, strings.Fields(args)...)...).exits(2).silent().says(says)
	}
}

func TestPolicyListAndGet(t *testing.T) {
	got := nowhere(t).run("policy", "list", "--output", "json").exits(0).json()["policies"].([]any)
	var names []string
	for _, policy := range got {
		names = append(names, policy.(map[string]any)["name"].(string))
	}
	if fmt.Sprint(names) != fmt.Sprint(retry.Presets()) {
		t.Errorf("lists %v, want %v", names, retry.Presets())
	}
	if lines := strings.Count(nowhere(t).run("policy", "list", "--output", "jsonl").exits(0).out, "\n"); lines != len(names) {
		t.Errorf("%d lines, want %d", lines, len(names))
	}
	nowhere(t).run("policy", "list").exits(0)
	for _, name := range append(names, "easyjob(30s, 2, 5)") {
		one := nowhere(t).run("policy", "get", name, "--output", "json").exits(0).json()
		text, err := json.Marshal(one["policy"])
		if err != nil {
			t.Fatal(err)
		}
		spec, err := retry.ParseSpec(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := spec.Policy(); err != nil || one["purpose"] == "" || one["summary"] == "" {
			t.Errorf("%s: %v, %v", name, one, err)
		}
	}
	if table := nowhere(t).run("policy", "plan").exits(0).out; !strings.Contains(table, "by fail rate: 1 %") || !strings.Contains(table, "fewer successes pay for retries") {
		t.Errorf("the percentages of the loads are not explained: %s", table)
	}
	nowhere(t).run("policy", "get", "paymnt").exits(4).silent().says("payment")
	if text := nowhere(t).run("policy", "get", "nothere").exits(4).silent().says("one of instant").stderr; strings.Count(text, "nothere") != 1 {
		t.Errorf("it repeats itself: %s", text)
	}
	nowhere(t).run("policy", "get", "easyjob(30s, 9, 5)").exits(2).silent().says("multiplier: 9 is outside 1.0 to 8.0")
	nowhere(t).run("policy", "get", "payment").exits(0)
	nowhere(t).run("policy").exits(2).says("get, list, plan")
}
