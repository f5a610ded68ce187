package alerts

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// refusals are the fields of an error.
func refusals(err error) (fields []string) {
	for _, e := range retry.FieldErrors(err) {
		fields = append(fields, e.Field)
	}
	return fields
}

func TestParseRule(t *testing.T) {
	t.Parallel()
	rule, err := ParseRule([]byte(`{"name": "exhausted", "on": "dead", "when": "reason == \"exhausted\" && attempt > 1", "channels": ["ops"], "cooldown": "5m"}`))
	if err != nil || Cooldown(rule) != 5*time.Minute || rule.Channels[0] != "ops" {
		t.Fatalf("%+v, %v", rule, err)
	}
	for text, want := range map[string][]string{
		`[]`:                            {""},
		`{"on": "dead"} {}`:             {""},
		`{"on": "dead", "on": "retry"}`: {"on"},
		`{"on": "ded", "chanels": [], "cooldown": "-1s"}`:                                                                   {"chanels", "cooldown", "on"},
		`{"on": "retry", "when": "attemt > 1"}`:                                                                             {"when"},
		`{"on": "retry", "when": "attempt"}`:                                                                                {"when"},
		`{"on": "dead", "when": "delay > duration(\"1s\")"}`:                                                                {"when"},
		`{"on": "dead", "for": "1m", "severity": "bad"}`:                                                                    {"for", "severity"},
		`{"on": "dead", "channels": ["a", "a", "b c"], "name": "x/y"}`:                                                      {"name", "channels[1]", "channels[2]"},
		`{"on": "dead", "cooldown": "169h"}`:                                                                                {"cooldown"},
		`{"on": "dead", "when": "[1,2].exists(x, x > 1)"}`:                                                                  {"when"},
		`{"on": "dead", "when": "` + strings.Repeat("(", 500) + `"}`:                                                        {"when"},
		`{"on": "dead", "when": "` + strings.Repeat(" ", 2050) + `1"}`:                                                      {"when"},
		`{"on": "dead", "when": "message + message == message"}`:                                                            nil,
		`{"on": "letters", "when": "total > 10 || \"a\" in by_type && by_type[\"a\"] > 3", "for": "1m", "recovery": false}`: nil,
	} {
		if _, err := ParseRule([]byte(text)); !slices.Equal(refusals(err), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	_, err = ParseRule([]byte(`{"on": "retry", "when": "attemt > 1"}`))
	if !strings.Contains(err.Error(), "did you mean attempt?") {
		t.Error(err)
	}
	_, err = ParseRule([]byte(`{"on": "ded", "severity": "critcal", "cooldown": "240h"}`))
	for _, part := range []string{"did you mean dead?", "did you mean critical?", "10 days is outside 0s to 7 days"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("no %s: %v", part, err)
		}
	}
}

func settlement(outcome task.Outcome, reason task.DeadReason) *store.Settlement {
	now := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	return &store.Settlement{
		Task:    &task.Task{Type: "mail.send", Queue: "mail", Target: "smtp.example.com", Attempt: 3, CreatedAt: now.Add(-time.Minute)},
		Outcome: outcome, DeadReason: reason, EndedAt: now, RunAt: now.Add(2 * time.Second),
		Failure: &task.Failure{Category: "unavailable", Code: "503", Message: "down"},
	}
}

func TestExpressionsSeeEvents(t *testing.T) {
	t.Parallel()
	dead, again := Ended(settlement(task.OutcomeDead, task.Exhausted), 3), Ended(settlement(task.OutcomeFailed, ""), 5)
	if dead.On != alert.OnDead || dead.Subject != "mail.send" || again.On != alert.OnRetry || again.Subject != (task.ID{}).String() {
		t.Fatalf("%+v %+v", dead, again)
	}
	for _, row := range []struct {
		on         alert.On
		text       string
		dead, retr any
	}{
		{alert.OnDead, `reason == "exhausted" && status >= 500 && category == "unavailable"`, true, nil},
		{alert.OnDead, `age > duration("2m")`, false, nil},
		{alert.OnRetry, `attempt > 1 && attempt < 5 && delay == duration("2s")`, nil, true},
		{alert.OnTask, `attempt > 1 && attempt < 5`, true, true},
		{alert.OnTask, `event == "dead"`, true, false},
		{alert.OnTask, `has(metadata.team) && metadata.team == "a"`, false, false},
	} {
		e, err := Compile(row.on, row.text)
		if err != nil {
			t.Errorf("%s: %v", row.text, err)
			continue
		}
		for want, o := range map[any]*Occurrence{row.dead: dead, row.retr: again} {
			if row.dead == row.retr && o == again {
				o = dead
			}
			if want == nil {
				continue
			}
			if got, err := e.Holds(o.Values); got != want || err != nil {
				t.Errorf("%s of %s: %v, %v", row.text, o.On, got, err)
			}
		}
	}
}

// TestEveryVariableIsSet: a variable that is declared for a kind of event is
// set by its occurrence, or an expression over it could not be told.
func TestEveryVariableIsSet(t *testing.T) {
	t.Parallel()
	now := time.Now()
	sample := Sample{Letters: &store.DeadStats{}, Queues: []QueueSample{{Name: "q"}}, Targets: []RateSample{{Name: "t"}}, Types: []RateSample{{Name: "t"}}, Categories: []RateSample{{Name: "t"}}, Groups: []GroupSample{{Name: "g"}}, Blocked: []BlockedSample{{Hold: store.Hold{Key: "k"}}, {Others: 2}}, Keys: []KeySample{{Name: "k"}}, Changes: []ChangeSample{{Type: "t", Number: 2, By: "release", From: "1", To: "2"}}}
	all := append(sample.Occurrences(now),
		Ended(settlement(task.OutcomeDead, task.Exhausted), 1), Ended(settlement(task.OutcomeFailed, ""), 1), Crashed(&store.Recovered{}, now), ProcessDied(HolderEnd{"n", "node dead"}, make([]store.Recovered, 1), now),
		Exhausted("n", "EMFILE", 1, now), BreakerChanged("t", "closed", "open", "x", now), RedriveEnded(&store.Operation{}, now), ScheduleMissed("s", 1, now))
	seen := map[alert.On]bool{}
	for _, o := range all {
		seen[o.On] = true
		for _, v := range variables {
			if _, set := o.Values[v.Name]; v.on(o.On) && !set {
				t.Errorf("%s does not set %s", o.On, v.Name)
			}
		}
	}
	for _, on := range ons {
		if !seen[on] {
			t.Errorf("%s never occurs", on)
		}
	}
}

// TestExpressionsAreBounded: what passes the check ends soon, whatever the
// texts are.
func TestExpressionsAreBounded(t *testing.T) {
	t.Parallel()
	o := Ended(settlement(task.OutcomeDead, task.Exhausted), 3)
	o.Values["message"] = strings.Repeat("a", task.MaxErrorText)
	text := `message.matches("(a+)+$")` + strings.Repeat(` && message.matches("(a+)+$")`, 60)
	e, err := Compile(alert.OnDead, text)
	if err != nil {
		return // refused when it is saved
	}
	began := time.Now()
	_, err = e.Holds(o.Values)
	if took := time.Since(began); took > time.Minute { // backtracking would go on for ever
		t.Errorf("took %s: %v", took, err)
	}
}

func BenchmarkConditionOfARetry(b *testing.B) {
	e, err := Compile(alert.OnRetry, `attempt > 1 && attempt < 5 && category == "timeout"`)
	if err != nil {
		b.Fatal(err)
	}
	s := settlement(task.OutcomeFailed, "")
	b.ReportAllocs()
	for b.Loop() {
		if holds, err := e.Holds(Ended(s, 3).Values); holds || err != nil {
			b.Fatal(holds, err)
		}
	}
}
