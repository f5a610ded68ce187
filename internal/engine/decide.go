package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The causes for which the engine ends the context of an attempt, beside
// retry.ErrAttemptTimeout and retry.ErrDeadline.
var (
	ErrCanceled = errors.New("the task was canceled")
	ErrStopping = errors.New("the node is stopping")
	ErrLost     = errors.New("the node lost touch with its store")
)

// PanicError is a panic of a handler.
type PanicError struct {
	Value any
	Stack []byte
}

// Error is the panic's value and the frames that raised it.
func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", p.Value, p.Stack) }

// RetryVerdict says that a panic is a bug.
func (p *PanicError) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Bug, Effect: retry.Maybe, Type: "panic"}
}

func recovered(value any) error { return &PanicError{Value: value, Stack: debug.Stack()} }

// decideSafely is decide for errors and policies that panic: such a failure
// is a bug, retried by the default policy.
func decideSafely(out *decided, end *ending) {
	defer func() {
		if value := recover(); value != nil {
			err := &PanicError{Value: fmt.Sprintf("deciding about the failure: %v", value), Stack: debug.Stack()}
			run := *end.run
			run.Policy = retry.Default()
			decide(out, &ending{
				run: &run, result: end.result, err: err, cause: end.cause,
				started: end.started, ended: end.ended, usual: end.usual, random: end.random, identify: end.identify,
			})
		}
	}()
	decide(out, end)
}

// ending is all that the decision about an ended attempt depends on.
type ending struct {
	run      *Run
	result   []byte
	err      error
	cause    error // of the attempt's context
	started  time.Time
	ended    time.Time
	usual    time.Duration
	awaits   []string  // signals for which the attempt waits
	until    time.Time // when the first of these waits is over
	random   retry.Rand
	identify func(taskType string, f *task.Failure) string
}

// decided is a settlement and how it came about.
type decided struct {
	settlement store.Settlement
	verdict    retry.Verdict // of the failure; zero where the handler said what is to follow
	rule       string
	delay      time.Duration
	hold       *HandlerOutcome // of a target that nothing is to be started of for a while
	err        error
	cause      error // of the attempt's context
	policy     *retry.Policy
	handOverTo string // the ability that the next node is to have
}

// decide says what becomes of a task whose attempt has ended. It depends on
// nothing else, and replaces whatever out is.
func decide(out *decided, end *ending) {
	*out = decided{err: end.err, cause: end.cause, policy: end.run.Policy, settlement: store.Settlement{
		Task: end.run.Task, StartedAt: end.started, EndedAt: end.ended,
		OrderOnDead: end.run.Policy.OrderOnDead(),
	}}
	s := &out.settlement
	switch {
	case end.err == nil:
		s.Outcome, s.Result = task.OutcomeSucceeded, end.result
		return
	case errors.Is(end.cause, ErrCanceled):
		s.Outcome = task.OutcomeCanceled
		return
	case errors.Is(end.cause, ErrStopping), errors.Is(end.cause, ErrLost):
		s.Outcome, out.rule = task.OutcomeReleased, end.cause.Error()
		return
	}
	asking, asks := errors.AsType[OutcomeError](end.err)
	if !asks {
		out.fail(end)
		return
	}
	if cause := errors.Unwrap(asking); cause != nil {
		end.err = cause // what is recorded is the failure, not the wish
	}
	out.obey(end, asking.HandlerOutcome())
}

// obey does what the handler asked for.
func (d *decided) obey(end *ending, asked HandlerOutcome) {
	s := &d.settlement
	d.rule = "handler: " + string(asked.Action)
	switch asked.Action {
	case ActionAwait:
		s.Outcome, s.RunAt, s.Awaits = task.OutcomeSnoozed, end.until, end.awaits
		d.delay = max(0, s.RunAt.Sub(end.ended))
	case ActionSnooze:
		d.delay = max(wait(asked.After), LeastSnooze)
		s.Outcome, s.RunAt = task.OutcomeSnoozed, end.ended.Add(d.delay)
	case ActionHandOver:
		s.Outcome, d.handOverTo = task.OutcomeReleased, asked.Ability
	case ActionHold:
		d.hold = &asked
		d.handBack(end, end.run.Task.RunAt)
	case ActionRelease:
		d.handBack(end, end.ended.Add(spread(wait(asked.After), end.random)))
	case ActionCancel:
		s.Outcome = task.OutcomeCanceled
		s.Failure = end.failure(end.run.Policy.Classify(end.err))
	case ActionDead:
		s.Outcome, s.DeadReason = task.OutcomeDead, task.Rejected
		s.Failure = end.failure(end.run.Policy.Classify(end.err))
	default:
		verdict := classify(end)
		d.verdict = verdict
		s.Failure = end.failure(verdict)
		if verdict.Category != retry.Deadline {
			// The handler knows that it is worth another try; the policy still
			// counts the attempts.
			verdict = retry.Verdict{Category: retry.Unavailable, Type: verdict.Type, Code: verdict.Code}
		}
		if d.ask(end, verdict); s.Outcome != task.OutcomeDead {
			d.retryAfter(end, wait(asked.After))
		}
	}
}

// handBack is no attempt, but tells what was found out.
func (d *decided) handBack(end *ending, at time.Time) {
	s := &d.settlement
	s.Outcome, s.RunAt = task.OutcomeReleased, at
	s.Failure = end.failure(end.run.Policy.Classify(end.err))
	s.Failure.Delay = previousDelay(end.run.Task)
}

// spread is a wait of d to twice d.
func spread(d time.Duration, random retry.Rand) time.Duration {
	if random == nil {
		return d
	}
	return d + time.Duration(random.Float64()*float64(d))
}

// fail records a failed attempt and asks the policy about it.
func (d *decided) fail(end *ending) {
	d.verdict = classify(end)
	d.settlement.Failure = end.failure(d.verdict)
	d.ask(end, d.verdict)
}

// ask applies the policy's decision on a verdict.
func (d *decided) ask(end *ending, verdict retry.Verdict) {
	s := &d.settlement
	if verdict.Category == retry.Deadline {
		s.Outcome, s.DeadReason, d.rule = task.OutcomeDead, task.Expired, "deadline"
		return
	}
	decision := end.run.Policy.Decide(retry.Failure{
		Attempt: end.run.Task.Attempt, Verdict: verdict, Err: end.err,
		PreviousDelay: previousDelay(end.run.Task), Now: end.ended, Deadline: end.run.Deadline,
		Usual: end.usual, MaxAttempts: end.run.MaxAttempts,
	}, end.random)
	d.rule = decision.Rule
	if !decision.Retry {
		s.Outcome, s.DeadReason = task.OutcomeDead, task.DeadReason(decision.Reason)
		return
	}
	s.Outcome = task.OutcomeFailed
	if decision.Snooze {
		s.Outcome, decision.Delay = task.OutcomeSnoozed, max(decision.Delay, LeastSnooze)
	}
	d.retryAfter(end, wait(decision.Delay))
}

// longestWait bounds delays, so that no time overflows.
const longestWait = 10 * 365 * 24 * time.Hour

func wait(d time.Duration) time.Duration { return min(max(0, d), longestWait) }

func (d *decided) retryAfter(end *ending, delay time.Duration) {
	s := &d.settlement
	if at := end.run.Deadline; !at.IsZero() && !end.ended.Add(delay).Before(at) {
		s.Outcome, s.DeadReason, s.RunAt, d.delay = task.OutcomeDead, task.Expired, time.Time{}, 0
		s.Failure.Delay = 0
		return
	}
	// Rounded up to the store's microseconds: never early.
	s.RunAt = end.ended.Add(delay + time.Microsecond - 1).Truncate(time.Microsecond)
	d.delay, s.Failure.Delay = delay, delay
}

func previousDelay(t *task.Task) time.Duration {
	if t.LastError == nil {
		return 0
	}
	return t.LastError.Delay
}

// classify asks the policy's classifiers, then what ended the context (a handler's own
// error text is of no use when it was the clock that stopped it), then the tables.
func classify(end *ending) retry.Verdict {
	err := end.err
	switch {
	case endedBy(end.cause, retry.ErrAttemptTimeout, err):
		err = &stoppedError{err, retry.Verdict{Category: retry.Timeout, Effect: retry.Maybe, Type: "timeout"}}
	case endedBy(end.cause, retry.ErrDeadline, err):
		err = &stoppedError{err, retry.Verdict{Category: retry.Deadline, Effect: retry.Maybe, Type: "deadline"}}
	case errors.Is(err, context.Canceled):
		// The handler canceled a context of its own: nobody canceled the task.
		err = &stoppedError{err, retry.Verdict{Category: retry.Unknown, Effect: retry.Maybe, Type: "context.Canceled"}}
	}
	return end.run.Policy.Classify(err)
}

// endedBy reports whether an attempt's context ended for a reason, and the attempt failed
// with no more than that.
func endedBy(cause, reason, err error) bool {
	if !errors.Is(cause, reason) {
		return false
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(reason)
	return retry.ClassifyIn(ctx, err).Type == retry.Classify(reason).Type
}

// stoppedError is what a handler returned when its context had ended, with how.
type stoppedError struct {
	error
	verdict retry.Verdict
}

func (s *stoppedError) Unwrap() error               { return s.error }
func (s *stoppedError) RetryVerdict() retry.Verdict { return s.verdict }

// failure is the record of an error: its text cut to size and made valid.
func (end *ending) failure(verdict retry.Verdict) *task.Failure {
	if verdict.Type == "" {
		verdict.Type = fmt.Sprintf("%T", end.err)
	}
	f := &task.Failure{
		Category: string(known(verdict.Category)), Type: name(verdict.Type), Code: name(verdict.Code),
		Effect: name(string(verdict.Effect)), Message: errorText(end.err), At: end.ended,
	}
	f.Fingerprint = end.fingerprint(f)
	return f
}

func (end *ending) fingerprint(f *task.Failure) string {
	if end.identify == nil {
		return task.Fingerprint(end.run.Task.Type, f)
	}
	return end.identify(end.run.Task.Type, f)
}

// known is the category, or unknown if an error has invented one.
func known(c retry.Category) retry.Category {
	if c.Valid() {
		return c
	}
	return retry.Unknown
}
