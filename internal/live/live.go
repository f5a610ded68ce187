// Package live tells the feed of a node what happens on it, and what has changed anywhere.
package live

import (
	"context"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/alerts/keeper"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/feed"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Live is the feed of a node with what it is told. It is safe for concurrent use.
type Live struct {
	Feed *feed.Feed

	backend store.Backend
	alerts  *keeper.Keeper
	engine  func() *engine.Engine
}

// New makes the feed of a node. The engine is asked for when somebody listens: it is made
// later.
func New(backend store.Backend, of *keeper.Keeper, engine func() *engine.Engine) *Live {
	l := &Live{backend: backend, alerts: of, engine: engine}
	l.Feed = feed.New(feed.Config{Look: (&watch{live: l}).look, Sample: l.stats})
	return l
}

// Observer tells the feed what the engine does. It costs nothing while nobody
// listens.
func (l *Live) Observer() engine.Observer {
	return engine.Observer{
		AttemptStarted: func(_ context.Context, t *task.Task, _ time.Duration) {
			if l.Feed.Listening() {
				l.tell(t, inspect.TaskEvent{State: task.Running, What: inspect.EventStarted, ChangedAt: time.Now()})
			}
		},
		Settled: func(_ context.Context, o engine.Outcome) {
			if l.Feed.Listening() {
				l.settled(&o)
			}
		},
		Recovered: func(r store.Recovered) {
			if l.Feed.Listening() {
				l.Feed.Task(recovered(&r))
			}
		},
		BreakerChanged: func(target string, _ retry.BreakerChange) {
			if l.Feed.Listening() && !alerts.IsType(target) {
				l.Feed.Object(inspect.ObjectEvent{Kind: "target", Name: target})
			}
		},
	}
}

// tell completes a change by what the task is, and tells of it.
func (l *Live) tell(t *task.Task, change inspect.TaskEvent) {
	change.ID, change.Type, change.Queue, change.Target, change.Key, change.Attempt = t.ID, t.Type, t.Queue, t.Target, t.Key, t.Attempt
	change.ChangedAt = change.ChangedAt.UTC()
	l.Feed.Task(change)
}

var words = map[task.Outcome]inspect.EventKind{
	task.OutcomeSucceeded: inspect.EventSucceeded, task.OutcomeFailed: inspect.EventFailed, task.OutcomeSnoozed: inspect.EventSnoozed,
	task.OutcomeReleased: inspect.EventReleased, task.OutcomeDead: inspect.EventDead, task.OutcomeCanceled: inspect.EventCanceled,
}

// Sent tells the feed that an alert went through a channel, or did not.
func (l *Live) Sent(_ context.Context, o engine.Outcome) {
	if t := o.Settlement.Task; l.Feed.Listening() && t.Queue == alerts.Queue {
		if channel, sends := strings.CutPrefix(t.Type, alerts.SendType("")); sends {
			l.Feed.Object(inspect.ObjectEvent{Kind: "alert", Name: channel})
		}
	}
}

func (l *Live) settled(o *engine.Outcome) {
	s := o.Settlement
	change := inspect.TaskEvent{State: o.State, What: words[s.Outcome], Reason: s.DeadReason, ChangedAt: s.EndedAt}
	switch o.State {
	case task.Pending:
		change.NextAt = s.RunAt.UTC()
	case task.Dead:
		change.What = inspect.EventDead
	case task.Canceled: // where a cancel request met a failure
		change.What = inspect.EventCanceled
	}
	if f := s.Failure; f != nil {
		change.Category, change.Code = f.Category, f.Code
	}
	l.tell(s.Task, change)
}

func recovered(r *store.Recovered) inspect.TaskEvent {
	change := inspect.TaskEvent{
		ID: r.ID, Type: r.Type, Queue: r.Queue, Target: r.Entry.Target, Key: r.Entry.Key, State: task.Pending, Attempt: r.Attempt,
		What: inspect.EventCrashed, ChangedAt: time.Now().UTC(),
	}
	switch {
	case r.Canceled:
		change.State, change.What = task.Canceled, inspect.EventCanceled
	case r.Cause == "node left":
		change.What = inspect.EventReleased
	}
	return change
}

// Enqueued tells the feed of a task that was accepted.
func (l *Live) Enqueued(t *task.Task) {
	if l.Feed.Listening() {
		l.tell(t, inspect.TaskEvent{State: task.Pending, What: inspect.EventEnqueued, NextAt: t.RunAt, ChangedAt: t.CreatedAt})
	}
}

// Asked tells the feed what an operator has done with a task.
func (l *Live) Asked(t *task.Task, what inspect.EventKind) {
	if !l.Feed.Listening() || t.Queue == alerts.Queue {
		return
	}
	change := inspect.TaskEvent{State: t.State, What: what, ChangedAt: time.Now()}
	if t.State == task.Pending {
		change.NextAt = t.RunAt.UTC()
	}
	l.tell(t, change)
}
