package observe

import (
	"context"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/alerts/keeper"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/stats"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Attempts counts attempts by the release of their node or worker and the policy's version.
func Attempts(keeper *stats.Keeper) engine.Observer {
	return engine.Observer{Settled: func(_ context.Context, o engine.Outcome) {
		s := o.Settlement
		if s.Unstarted || s.Outcome == task.OutcomeReleased {
			return
		}
		a := stats.Attempt{
			Type: s.Task.Type, Number: s.Task.Attempt, Failed: s.Outcome != task.OutcomeSucceeded,
			Run: s.EndedAt.Sub(s.StartedAt), Delay: max(0, s.StartedAt.Sub(s.Task.RunAt)),
		}
		_, _, a.Release = task.Runner(s.Task.Node)
		if p := o.Policy; p != nil && p.Version() > 0 {
			a.Policy, a.Version = p.Name(), p.Version()
		}
		keeper.Add(&a)
	}}
}

// Series counts what the engine tells of over time.
func Series(series *stats.Series) engine.Observer {
	return engine.Observer{
		Settled: func(_ context.Context, o engine.Outcome) {
			s := o.Settlement
			series.Add(&stats.Event{
				Queue: s.Task.Queue, State: o.State, Attempt: !s.Unstarted && s.Outcome != task.OutcomeReleased,
				Failed: s.Outcome == task.OutcomeFailed || s.Outcome == task.OutcomeDead, Retry: s.Task.Attempt > 1,
				Run: s.EndedAt.Sub(s.StartedAt), Wait: max(0, s.StartedAt.Sub(s.Task.RunAt)),
			})
		},
		Recovered: func(r store.Recovered) {
			if r.Canceled {
				series.Add(&stats.Event{Queue: r.Queue, State: task.Canceled})
			}
		},
	}
}

// History notes what happens to breakers.
func History(history *stats.History) engine.Observer {
	return engine.Observer{BreakerChanged: func(target string, change retry.BreakerChange) {
		if alerts.IsType(target) {
			return
		}
		history.Add(target, inspect.TargetChange{
			At: change.At, Part: "breaker", State: change.To.String(), Was: change.From.String(), Reason: change.Cause, Until: change.Until.UTC(),
		})
	}}
}

// Alerts tells the keeper of alerts.
func Alerts(of *keeper.Keeper) engine.Observer {
	return engine.Observer{
		Settled:   func(_ context.Context, o engine.Outcome) { of.Measures.Attempted(o.Settlement) },
		Recovered: func(r store.Recovered) { of.Events.Crashed(r) },
		Lost:      func(rows []store.Recovered) { of.Events.Lost(rows) },
		BreakerChanged: func(target string, change retry.BreakerChange) {
			if !strings.HasPrefix(target, alerts.SendType("")) {
				of.Events.BreakerChanged(target, change.From.String(), change.To.String(), change.Cause)
			}
		},
	}
}

// SpentBudgets are when the targets of a node whose retries must wait have their
// next token.
func SpentBudgets(node *engine.Engine) map[string]time.Time {
	spent := map[string]time.Time{}
	for _, target := range node.Troubled() {
		if target.Waiting.Budget > 0 && !alerts.IsType(target.Name) {
			spent[target.Name] = target.Budget.Until
		}
	}
	return spent
}

// Backlog measures what waits, by queue: in the memory of the node, and on one node
// of all also in the store.
func Backlog(ctx context.Context, node *engine.Engine, of *keeper.Keeper) map[string]stats.Backlog {
	waits := map[string]stats.Backlog{}
	for name, queue := range node.Stats().Queues {
		if name != alerts.Queue {
			waits[name] = stats.Backlog{Due: queue.Ready}
		}
	}
	if !of.Measures.First() {
		return waits
	}
	queues, err := of.Queues.Look(ctx, time.Now())
	if err != nil {
		return waits // nobody has counted it in this minute, which shows
	}
	for i := range queues {
		q := &queues[i]
		waits[q.Name] = stats.Backlog{Due: waits[q.Name].Due + q.Aside, Pending: &q.Backlog, OldestDue: &q.OldestDue}
	}
	return waits
}
