package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// claimed names an attempt: a task may come again, under a new claim, while the handler
// of an old one still runs.
type claimed struct {
	id    task.ID
	claim int64
}

// holding is a task in hand: from its poll until the server has heard how it ended.
type holding struct {
	task     *LeasedTask
	slots    int // that it takes: none if nobody asked for it
	cancel   context.CancelCauseFunc
	unsure   *time.Timer // ends the context when the lease may be over
	progress []byte
	since    time.Time // its lease counts from then or later
	lostAt   time.Time // its lease is over by then, whatever was lost on the way
	gone     bool      // the server says that it is not ours
}

func (h *holding) key() claimed { return claimed{h.task.ID, h.task.Claim} }

// leased begins a lease, of which is known when it was asked for.
func (h *holding) leased(asked time.Time, lease time.Duration) {
	h.since, h.lostAt = asked, time.Now().Add(lease)
	h.unsure.Reset(time.Until(asked.Add(lease)))
}

// ending is how an attempt ended.
type ending struct {
	*holding
	result TaskResult
	told   chan struct{} // closed when the server has heard, or cannot hear
}

// take runs an attempt, or hands it back: where the worker stops, where nobody asked for
// it, and where its lease may be over.
func (w *working) take(h *holding, asked time.Time, wanted bool) {
	var ctx context.Context
	ctx, h.cancel = context.WithCancelCause(w.attempts)
	h.unsure = time.AfterFunc(w.options.Lease, func() { h.cancel(ErrLeaseLost) })
	w.mu.Lock()
	h.leased(asked, w.options.Lease)
	twice := w.held[h.key()] != nil
	if !twice {
		w.held[h.key()] = h
	}
	w.mu.Unlock()
	if twice {
		w.options.Logger.Error("poll.repeated", "task", h.task.ID.String(), "claim", h.task.Claim)
		h.unsure.Stop()
		h.cancel(nil)
		w.release(h.slots)
		return
	}
	run := wanted && h.slots > 0 && time.Since(asked) < w.options.Lease
	w.running.Go(func() {
		result := failed(h.task, errGoexit) // unless the attempt says otherwise
		defer func() { w.end(h, result) }()
		if !run {
			result = TaskResult{ID: h.task.ID, Claim: h.task.Claim, Outcome: string(task.OutcomeReleased)}
			return
		}
		limited, release := limitedTo(ctx, h.task, w.options.Lease)
		defer release()
		result = w.attempt(w.contextOf(limited, h), h.task)
	})
}

// contextOf is what the handler of a task is given.
func (w *working) contextOf(ctx context.Context, h *holding) *workContext {
	received := time.Now()
	return &workContext{
		Context: ctx, task: h.task, steps: newStepLog(h.task.Steps),
		now: func() time.Time {
			if h.task.LeaseUntil.IsZero() {
				return time.Now()
			}
			return h.task.LeaseUntil.Add(time.Since(received) - w.options.Lease)
		},
		keep: func(step *DoneStep) error { return w.keep(h, step) },
		progress: func(text []byte) {
			w.mu.Lock()
			defer w.mu.Unlock()
			h.progress = text
		},
	}
}

// limitedTo is ctx until the time of the attempt is over. Times of the server are compared
// with each other only: its clock may differ.
func limitedTo(ctx context.Context, t *LeasedTask, lease time.Duration) (context.Context, context.CancelFunc) {
	if t.AttemptEnds.IsZero() || t.LeaseUntil.IsZero() {
		return ctx, func() {}
	}
	left := t.AttemptEnds.Sub(t.LeaseUntil.Time) + lease
	return context.WithTimeoutCause(ctx, left, retry.ErrAttemptTimeout)
}

// end has the server told how an attempt ended, unless the task is not ours any more, and
// waits for that.
func (w *working) end(h *holding, result TaskResult) {
	w.mu.Lock()
	gone := h.gone
	w.mu.Unlock()
	if gone {
		w.options.Logger.Warn("settle.dropped", "task", h.task.ID.String(), "outcome", result.Outcome)
		w.release(h.slots)
	} else {
		e := ending{h, result, make(chan struct{})}
		w.ended <- e
		w.release(h.slots) // the next one may run while the server is told
		<-e.told
	}
	w.mu.Lock()
	delete(w.held, h.key())
	w.mu.Unlock()
	h.unsure.Stop()
	h.cancel(nil)
}

// errGoexit is the end of a handler that called [runtime.Goexit], as t.FailNow does.
var errGoexit = &panicError{value: "the handler ended its goroutine"}

// failed is the result of an attempt that failed with what [errorOf] can describe.
func failed(t *LeasedTask, err error) TaskResult {
	return TaskResult{ID: t.ID, Claim: t.Claim, Outcome: string(task.OutcomeFailed), Error: errorOf(context.Background(), err)}
}

// attempt calls the handler and says how it ended. An error or a result whose methods
// panic is a failure too.
func (w *working) attempt(ctx context.Context, t *LeasedTask) (out TaskResult) {
	defer func() {
		if raised := recover(); raised != nil {
			out = failed(t, &panicError{raised, string(debug.Stack())})
		}
	}()
	value, err := invoke(ctx, w.handlers[t.Type], t)
	out = TaskResult{ID: t.ID, Claim: t.Claim, Outcome: string(task.OutcomeSucceeded)}
	if err == nil {
		if out.Result, err = resultOf(value); err == nil {
			return out
		}
	}
	steer := new(steering)
	switch {
	case errors.As(err, &steer):
		out.Outcome, out.RetryAfter = steer.outcome, steer.after
		if steer.err != nil {
			out.Error = errorOf(ctx, steer.err)
		}
	case errors.Is(context.Cause(ctx), ErrStopping), errors.Is(context.Cause(ctx), ErrLeaseLost):
		out.Outcome = string(task.OutcomeReleased)
	case errors.Is(context.Cause(ctx), ErrCanceled):
		out.Outcome, out.Error = string(task.OutcomeCanceled), errorOf(ctx, err)
	default:
		out.Outcome, out.Error = string(task.OutcomeFailed), errorOf(ctx, err)
	}
	return out
}

func resultOf(value any) ([]byte, error) {
	if value == nil {
		return nil, nil
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil, &badResult{fmt.Errorf("the result has no JSON form: %w", err)}
	}
	if len(text) > task.MaxResult {
		return nil, &badResult{fmt.Errorf("the result has %d bytes; the limit is %d", len(text), task.MaxResult)}
	}
	return text, nil
}

// badResult is the failure of an attempt that may have done its work, and whose end
// cannot be kept. Doing it again would change nothing.
type badResult struct{ err error }

func (b *badResult) Error() string { return b.err.Error() }

func (b *badResult) Unwrap() error { return b.err }

func (b *badResult) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Permanent, Effect: retry.Done, Code: task.BadResult}
}

// invoke runs a handler; a panic becomes an error.
func invoke(ctx context.Context, handler WorkHandler, t *LeasedTask) (value any, err error) {
	defer func() {
		if raised := recover(); raised != nil {
			err = &panicError{raised, string(debug.Stack())}
		}
	}()
	if handler == nil {
		return nil, GiveUp(fmt.Errorf("this worker has no handler for the type %s", task.Quote(t.Type)))
	}
	return handler(ctx, t)
}

type panicError struct {
	value any
	stack string
}

func (p *panicError) Error() string { return fmt.Sprint("panic: ", p.value) }

func (p *panicError) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Bug, Effect: retry.Maybe, Type: "panic"}
}

// errorOf is an error as the server keeps it, classified where it is known best.
func errorOf(ctx context.Context, err error) *TaskError {
	verdict := retry.ClassifyIn(ctx, err)
	if verdict.Type == "" {
		verdict.Type = fmt.Sprintf("%T", err)
	}
	out := &TaskError{Message: sendable(err.Error()), Category: string(verdict.Category), Type: sendable(verdict.Type), Code: sendable(verdict.Code)}
	if raised := new(panicError); errors.As(err, &raised) {
		out.Stack = sendable(raised.stack)
	}
	return out
}

// mostText is how much of a text of an error is sent, in bytes; the server keeps less.
const mostText = 64 << 10

// sendable is a text as the server takes it: UTF-8 without NUL, and no longer than that.
func sendable(text string) string {
	text = text[:min(len(text), mostText)]
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// workContext is the context of an attempt, with what handlers may do besides returning.
type workContext struct {
	context.Context
	task     *LeasedTask
	steps    *stepLog
	now      func() time.Time // by the clock of the server
	keep     func(*DoneStep) error
	progress func(text []byte)
}

type workKey struct{}

// Value implements [context.Context].
func (c *workContext) Value(key any) any {
	if key == (workKey{}) {
		return c
	}
	return c.Context.Value(key)
}

// Progress reports how far an attempt has come: any value that is JSON of at most 4
// KiB. It goes to the server with the next extension of the lease. Outside of a
// [WorkHandler] it is an error.
func Progress(ctx context.Context, value any) error {
	of, ok := ctx.Value(workKey{}).(*workContext)
	if !ok {
		return errNoAttempt
	}
	text, err := json.Marshal(value)
	if err != nil || len(text) > 4<<10 {
		return errors.Join(err, task.Invalid("progress", "must be JSON of at most 4 KiB", ""))
	}
	of.progress(text)
	return nil
}

// RetryAfter makes an attempt fail with err, and the next one start after d instead
// of the policy's delay. The policy still counts the attempts.
func RetryAfter(d time.Duration, err error) error {
	return &steering{outcome: string(task.OutcomeFailed), after: (*Duration)(new(max(0, d))), err: err}
}

// Snooze asks to run again after d, a second at the least. It is no failure and
// costs no attempt.
func Snooze(d time.Duration) error {
	return &steering{outcome: string(task.OutcomeSnoozed), after: (*Duration)(new(max(0, d)))}
}

// GiveUp ends a task now as a dead letter, whatever attempts are left.
func GiveUp(err error) error { return &steering{outcome: string(task.OutcomeDead), err: err} }

// Drop ends a task now as canceled: it is no longer wanted, and nobody needs to look
// at it.
func Drop(err error) error { return &steering{outcome: string(task.OutcomeCanceled), err: err} }

// steering is an error by which a handler says what is to follow.
type steering struct {
	outcome string
	after   *Duration
	err     error
}

func (s *steering) Error() string {
	if s.err == nil {
		return s.outcome
	}
	return s.err.Error()
}

func (s *steering) Unwrap() error { return s.err }

// Verdict is how an attempt ended, as the server would be told.
type Verdict struct {
	TaskResult
	Steps    []Step          // all that are done, those that came with the task included
	Progress json.RawMessage // the last that was reported
}

// Try runs one attempt of a handler without a server, for its tests. Of the task, what the
// handler looks at has to be set. For the next attempt give it the steps of the verdict: a
// signal that has come is a [Step] with its name, Occurrence 0 and the type "signal". Whether
// a failure is retried is decided by the server.
func Try(ctx context.Context, handler WorkHandler, t LeasedTask) *Verdict {
	began := time.Now()
	if t.ID.IsZero() {
		t.ID = NewID()
	}
	v := &Verdict{Steps: t.Steps}
	var mu sync.Mutex // steps may run at once
	w := &working{handlers: map[string]WorkHandler{t.Type: handler}, options: WorkOptions{Logger: slog.New(slog.DiscardHandler)}}
	v.TaskResult = w.attempt(&workContext{
		Context: ctx, task: &t, steps: newStepLog(t.Steps),
		now: func() time.Time {
			if t.StartedAt.IsZero() {
				return time.Now()
			}
			return t.StartedAt.Add(time.Since(began))
		},
		keep: func(s *DoneStep) error {
			mu.Lock()
			defer mu.Unlock()
			v.Steps = append(v.Steps, Step{Name: s.Name, Occurrence: s.Occurrence, Result: s.Result, Type: s.Type, Compensation: s.Compensation})
			return nil
		},
		progress: func(text []byte) {
			mu.Lock()
			defer mu.Unlock()
			v.Progress = text
		},
	}, &t)
	return v
}
