package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// DoStep does a part of the work of a [WorkHandler] once: what fn returns is on disk when
// DoStep does, and a later attempt gets it without another call of fn. ctx is the context of
// the handler or made from it. A name that is asked for several times, one after the other,
// has occurrences, which are counted. Steps of other names may run at once; wait for them
// before the handler returns.
//
// If fn fails, nothing is kept and its error is returned: return it, or call DoStep again. The
// result is kept in its JSON form, of at most 64 KiB. A process that is killed between what
// fn does and its record does the step again: give what fn calls a key, such as the id of the
// task with the name of the step. Errors of DoStep itself are to be returned by the handler.
func DoStep[R any](ctx context.Context, name string, fn func(ctx context.Context) (R, error)) (result R, err error) {
	of, ok := ctx.Value(workKey{}).(*workContext)
	if !ok {
		return result, errNoAttempt
	}
	kept, err := of.step(ctx, name, func(ctx context.Context) (any, error) { return fn(ctx) })
	if err != nil || len(kept) == 0 {
		return result, err
	}
	if err := json.Unmarshal(kept, &result); err != nil {
		return result, misused("result", fmt.Sprintf("the result of step %s is no %T: %v", task.Quote(name), result, err), "give a step that means something else another name")
	}
	return result, nil
}

// Compensate names the task that undoes a step if its own task dies. ctx is the one that the
// function of the step was given. A step has one compensation at most.
func Compensate(ctx context.Context, kind string, payload any) error {
	doing, ok := ctx.Value(stepKey{}).(*stepContext)
	if !ok || doing.undo != nil {
		return &stepError{&task.Error{Code: task.CodeConflict, Message: "no step runs in this context, or it has a compensation", Hint: "call Compensate once, in the function of a step, with the context that this is given"}}
	}
	text, err := resultOf(payload)
	if err != nil {
		return err
	}
	doing.undo = &Compensation{Type: kind, Payload: text}
	return nil
}

// Sleep lets the task wait for d without a slot: it returns a [Snooze], which the handler is
// to return, until an attempt comes after the end. Its name is one of the names of steps.
func Sleep(ctx context.Context, name string, d time.Duration) error {
	left, err := timeLeft(ctx, name, d)
	if err != nil || left <= 0 {
		return err
	}
	return Snooze(max(left, time.Second))
}

// Await returns the payload of a signal of this name. While none has come it returns a
// [Snooze], which the handler is to return: the task looks again every 15 seconds. After the
// timeout it is [ErrNoSignal].
func Await[T any](ctx context.Context, name string, timeout time.Duration) (payload T, err error) {
	of, ok := ctx.Value(workKey{}).(*workContext)
	if !ok {
		return payload, errNoAttempt
	}
	if come := of.steps.done[stepName{name, 0}]; come != nil {
		if come.Type != task.StepSignal {
			return payload, ErrNoSignal
		}
		if len(come.Result) > 0 {
			err = json.Unmarshal(come.Result, &payload)
		}
		return payload, err
	}
	left, err := timeLeft(ctx, name, timeout)
	switch {
	case err != nil:
	case left <= 0:
		err = ErrNoSignal
	default:
		err = Snooze(max(time.Second, min(left, signalPause)))
	}
	return payload, err
}

// ErrNoSignal says that no signal came in time. The task of a handler that returns it dies,
// since another attempt would find the same.
var ErrNoSignal error = noSignal{}

type noSignal struct{}

func (noSignal) Error() string { return "no signal has come in time" }

func (noSignal) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Permanent, Type: "signal", Code: "timeout"}
}

// stepError is a mistake in the use of steps. Another attempt would make it again.
type stepError struct{ err *task.Error }

func (s *stepError) Error() string { return s.err.Error() }

func (s *stepError) Unwrap() error { return s.err }

func (s *stepError) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Bug, Type: "step", Code: string(s.err.Code)}
}

func misused(field, message, hint string) error {
	return &stepError{task.Invalid(field, message, hint)}
}

var errNoAttempt = &task.Error{Code: task.CodeConflict, Message: "no attempt runs in this context", Hint: "pass on the context of the handler"}

const signalPause = 15 * time.Second

// timeLeft is how long a wait still takes, by the clock of the server. Its first call is kept
// as a step.
func timeLeft(ctx context.Context, name string, d time.Duration) (time.Duration, error) {
	of, ok := ctx.Value(workKey{}).(*workContext)
	if !ok {
		return 0, errNoAttempt
	}
	wait, err := DoStep(ctx, name, func(context.Context) (map[string]Time, error) {
		return map[string]Time{"until": {Time: of.now().Add(max(0, d))}}, nil
	})
	if err == nil && wait["until"].IsZero() {
		err = misused("name", "the step "+task.Quote(name)+" is no wait", "give the wait another name")
	}
	return wait["until"].Sub(of.now()), err
}

type stepName struct {
	name       string
	occurrence int
}

// stepLog is what is done of a task, and what its attempt has asked for.
type stepLog struct {
	mu      sync.Mutex
	done    map[stepName]*Step // those that came with the task
	asked   map[string]int     // occurrences that this attempt has had
	running map[string]bool
}

func newStepLog(done []Step) *stepLog {
	log := &stepLog{done: map[stepName]*Step{}, asked: map[string]int{}, running: map[string]bool{}}
	for i := range done {
		log.done[stepName{done[i].Name, done[i].Occurrence}] = &done[i]
	}
	return log
}

func (l *stepLog) begin(name string) (occurrence int, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if name == "" || utf8.RuneCountInString(name) > 128 {
		return 0, misused("name", "the name of a step has 1 to 128 characters", "")
	}
	if l.running[name] {
		return 0, misused("name", "the step "+task.Quote(name)+" runs already", "give steps that run at once names of their own")
	}
	l.running[name] = true
	return l.asked[name] + 1, nil
}

func (l *stepLog) end(name string, done bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.running, name)
	if done {
		l.asked[name]++
	}
}

// step returns the result of a step, which it does if it is not done yet.
func (c *workContext) step(ctx context.Context, name string, fn func(context.Context) (any, error)) (result json.RawMessage, err error) {
	occurrence, err := c.steps.begin(name)
	if err != nil {
		return nil, err
	}
	done := false // nor where fn panics
	defer func() { c.steps.end(name, done) }()
	if before := c.steps.done[stepName{name, occurrence}]; before != nil {
		done = true
		return before.Result, nil
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	step := &DoneStep{ID: c.task.ID, Claim: c.task.Claim, Name: name, Occurrence: occurrence, StartedAt: Time{Time: time.Now()}}
	doing := &stepContext{Context: ctx}
	value, err := fn(doing)
	if err != nil {
		return nil, err
	}
	if step.Result, err = resultOf(value); err != nil {
		return nil, err
	}
	step.Compensation = doing.undo
	err = c.keep(step)
	done = err == nil
	return step.Result, err
}

type stepKey struct{}

// stepContext is the context of the function of a step.
type stepContext struct {
	context.Context
	undo *Compensation
}

// Value implements [context.Context].
func (s *stepContext) Value(key any) any {
	if key == (stepKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// keep has a step kept, again and again until that is known or the lease is over: what was
// done has to be on disk.
func (w *working) keep(h *holding, step *DoneStep) error {
	for try := 1; ; try++ {
		w.mu.Lock()
		over := h.gone || time.Now().After(h.lostAt)
		w.mu.Unlock()
		if over {
			h.cancel(ErrLeaseLost)
			return ErrLeaseLost
		}
		result, err := w.addStep(step)
		switch {
		case err == nil && result.Status == "ok":
			return nil
		case err == nil && result.Status == "error" && result.Error != nil:
			return notKept(step, result.Error)
		case err == nil:
			w.lost(h)
		case isDenied(err):
			w.fail(&deniedError{err})
			return err
		case isRefused(err):
			return notKept(step, err)
		default:
			w.options.Logger.Warn("steps.failed", "task", step.ID.String(), "step", step.Name, "error", err)
			_ = pause(context.Background(), min(try, 10), err) // it ends by itself
		}
	}
}

func (w *working) addStep(step *DoneStep) (*StepResult, error) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTime)
	defer cancel()
	results, err := w.client.AddSteps(ctx, []DoneStep{*step})
	if err != nil {
		return nil, err
	}
	if len(results) != 1 {
		return nil, errors.New("client: the answer does not fit the step")
	}
	return &results[0], nil
}

// notKept is the failure of a step that the server does not take.
func notKept(step *DoneStep, err error) error {
	err = fmt.Errorf("step %s is not kept: %w", task.Quote(step.Name), err)
	if errors.Is(err, &task.Error{Code: task.CodeTooLarge}) {
		return &badResult{err}
	}
	return err
}

// lost notes that a task is not ours any more.
func (w *working) lost(h *holding) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h.gone = true
	h.cancel(ErrLeaseLost)
}
