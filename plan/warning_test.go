package plan_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

// sound is a policy about which nothing can be said.
const sound = `{"max_attempts":5,"timeout":"3s","backoff":{"max":"30s"}}`

// unbounded is the same without a budget.
const unbounded = `{"max_attempts":5,"timeout":"3s","backoff":{"max":"30s"},"budget":"none"}`

func TestWarnings(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		env        plan.Env
		code       string // with its field
		says       string
	}{
		{"first wait of 0", `{"backoff":{"kind":"steps","steps":["0s","1s"]}}`, plan.Env{}, "no_backoff backoff", "first wait is 0"},
		{"no waits", `{"backoff":{"kind":"fixed","initial":"0s"}}`, plan.Env{}, "no_backoff backoff", "7 retries"},
		{"no jitter", `{"backoff":{"jitter":"none"}}`, plan.Env{}, "no_jitter backoff.jitter", "full jitter"},
		{"weak jitter", `{"backoff":{"jitter":{"kind":"proportional","x":0.2}}}`, plan.Env{}, "weak_jitter backoff.jitter", "57 %"},
		{"no cap", `{"max_attempts":6}`, plan.Env{}, "multiplier -", ""},
		{"no cap", `{"max_attempts":6,"backoff":{"kind":"exponential"}}`, plan.Env{}, "no_cap backoff.max", "16s before retry 5"},
		{"small multiplier", `{"backoff":{"multiplier":1.4}}`, plan.Env{}, "multiplier backoff.multiplier", "1.4 is outside 1.5 to 4"},
		{"large multiplier", `{"backoff":{"multiplier":4.1}}`, plan.Env{}, "multiplier backoff.multiplier", "4.1 is outside 1.5 to 4"},
		{"multiplier at the edge", `{"backoff":{"multiplier":4}}`, plan.Env{}, "multiplier -", ""},
		{"few retries", `{"max_attempts":3}`, plan.Env{}, "count max_attempts", "2 retries"},
		{"three", `{"max_attempts":4}`, plan.Env{}, "count -", ""},
		{"ten", `{"max_attempts":11}`, plan.Env{}, "count -", ""},
		{"many retries", `{"max_attempts":12}`, plan.Env{FailRate: 0.5}, "count max_attempts", "adds 0.0244 %"},
		{"no end", `{"unlimited":true}`, plan.Env{}, "unlimited unlimited", "without end"},
		{"an end", `{"unlimited":true,"ttl":"1h"}`, plan.Env{}, "unlimited -", ""},
		{"no timeout", `{}`, plan.Env{}, "no_timeout timeout", "hangs"},
		{"short timeout", `{"timeout":"1s"}`, plan.Env{AttemptTime: time.Second}, "short_timeout timeout", "cut off"},
		{"waits past the deadline", `{"max_attempts":6,"backoff":{"jitter":{"kind":"additive","x":0.1}}}`, plan.Env{Deadline: 34 * time.Second}, "total_past_deadline deadline", "34.1s"},
		{"waits within the deadline", `{"max_attempts":6,"backoff":{"jitter":{"kind":"additive","x":0.1}}}`, plan.Env{Deadline: 34100 * time.Millisecond}, "total_past_deadline -", ""},
		{"waits past the ttl", `{"max_attempts":6,"ttl":"20s"}`, plan.Env{Deadline: time.Hour}, "total_past_deadline ttl", "4 retries are certain"},
		{"attempts past the deadline", `{"max_attempts":5,"timeout":"3s"}`, plan.Env{Deadline: 14 * time.Second}, "attempts_past_deadline timeout", "5 attempts of up to 3s take up to 15s"},
		{"attempts within the deadline", `{"max_attempts":5,"timeout":"3s"}`, plan.Env{Deadline: 15 * time.Second}, "attempts_past_deadline -", ""},
		{"layers", sound, plan.Env{OuterAttempts: []int{3}}, "layers outer_attempts", "3 × 5 attempts are 15"},
		{"one attempt below layers", `{"max_attempts":1}`, plan.Env{OuterAttempts: []int{3}}, "layers outer_attempts", "3 × 1"},
		{"layer without retries", sound, plan.Env{OuterAttempts: []int{1}}, "layers -", ""},
		{"unstable", unbounded, plan.Env{Utilization: 0.25}, "unstable utilization", "up to 20 %"},
		{"stable", unbounded, plan.Env{Utilization: 0.2}, "unstable -", ""},
		{"stable with a budget", sound, plan.Env{Utilization: 0.25}, "unstable -", ""},
		{"rule for permanent", `{"rules":[{"when":["network","permanent"]}]}`, plan.Env{}, "retries_permanent rules[0]", "permanent"},
		{"rule against permanent", `{"rules":[{"when":["permanent"],"then":"dead"}]}`, plan.Env{}, "retries_permanent -", ""},
		{"permanent by list", `{"retry_on":["permanent"]}`, plan.Env{}, "retries_permanent retry_on[0]", "permanent"},
		{"409 by list", `{"retry_on":["SomeError",409]}`, plan.Env{}, "retries_permanent retry_on[1]", "409"},
		{"409 refused", `{"retry_on":[409],"never_on":[409]}`, plan.Env{}, "retries_permanent -", ""},
		{"429 by list", `{"retry_on":[429]}`, plan.Env{}, "retries_permanent -", ""},
		{"network", `{"rules":[{"when":["conflict"]},{"when":["network","timeout"]}]}`, plan.Env{}, "network_without_unsent rules[1]", "refused"},
		{"network and unsent", `{"rules":[{"when":["network","unsent"]}]}`, plan.Env{}, "network_without_unsent -", ""},
		{"unsent by another rule", `{"rules":[{"when":["network"]},{"when":["unsent"],"then":"dead"}]}`, plan.Env{}, "network_without_unsent -", ""},
		{"no rule for network", `{"rules":[{"when":["timeout"]}]}`, plan.Env{}, "network_without_unsent -", ""},
		{"no budget", `{"budget":"none"}`, plan.Env{}, "no_budget budget", "8 times the load"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := plan.Question{Spec: spec(t, c.spec), Env: c.env}.Answer()
			if err != nil {
				t.Fatal(err)
			}
			code, field, _ := strings.Cut(c.code, " ")
			found := slices.IndexFunc(r.Warnings, func(w plan.Warning) bool { return w.Code == code })
			switch {
			case field == "-":
				if found >= 0 {
					t.Errorf("unwanted: %+v", r.Warnings[found])
				}
			case found < 0:
				t.Errorf("no %s in %+v", code, r.Warnings)
			case r.Warnings[found].Field != field || !strings.Contains(r.Warnings[found].Message, c.says):
				t.Errorf("got %+v, want field %s and %q", r.Warnings[found], field, c.says)
			}
		})
	}
}

// Turning retries off is nothing to warn of, and the default policy is sound.
func TestSoundPolicies(t *testing.T) {
	for _, text := range []string{sound, `{"max_attempts":1,"timeout":"3s"}`} {
		r, err := plan.Question{Spec: spec(t, text)}.Answer()
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range r.Warnings {
			t.Errorf("%s: %+v", text, w)
		}
	}
}

// Warnings come in the order of the codes, and every code is listed once.
func TestCodes(t *testing.T) {
	var codes []string
	for _, w := range plan.Codes() {
		if w.Message == "" || w.Field == "" || slices.Contains(codes, w.Code) {
			t.Errorf("%+v", w)
		}
		codes = append(codes, w.Code)
	}
	r, err := plan.Question{
		Spec: spec(t, `{"max_attempts":20,"timeout":"1s","ttl":"10s","retry_on":[404],"budget":"none","backoff":{"multiplier":5,"jitter":"none"}}`),
		Env:  plan.Env{AttemptTime: 2 * time.Second, OuterAttempts: []int{4}, Utilization: 0.9},
	}.Answer()
	if err != nil {
		t.Fatal(err)
	}
	last := -1
	for _, w := range r.Warnings {
		at := slices.Index(codes, w.Code)
		if at <= last {
			t.Errorf("%s out of order", w.Code)
		}
		last = at
	}
	if len(r.Warnings) != 11 {
		t.Errorf("%d warnings: %+v", len(r.Warnings), r.Warnings)
	}
}

func TestEnvRefuses(t *testing.T) {
	_, err := plan.Of(retry.Default(), plan.Env{Deadline: -1, AttemptTime: -1, FailRate: 1.5, Rate: -1, Utilization: 2, OuterAttempts: []int{0}, Rows: -1})
	var fields []string
	for _, e := range retry.FieldErrors(err) {
		fields = append(fields, e.Field)
	}
	if want := []string{"deadline", "attempt_time", "fail_rate", "rate", "utilization", "outer_attempts[0]", "rows"}; !slices.Equal(fields, want) {
		t.Errorf("refused %v, want %v", fields, want)
	}
	if _, err := plan.Of(retry.Default(), plan.Env{OuterAttempts: make([]int, 17)}); err == nil {
		t.Error("17 layers are accepted")
	}
}

func TestRules(t *testing.T) {
	r, err := plan.Question{Spec: spec(t, `{"max_attempts":5,"rules":[
		{"when":["network"],"backoff":{"initial":"100ms","multiplier":2,"max":"300ms"},"max_attempts":4},
		{"when":["conflict"],"backoff":{"kind":"fixed","initial":"1s","jitter":"none"}},
		{"when":["permanent"],"then":"dead"},
		{"when":["bug"],"max_attempts":2}]}`)}.Answer()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, rule := range r.Rules {
		row := []time.Duration{time.Duration(rule.Attempts) * time.Second}
		for _, d := range rule.Delays {
			row = append(row, d.Nominal, d.Max)
		}
		got = append(got, seconds(row))
	}
	want := []string{"4 0.1 0.1 0.2 0.2 0.3 0.3", "5 1 1 1 1 1 1 1 1", "1", "2 1 1"}
	if !slices.Equal(got, want) {
		t.Errorf("attempts, nominal and largest delays %q, want %q", got, want)
	}
}
