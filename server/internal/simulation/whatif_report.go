package simulation

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/sim"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// recordedTask is a task with its attempts as the simulator takes it. Its policy is the
// one that holds for it now.
func recordedTask(view *inspect.View, attempts []sim.RecordedAttempt) *sim.Recorded {
	t := view.Task
	r := &sim.Recorded{
		Type: t.Type, Target: t.Target, State: string(t.State), MaxAttempts: t.Spec.MaxAttempts, Timeout: t.Spec.Timeout, Deadline: t.Spec.Deadline, Attempts: attempts,
	}
	if view.RetryPolicy != nil {
		r.Policy = view.RetryPolicy
		r.PolicyName = fmt.Sprintf("%s@%d of %s: %s", view.PolicyName, view.PolicyVersion, t.Type, t.Spec.Retry)
	}
	return r
}

func recordedAttempts(attempts []task.Attempt) []sim.RecordedAttempt {
	out := make([]sim.RecordedAttempt, len(attempts))
	for n := range attempts {
		a := &attempts[n]
		out[n] = sim.RecordedAttempt{StartedAt: a.StartedAt, EndedAt: a.EndedAt, Outcome: string(a.Outcome)}
		if f := a.Failure; f != nil && retry.Category(f.Category).Valid() {
			out[n].Category, out[n].Effect = f.Category, f.Effect
		}
	}
	return out
}

// replayed puts into the answer what was played.
func replayed(out *client.WhatIfReport, compared *sim.Comparison) {
	out.Begin = wire.Time(*compared.Begin)
	for n := range compared.Variants {
		kind := "tried"
		if n < 2 {
			kind = [...]string{"recorded", "current"}[n]
		}
		out.Runs = append(out.Runs, wireRun(&compared.Variants[n], kind))
	}
	out.Step = spanOf(compared.Variants[0].Series.Step)
	out.Limits = limitsOf(out)
}

func wireRun(v *sim.Variant, kind string) client.WhatIfRun {
	m := &v.Metrics
	run := client.WhatIfRun{
		Name: v.Name, Kind: kind, Attempts: int(m.Attempts), Retries: int(m.Retries), Failed: int(m.Attempts - m.Good),
		Guessed: int(v.Figure("without evidence")), Open: int(v.Figure("not ended")), Succeeded: int(m.Good), Died: int(m.Failed),
		Wait:    client.WhatIfSpans{P50: spanOf(v.Figure("wait p50")), P99: spanOf(v.Figure("wait p99")), Longest: spanOf(v.Figure("longest wait"))},
		Success: client.WhatIfSpans{P50: spanOf(m.P50), P99: spanOf(m.P99)}, MostInFlight: m.MaxInFlight,
		DiedBy: map[string]int{}, Series: client.WhatIfSeries{Tasks: v.Series.Offered, Attempts: v.Series.Attempts, Succeeded: v.Series.Good},
	}
	for _, why := range m.Denied {
		if why.Name == "canceled" {
			run.Canceled = int(why.Count)
			run.Died -= run.Canceled
			continue
		}
		run.DiedBy[why.Name] = int(why.Count)
	}
	return run
}

// spanOf is a length of time given in seconds.
func spanOf(seconds float64) client.Duration {
	return client.Duration(math.Round(seconds*1e4) * float64(time.Second/1e4))
}

// limitsOf says what the runs of a report cannot know.
func limitsOf(r *client.WhatIfReport) []client.WhatIfLimit {
	reach := strconv.Itoa(int(sim.HistoryReach.Minutes())) + " minutes"
	limits := []client.WhatIfLimit{
		{Code: "model", Text: "What a target would have answered at another time is not known. An attempt is taken to end like the recorded one to the same target that is nearest in time, within " + reach + "."},
		{Code: "load", Text: "Answers do not depend on the load: a policy that would have kept the target down is not punished here. The storms of the simulator show that."},
	}
	guessed, open := 0, 0
	for n := range r.Runs {
		guessed, open = max(guessed, r.Runs[n].Guessed), max(open, r.Runs[n].Open)
	}
	if guessed > 0 {
		limits = append(limits, client.WhatIfLimit{Code: "guessed", Text: fmt.Sprintf("Up to %d attempts of a policy come at a time of which nothing is recorded; they are taken to succeed.", guessed)})
	}
	if r.Read.Stopped != "" {
		limits = append(limits, client.WhatIfLimit{Code: "left_out", Text: fmt.Sprintf("Only the newest %d tasks were read, within the bound of %s: those created before %s are left out.",
			r.Read.Tasks+r.Read.Untried, r.Read.Stopped, cmp.Or(r.Read.Oldest, r.Read.Since).Format(time.RFC3339))})
	}
	if open > 0 {
		limits = append(limits, client.WhatIfLimit{Code: "open", Text: fmt.Sprintf("%d tasks had not ended when they were read: as recorded they neither succeeded nor died, but in a replay they end.", open)})
	}
	return append(limits,
		client.WhatIfLimit{Code: "now", Text: "The policies of now need not be those under which the tasks ran. A policy that is tried is played for all of them, also for those that bring one of their own."},
		client.WhatIfLimit{Code: "schedule", Text: "Tasks come when their first attempt came: queues, ordering keys, priorities and limits of concurrency are not played."},
		client.WhatIfLimit{Code: "kept", Text: "Tasks that have ended are kept for a time only, and so are their attempts; tasks that were created before the time asked for are not here, even if they were tried in it."})
}
