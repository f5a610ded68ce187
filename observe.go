package outlast

import (
	"context"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/stats"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// observe makes one observer of those who wait, the log, the metrics, and the
// caller's observers.
func (c *Client) observe() engine.Observer {
	waits := func(o engine.Outcome) {
		if o.State.Final() && c.waiters.count.Load() > 0 {
			c.waiters.tell(o.Settlement.Task.ID)
		}
	}
	sent := func(o engine.Outcome) {
		if c.feed.Listening() {
			feedSent(c.feed, &o)
		}
	}
	passes := func(o engine.Outcome) {
		if pass := c.passed.Load(); pass != nil {
			pass.settled(&o)
		}
	}
	all := []engine.Observer{{Settled: waits}, (&eventLog{c.logger, c.errorTexts}).observer(), c.alertObserver(), {Settled: sent}}
	people := []engine.Observer{{Settled: c.counted}, {Settled: passes}, c.seriesObserver(), c.historyObserver(), c.feedObserver()}
	if c.metrics != nil {
		people = append(people, c.metrics.observer())
	}
	if c.tracer != nil {
		people = append(people, engine.Observer{Settled: c.traceLeased})
	}
	return combine(append(append(all, ofPeople(combine(people))), c.observers...))
}

// counted counts an attempt by the release of its node or worker and the policy's version.
func (c *Client) counted(o engine.Outcome) {
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
	c.stats.Add(&a)
}

// seriesObserver counts what the engine tells of over time.
func (c *Client) seriesObserver() engine.Observer {
	return engine.Observer{
		Settled: func(o engine.Outcome) {
			s := o.Settlement
			c.series.Add(&stats.Event{
				Queue: s.Task.Queue, State: o.State, Attempt: !s.Unstarted && s.Outcome != task.OutcomeReleased,
				Failed: s.Outcome == task.OutcomeFailed || s.Outcome == task.OutcomeDead, Retry: s.Task.Attempt > 1,
				Run: s.EndedAt.Sub(s.StartedAt), Wait: max(0, s.StartedAt.Sub(s.Task.RunAt)),
			})
		},
		Recovered: func(r store.Recovered) {
			if r.Canceled {
				c.series.Add(&stats.Event{Queue: r.Queue, State: task.Canceled})
			}
		},
	}
}

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

// combine tells every observer everything, in their order.
func combine(all []engine.Observer) engine.Observer {
	return engine.Observer{
		AttemptStarted: func(t *task.Task, late time.Duration) {
			for i := range all {
				if f := all[i].AttemptStarted; f != nil {
					f(t, late)
				}
			}
		},
		Settled: func(o engine.Outcome) {
			for i := range all {
				if f := all[i].Settled; f != nil {
					f(o)
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
		Stale: func(id task.ID, status store.Status) {
			for i := range all {
				if f := all[i].Stale; f != nil {
					f(id, status)
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

// eventLog writes what happens to tasks as structured events:
//
//	attempt.succeeded  DEBUG
//	attempt.failed     INFO, with category, error type, code, effect
//	retry.planned      INFO, with delay, run_at and the rule that decided
//	attempt.repeated   INFO, for every run that is not the first: why. DEBUG where
//	                   its node has ended: the engine logs tasks.recovered, with
//	                   their number
//	task.dead          WARN, with reason and attempts
//	task.canceled      INFO
//	breaker.open       WARN, for a target: cause, and when it will be probed
//	breaker.half_open  DEBUG
//	breaker.ramping    INFO, it is called again, ever more
//	breaker.closed     INFO
//
// Payloads are not among the fields, and messages of errors only with
// [WithErrorTexts]: they may hold what is private, and are found in the store.
type eventLog struct {
	logger *slog.Logger
	texts  bool
}

// message is the text of a failure, where it is wanted.
func (l *eventLog) message(f *task.Failure) slog.Attr {
	if !l.texts || f == nil {
		return slog.Attr{}
	}
	return slog.String("error", f.Message)
}

func (l *eventLog) observer() engine.Observer {
	return engine.Observer{Settled: l.settled, Recovered: l.recovered, BreakerChanged: l.breaker}
}

func (l *eventLog) settled(o engine.Outcome) {
	ctx, s := context.Background(), o.Settlement
	if s.Outcome == task.OutcomeSucceeded {
		if l.logger.Enabled(ctx, slog.LevelDebug) {
			l.logger.LogAttrs(ctx, slog.LevelDebug, "attempt.succeeded", append(l.about(s), slog.Duration("duration", s.EndedAt.Sub(s.StartedAt)))...)
		}
		return
	}
	if !l.logger.Enabled(ctx, slog.LevelWarn) {
		return
	}
	about := l.about(s)
	about = about[:len(about):len(about)]
	if f := s.Failure; f != nil && !s.Unstarted {
		l.logger.LogAttrs(ctx, slog.LevelInfo, "attempt.failed", append(about,
			slog.String("category", f.Category), slog.String("error_type", f.Type), slog.String("code", f.Code),
			slog.String("effect", f.Effect), slog.String("fingerprint", f.Fingerprint),
			slog.Duration("duration", s.EndedAt.Sub(s.StartedAt)), l.message(f))...)
	}
	switch o.State {
	case task.Pending:
		l.again(ctx, about, o)
	case task.Dead:
		l.logger.LogAttrs(ctx, slog.LevelWarn, "task.dead", append(about,
			slog.String("reason", string(s.DeadReason)), slog.Int("attempts", spent(s)), slog.String("rule", o.Rule), l.message(s.Failure))...)
	case task.Canceled:
		l.logger.LogAttrs(ctx, slog.LevelInfo, "task.canceled", about...)
	}
}

// spent is the number of attempts that were used up.
func spent(s *store.Settlement) int {
	if s.Unstarted {
		return s.Task.Attempt - 1
	}
	return s.Task.Attempt
}

// again logs that the task will run once more, and why.
func (l *eventLog) again(ctx context.Context, about []slog.Attr, o engine.Outcome) {
	reason := "released: " + o.Rule
	switch o.Settlement.Outcome {
	case task.OutcomeFailed:
		reason = "retry after failure"
		l.logger.LogAttrs(ctx, slog.LevelInfo, "retry.planned", append(about,
			slog.Duration("delay", o.Delay), slog.Time("run_at", o.Settlement.RunAt.UTC()), slog.String("rule", o.Rule))...)
	case task.OutcomeSnoozed:
		reason = "snooze"
	}
	l.logger.LogAttrs(ctx, slog.LevelInfo, "attempt.repeated", append(about, slog.String("reason", reason))...)
}

func (l *eventLog) recovered(r store.Recovered) {
	reason := "crash of " + runner(r.Node)
	if task.Leased(r.Node) {
		reason = "lease of " + runner(r.Node) + " expired"
	}
	if r.Cause == "node left" && !r.Canceled {
		reason = "released: node " + r.Node + " left"
	}
	about := []slog.Attr{
		slog.String("task", r.ID.String()), slog.String("type", r.Type), slog.String("queue", r.Queue),
		slog.Int("attempt", r.Attempt), slog.Int64("claim", r.OldClaim), trace(r.TraceParent),
		slog.Int64("new_claim", r.Claim), slog.Int("crashes", r.Crashes), slog.String("reason", reason),
	}
	if r.Canceled {
		l.logger.LogAttrs(context.Background(), slog.LevelInfo, "task.canceled", about...)
		return
	}
	l.logger.LogAttrs(context.Background(), slog.LevelDebug, "attempt.repeated", about...)
}

func (l *eventLog) breaker(target string, change retry.BreakerChange) {
	level := slog.LevelInfo
	about := []slog.Attr{slog.String("target", target), slog.String("was", change.From.String()), slog.String("cause", change.Cause)}
	switch change.To {
	case retry.Open:
		level = slog.LevelWarn
		if !change.Until.IsZero() {
			about = append(about, slog.Time("until", change.Until.UTC()))
		}
	case retry.HalfOpen:
		level = slog.LevelDebug
	}
	//nolint:sloglint // the state is one of four
	l.logger.LogAttrs(context.Background(), level, "breaker."+change.To.String(), about...)
}

// about is what every event says of its attempt.
func (l *eventLog) about(s *store.Settlement) []slog.Attr {
	t := s.Task
	return append(make([]slog.Attr, 0, 16),
		slog.String("task", t.ID.String()), slog.String("type", t.Type), slog.String("queue", t.Queue),
		slog.Int("attempt", t.Attempt), slog.Int64("claim", t.Claim), trace(t.Spec.TraceParent))
}

// trace is the id of a task's trace; nothing is logged of a task without one.
func trace(parent string) slog.Attr {
	if id := task.TraceID(parent); id != "" {
		return slog.String("trace_id", id)
	}
	return slog.Attr{}
}
