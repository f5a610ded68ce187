package alerts

import (
	"strconv"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Builtin are the rules that hold without any configuration. A rule with the
// name of one of them replaces it; with disabled: true it turns it off. They
// have no channels, so they go to the default ones, or else to the log.
// Backlog is from how many dead letters on their number is told.
func Builtin(backlog int) []alert.Rule {
	all := builtins(backlog)
	rules := make([]alert.Rule, len(all))
	for i := range all {
		rules[i] = all[i].Rule
	}
	return rules
}

// builtin is a built-in rule, with what its condition says in Go, so that it holds in
// programs without a language of conditions; nil without a condition.
type builtin struct {
	alert.Rule
	holds func(v values) bool
}

func builtins(backlog int) []builtin {
	from := max(backlog, 1)
	return []builtin{
		{alert.Rule{Name: "exhausted", On: alert.OnDead, When: `reason == "exhausted"`}, func(v values) bool { return v.text("reason") == exhaustedReason }},
		{alert.Rule{Name: "crash_loop", On: alert.OnDead, When: `reason == "crash_loop"`, Severity: alert.Critical}, func(v values) bool { return v.text("reason") == crashReason }},
		// A rotated credential or a bad payload kills at the first attempt.
		{alert.Rule{Name: "died", On: alert.OnDead, When: `reason != "exhausted" && reason != "crash_loop"`}, func(v values) bool {
			return v.text("reason") != exhaustedReason && v.text("reason") != crashReason
		}},
		// What was to mend or to tell of an end has not done so: nothing else will.
		{alert.Rule{Name: "follow_up_dead", On: alert.OnDead, When: `follows != ""`, Severity: alert.Critical}, func(v values) bool { return v.text("follows") != "" }},
		// A deploy that kills what runs: all nodes that take over are waited for.
		{alert.Rule{Name: "process_died", On: alert.OnProcess, Digest: span(5 * time.Second)}, nil},
		// Nothing that needs a connection goes on there, alerts over the network included.
		{alert.Rule{Name: "resources_exhausted", On: alert.OnResources, Severity: alert.Critical}, nil},
		{alert.Rule{Name: "dead_letters", On: alert.OnLetters, When: "total >= " + strconv.Itoa(from)}, func(v values) bool { return v.number("total") >= from }},
		{alert.Rule{Name: "no_owner", On: alert.OnQueue, When: "!owned && backlog > 0", Hold: span(time.Minute), Severity: alert.Critical}, func(v values) bool {
			return !v.truth("owned") && v.number("backlog") > 0
		}},
		{alert.Rule{Name: "no_worker", On: alert.OnQueue, When: "stranded > 0 && !paused", Hold: span(time.Minute), Severity: alert.Critical}, func(v values) bool {
			return v.number("stranded") > 0 && !v.truth("paused")
		}},
		{alert.Rule{Name: "dead_group", On: alert.OnGroup, When: `waiting > 0 && (living == 0 || failing >= duration("60s"))`, Severity: alert.Critical}, func(v values) bool {
			return v.number("waiting") > 0 && (v.number("living") == 0 || v.span("failing") >= time.Minute)
		}},
		{alert.Rule{Name: "key_blocked", On: alert.OnBlocked, When: "waiting > 0"}, func(v values) bool { return v.number("waiting") > 0 }},
		{alert.Rule{Name: "missing_key", On: alert.OnKey, When: "waiting > 0", Severity: alert.Critical}, func(v values) bool { return v.number("waiting") > 0 }},
		// A storm begins when a target answers more slowly while more and more of
		// what it is asked are repeats.
		{alert.Rule{Name: "storm_forming", On: alert.OnTarget, When: "retries >= 20 && retry_share >= 0.2 && retry_growth >= 3.0 && p99_growth >= 1.5", Severity: alert.Critical}, func(v values) bool {
			return v.number("retries") >= 20 && v.double("retry_share") >= 0.2 && v.double("retry_growth") >= 3 && v.double("p99_growth") >= 1.5
		}},
		// Second attempts that take longer than before a deploy are seen here first.
		{alert.Rule{Name: "slower_after_change", On: alert.OnChange, When: "attempt >= 2 && samples >= 50 && p99_growth >= 1.5"}, func(v values) bool {
			return v.number("attempt") >= 2 && v.number("samples") >= 50 && v.double("p99_growth") >= 1.5
		}},
		{alert.Rule{Name: "schedule_missed", On: alert.OnSchedule, When: "missed > 0"}, func(v values) bool { return v.number("missed") > 0 }},
		{alert.Rule{Name: "redrive_failed", On: alert.OnRedrive, When: `state == "failed"`}, func(v values) bool { return v.text("state") == string(store.OperationFailed) }},
	}
}

// AtDeath is the condition of a task's own alert that has none.
const AtDeath = `event == "dead"`

// builtinCondition is in Go what the condition of a built-in rule says, or that of a task's
// own alert that has none, by its text; nil for others.
// People write such rules anew to give them channels, or to turn them off.
func builtinCondition(on alert.On, text string) func(v values) bool {
	if on == alert.OnTask && text == AtDeath {
		return func(v values) bool { return v.text("event") == "dead" }
	}
	backlog := 0
	if number, counts := strings.CutPrefix(text, "total >= "); counts {
		backlog, _ = strconv.Atoi(number)
	}
	for _, rule := range builtins(backlog) {
		if rule.On == on && rule.When == text {
			return rule.holds
		}
	}
	return nil
}

const (
	exhaustedReason = string(task.Exhausted)
	crashReason     = string(task.CrashLoop)
)

func span(d time.Duration) *retry.Duration { return (*retry.Duration)(&d) }
