package alert

import (
	"strconv"
	"time"
)

// Builtin are the rules that hold without any configuration. A rule with the
// name of one of them replaces it; with disabled: true it turns it off. They
// have no channels, so they go to the default ones, or else to the log.
// Backlog is from how many dead letters on their number is told.
func Builtin(backlog int) []Rule {
	return []Rule{
		{Name: "exhausted", On: OnDead, When: `reason == "exhausted"`},
		{Name: "crash_loop", On: OnDead, When: `reason == "crash_loop"`, Severity: Critical},
		// A rotated credential or a bad payload kills at the first attempt.
		{Name: "died", On: OnDead, When: `reason != "exhausted" && reason != "crash_loop"`},
		// What was to mend or to tell of an end has not done so: nothing else will.
		{Name: "follow_up_dead", On: OnDead, When: `follows != ""`, Severity: Critical},
		// A deploy that kills what runs: all nodes that take over are waited for.
		{Name: "process_died", On: OnProcess, Digest: span(5 * time.Second)},
		// Nothing that needs a connection goes on there, alerts over the network included.
		{Name: "resources_exhausted", On: OnResources, Severity: Critical},
		{Name: "dead_letters", On: OnLetters, When: "total >= " + strconv.Itoa(max(backlog, 1))},
		{Name: "no_owner", On: OnQueue, When: "!owned && backlog > 0", Hold: span(time.Minute), Severity: Critical},
		{Name: "no_worker", On: OnQueue, When: "stranded > 0 && !paused", Hold: span(time.Minute), Severity: Critical},
		{Name: "dead_group", On: OnGroup, When: `waiting > 0 && (living == 0 || failing >= duration("60s"))`, Severity: Critical},
		{Name: "key_blocked", On: OnBlocked, When: "waiting > 0"},
		{Name: "missing_key", On: OnKey, When: "waiting > 0", Severity: Critical},
		// A storm begins when a target answers more slowly while more and more of
		// what it is asked are repeats.
		{Name: "storm_forming", On: OnTarget, When: "retries >= 20 && retry_share >= 0.2 && retry_growth >= 3.0 && p99_growth >= 1.5", Severity: Critical},
		// Second attempts that take longer than before a deploy are seen here first.
		{Name: "slower_after_change", On: OnChange, When: "attempt >= 2 && samples >= 50 && p99_growth >= 1.5"},
		{Name: "schedule_missed", On: OnSchedule, When: "missed > 0"},
		{Name: "redrive_failed", On: OnRedrive, When: `state == "failed"`},
	}
}

func span(d time.Duration) *Duration { return (*Duration)(&d) }
