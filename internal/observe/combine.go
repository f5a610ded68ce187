// Package observe makes one observer of the engine of many: those of callers, and those that
// keep what a node records.
package observe

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// toAll tells every observer one thing.
func toAll[T any](all []engine.Observer, of func(*engine.Observer) func(T)) func(T) {
	return func(what T) {
		for i := range all {
			if f := of(&all[i]); f != nil {
				f(what)
			}
		}
	}
}

// Combine tells every observer everything, in their order.
func Combine(all []engine.Observer) engine.Observer {
	return engine.Observer{
		AttemptStarted: func(ctx context.Context, t *task.Task, late time.Duration) {
			for i := range all {
				if f := all[i].AttemptStarted; f != nil {
					f(ctx, t, late)
				}
			}
		},
		Settled: func(ctx context.Context, o engine.Outcome) {
			for i := range all {
				if f := all[i].Settled; f != nil {
					f(ctx, o)
				}
			}
		},
		Recovered: toAll(all, func(o *engine.Observer) func(store.Recovered) { return o.Recovered }),
		Lost:      toAll(all, func(o *engine.Observer) func([]store.Recovered) { return o.Lost }),
		Claimed: func(rows int, took time.Duration) {
			for i := range all {
				if f := all[i].Claimed; f != nil {
					f(rows, took)
				}
			}
		},
		Committed: func(kind string, rows int, took time.Duration) {
			for i := range all {
				if f := all[i].Committed; f != nil {
					f(kind, rows, took)
				}
			}
		},
		Told: func(way string, lanes int, took time.Duration, err error) {
			for i := range all {
				if f := all[i].Told; f != nil {
					f(way, lanes, took, err)
				}
			}
		},
		BreakerChanged: func(target string, change retry.BreakerChange) {
			for i := range all {
				if f := all[i].BreakerChanged; f != nil {
					f(target, change)
				}
			}
		},
		Stale: func(ctx context.Context, id task.ID, status store.Status) {
			for i := range all {
				if f := all[i].Stale; f != nil {
					f(ctx, id, status)
				}
			}
		},
		Doubted: func(kind string) {
			for i := range all {
				if f := all[i].Doubted; f != nil {
					f(kind)
				}
			}
		},
		NodeDied: func(before, after string) {
			for i := range all {
				if f := all[i].NodeDied; f != nil {
					f(before, after)
				}
			}
		},
	}
}

// OfPeople tells an observer nothing of the engine's own tasks.
func OfPeople(o engine.Observer) engine.Observer {
	started, settled, recovered := o.AttemptStarted, o.Settled, o.Recovered
	o.AttemptStarted = func(ctx context.Context, t *task.Task, late time.Duration) {
		if t.Queue != alerts.Queue {
			started(ctx, t, late)
		}
	}
	o.Settled = func(ctx context.Context, outcome engine.Outcome) {
		if outcome.Settlement.Task.Queue != alerts.Queue {
			settled(ctx, outcome)
		}
	}
	o.Recovered = func(r store.Recovered) {
		if r.Queue != alerts.Queue {
			recovered(r)
		}
	}
	return o
}
