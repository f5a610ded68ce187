// Package eventlog writes what happens to tasks as structured events.
package eventlog

import (
	"context"
	"log/slog"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Log writes what happens to tasks as structured events:
//
//	attempt.succeeded  DEBUG
//	attempt.failed     INFO, with category, error type, code, effect, and of the retry:
//	                   delay, run_at and the rule that decided
//	attempt.repeated   INFO, a run that follows no failure: why. DEBUG where its node
//	                   has ended: the engine logs tasks.recovered, with their number
//	task.dead          WARN, with reason and attempts, and what the last failure was
//	task.canceled      INFO
//	breaker.open       WARN, for a target: cause, and when it will be probed
//	breaker.half_open  DEBUG
//	breaker.ramping    INFO, it is called again, ever more
//	breaker.closed     INFO
//
// The end of an attempt is one event, which names the target and the policy. Events of
// attempts are logged with the attempt's context, so that a handler of slog finds
// its span and what middleware has put there; trace_id is the trace of the enqueue.
//
// Payloads are not among the fields, and messages of errors only with Texts:
// they may hold what is private, and are found in the store.
type Log struct {
	Logger *slog.Logger
	Texts  bool // adds the messages of errors, as "error"
}

// message is the text of a failure, where it is wanted.
func (l *Log) message(f *task.Failure) slog.Attr {
	if !l.Texts || f == nil {
		return slog.Attr{}
	}
	return slog.String("error", f.Message)
}

// Observer is what the engine tells the log.
func (l *Log) Observer() engine.Observer {
	return engine.Observer{Settled: l.settled, Recovered: l.recovered, BreakerChanged: l.breaker}
}

func (l *Log) settled(ctx context.Context, o engine.Outcome) {
	s := o.Settlement
	if s.Outcome == task.OutcomeSucceeded {
		if l.Logger.Enabled(ctx, slog.LevelDebug) {
			l.Logger.LogAttrs(ctx, slog.LevelDebug, "attempt.succeeded", append(l.about(s), slog.Duration("duration", s.EndedAt.Sub(s.StartedAt)))...)
		}
		return
	}
	if !l.Logger.Enabled(ctx, slog.LevelWarn) {
		return
	}
	about := append(l.about(s), policy(s.Task, o.Policy))
	if f := s.Failure; f != nil && !s.Unstarted {
		about = append(about, slog.String("category", f.Category), slog.String("error_type", f.Type), slog.String("code", f.Code),
			slog.String("effect", f.Effect), slog.String("fingerprint", f.Fingerprint), slog.Duration("duration", s.EndedAt.Sub(s.StartedAt)))
	}
	about = append(about, l.message(s.Failure))
	switch o.State {
	case task.Pending:
		l.again(ctx, about, o)
	case task.Dead:
		l.Logger.LogAttrs(ctx, slog.LevelWarn, "task.dead", append(about,
			slog.String("reason", string(s.DeadReason)), slog.Int("attempts", spent(s)), slog.String("rule", o.Rule))...)
	case task.Canceled:
		l.Logger.LogAttrs(ctx, slog.LevelInfo, "task.canceled", about...)
	}
}

// policy is the one that decided: its name, with its version if it has one; inline for the
// task's own, and default for what is built in.
func policy(t *task.Task, p *retry.Policy) slog.Attr {
	name := "default"
	switch {
	case p != nil && p.Version() > 0:
		name = p.Name() + "@" + strconv.FormatInt(p.Version(), 10)
	case t.Spec.Retry != nil:
		name = "inline"
	case p != nil && p.Name() != "":
		name = p.Name()
	case t.Policy != "":
		name = t.Policy
	}
	return slog.String("policy", name)
}

// spent is the number of attempts that were used up.
func spent(s *store.Settlement) int {
	if s.Unstarted {
		return s.Task.Attempt - 1
	}
	return s.Task.Attempt
}

// again logs that the task will run once more, and why.
func (l *Log) again(ctx context.Context, about []slog.Attr, o engine.Outcome) {
	reason := "released: " + o.Rule
	switch o.Settlement.Outcome {
	case task.OutcomeFailed:
		l.Logger.LogAttrs(ctx, slog.LevelInfo, "attempt.failed", append(about,
			slog.Duration("delay", o.Delay), slog.Time("run_at", o.Settlement.RunAt.UTC()), slog.String("rule", o.Rule))...)
		return
	case task.OutcomeSnoozed:
		reason = "snooze"
	}
	l.Logger.LogAttrs(ctx, slog.LevelInfo, "attempt.repeated", append(about, slog.String("reason", reason))...)
}

func (l *Log) recovered(r store.Recovered) {
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
		l.Logger.LogAttrs(context.Background(), slog.LevelInfo, "task.canceled", about...)
		return
	}
	l.Logger.LogAttrs(context.Background(), slog.LevelDebug, "attempt.repeated", about...)
}

func (l *Log) breaker(target string, change retry.BreakerChange) {
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
	l.Logger.LogAttrs(context.Background(), level, "breaker."+change.To.String(), about...)
}

// about is what every event says of its attempt.
func (l *Log) about(s *store.Settlement) []slog.Attr {
	t := s.Task
	return append(make([]slog.Attr, 0, 20),
		slog.String("task", t.ID.String()), slog.String("type", t.Type), slog.String("queue", t.Queue), slog.String("target", t.Target),
		slog.Int("attempt", t.Attempt), slog.Int64("claim", t.Claim), trace(t.Spec.TraceParent))
}

// trace is the id of a task's trace; nothing is logged of a task without one.
func trace(parent string) slog.Attr {
	if id := task.TraceID(parent); id != "" {
		return slog.String("trace_id", id)
	}
	return slog.Attr{}
}

// runner tells the node and the worker of a holder apart, for messages.
func runner(holder string) string {
	if node, worker, _ := task.Runner(holder); worker != "" {
		return strings.Join([]string{"worker", worker, "by node", node}, " ")
	}
	return "node " + holder
}
