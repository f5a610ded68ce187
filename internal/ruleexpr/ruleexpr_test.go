package ruleexpr_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	_ "github.com/outlast-dev/outlast/cel"
	"github.com/outlast-dev/outlast/internal/ruleexpr"
	"github.com/outlast-dev/outlast/retry"
)

func TestExpressions(t *testing.T) {
	f := retry.Failure{
		Attempt: 2, Err: errors.New("Deadlock found when trying to get lock"),
		Verdict: retry.Verdict{Category: retry.Conflict, Effect: retry.NotSent, Type: "*mysql.MySQLError", Code: "1213"},
	}
	http := retry.Failure{Attempt: 5, Verdict: retry.Verdict{Category: retry.Permanent, Effect: retry.Done, Code: "404"}}
	for _, c := range []struct {
		text         string
		first, other bool
	}{
		{`category == "conflict"`, true, false},
		{`status == 404`, false, true},
		{`status >= 400.0 && status < 500`, false, true},
		{`status == 0 && code == "1213"`, true, false},
		{`attempt > 1 && attempt < 5`, true, false},
		{`message.contains("Deadlock")`, true, false},
		{`message == ""`, false, true},
		{`message.matches("(?i)dead.*lock")`, true, false},
		{`type.endsWith("MySQLError")`, true, false},
		{`effect in ["done", "maybe"]`, false, true},
		{`attempt / (attempt - 2) > 0`, false, true}, // what cannot be evaluated does not hold
	} {
		e, err := ruleexpr.Compile(c.text)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		if e.Holds(f) != c.first || e.Holds(http) != c.other || e.String() != c.text {
			t.Errorf("%s: %v, %v", e, e.Holds(f), e.Holds(http))
		}
	}
}

func TestBadExpressions(t *testing.T) {
	for text, says := range map[string]string{
		"":                                 "is not a condition",
		"attempt":                          "it yields int",
		"statu == 404":                     "did you mean status?",
		"payload.amount > 3":               "there are category, effect, status",
		`attempt == "x"`:                   "no matching overload",
		"attempt >":                        "column",
		"[1,2].all(x, x > attempt)":        "is not a condition",
		strings.Repeat("attempt>1||", 300): "the limit is 2048",
		strings.Repeat("(", 100) + "true" + strings.Repeat(")", 100):                                 "is not a condition",
		"message.contains(message + message + message) || message.contains(message+message+message)": "too long",
		"attempt\n==\n\x1b[31m": "is not a condition",
	} {
		_, err := ruleexpr.Compile(text)
		wrong := &retry.FieldError{}
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), says) || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%.60q: %v", text, err)
		}
	}
}

// The first rule whose condition holds decides, with its own schedule and limits.
func TestRulesByExpression(t *testing.T) {
	spec, err := retry.ParseSpec([]byte(`{"max_attempts": 3, "backoff": {"kind": "fixed", "initial": "1s", "jitter": "none"}, "rules": [
		{"when": "status == 409 && attempt < 3", "backoff": {"kind": "fixed", "initial": "5s"}},
		{"when": "message.contains('poison')", "then": "dead"},
		{"when": "code == 'MAINTENANCE'", "then": "snooze", "backoff": {"kind": "fixed", "initial": "1m"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Policy()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		f    retry.Failure
		want retry.Decision
	}{
		{retry.Failure{Attempt: 1, Verdict: retry.Verdict{Category: retry.Permanent, Code: "409"}}, retry.Decision{Retry: true, Delay: 5 * time.Second, Rule: "rule 1: status == 409 && attempt < 3"}},
		{retry.Failure{Attempt: 3, Verdict: retry.Verdict{Category: retry.Permanent, Code: "409"}}, retry.Decision{Reason: retry.ReasonPermanent, Rule: "policy"}},
		{retry.Failure{Attempt: 1, Err: errors.New("a poison pill"), Verdict: retry.Verdict{Category: retry.Network}}, retry.Decision{Reason: retry.ReasonRejected, Rule: "rule 2: message.contains('poison')"}},
		{retry.Failure{Attempt: 3, Verdict: retry.Verdict{Category: retry.Unavailable, Code: "MAINTENANCE"}}, retry.Decision{Retry: true, Snooze: true, Delay: time.Minute, Rule: "rule 3: code == 'MAINTENANCE'"}},
		{retry.Failure{Attempt: 3, Verdict: retry.Verdict{Category: retry.Unavailable}}, retry.Decision{Reason: retry.ReasonExhausted, Rule: "policy"}},
	} {
		if got := p.Decide(c.f, nil); got != c.want {
			t.Errorf("%+v: %+v, want %+v", c.f, got, c.want)
		}
		if got := p.Once().Decide(c.f, nil); got.Retry {
			t.Errorf("%+v: retried once: %+v", c.f, got)
		}
	}
	again, unwritten := p.Spec()
	if len(unwritten) > 0 || again.Rules[0].If != "status == 409 && attempt < 3" {
		t.Errorf("%+v, %v", again.Rules, unwritten)
	}
	if got := p.Repeat(retry.Failure{Attempt: 3, Verdict: retry.Verdict{Category: retry.Unavailable, Code: "MAINTENANCE", Effect: retry.NotSent}}, nil); got.Retry {
		t.Errorf("a call in this process is repeated for ever: %+v", got)
	}
}

func BenchmarkExpression(b *testing.B) {
	e, err := ruleexpr.Compile(`category == "permanent" && status == 404 && attempt < 3`)
	if err != nil {
		b.Fatal(err)
	}
	f := retry.Failure{Attempt: 2, Verdict: retry.Verdict{Category: retry.Permanent, Code: "404"}}
	for b.Loop() {
		if !e.Holds(f) {
			b.Fatal("it does not hold")
		}
	}
}
