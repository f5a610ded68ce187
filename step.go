package outlast

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/handlers"
	"github.com/outlast-dev/outlast/internal/outcome"
	"github.com/outlast-dev/outlast/internal/steps"
	"github.com/outlast-dev/outlast/task"
)

// Step does a part of a handler's work once: what fn returns is on disk when Step does, and a
// later attempt of the task gets it without another call of fn. ctx is the handler's context
// or made from it, and fn gets one made from that.
//
// A step is known by its name and, where a handler asks for a name several times one after
// the other, by which time it is. So a new release may add steps, and leave some out: those
// stored that a successful attempt has not asked for are logged as step.unasked. Steps of
// different names may run at once; wait for them before the handler returns.
//
// If fn fails, nothing is stored, and its error is returned: return it, or call the step
// again. The result is kept in its JSON form, of at most 64 KiB; a task has at most 1000
// steps and 4 MiB of them. A process that is killed between fn's effect and its record
// does the step again: give what fn calls a key, such as the task's id with the step's name.
//
// Errors of Step itself are to be returned by the handler. One is an [*Error] with code
// "stale_claim" when the task was given to another run meanwhile, "invalid" for a name that
// runs already, a result of another type than the stored one, and a result that cannot be
// kept, and "conflict" outside of a handler.
func Step[R any](ctx context.Context, name string, fn func(ctx context.Context) (R, error)) (result R, err error) {
	of, ok := ctx.Value(runKey{}).(*attemptContext)
	if !ok {
		return result, noHandler()
	}
	resultType := reflect.TypeFor[R]()
	_, none := any(result).(None)
	done, err := of.run.Step(ctx, steps.Call{Name: name, Type: resultType.String(), Do: func(ctx context.Context) (step task.Step, err error) {
		doing := &stepContext{Context: ctx}
		if result, err = fn(doing); err != nil {
			return step, err
		}
		if !none {
			step.Result, err = handlers.KeptResult(result)
		}
		step.Compensation = doing.ended()
		return step, err
	}})
	if err != nil || len(done.Result) == 0 {
		return result, err
	}
	var stored R // as later attempts get it
	if err := json.Unmarshal(done.Result, &stored); err != nil {
		return result, task.Invalid("result", "the stored result of step "+task.Quote(name)+" is no "+resultType.String()+": "+err.Error(), "give a step that means something else another name")
	}
	return stored, nil
}

// Sleep lets the task wait for d without a slot, and keeps what its steps have done: the
// first call stores when the sleep ends, and returns an error that the handler is to return.
// Then the task is snoozed, and the attempt that comes after the end gets nil. Its name is
// one of the steps' names. A deadline, and the time that the policy gives a task, go on.
func Sleep(ctx context.Context, name string, d time.Duration) error {
	of, ok := ctx.Value(runKey{}).(*attemptContext)
	if !ok {
		return noHandler()
	}
	done, err := of.run.Step(ctx, steps.Call{Name: name, Type: "sleep", Do: func(context.Context) (task.Step, error) {
		return task.Step{Until: time.Now().Add(max(d, 0)).UTC().Truncate(time.Microsecond)}, nil
	}})
	if err != nil {
		return err
	}
	left := time.Until(done.Until)
	if left >= engine.LeastSnooze {
		return outcome.Snooze(left)
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ErrAwaitTimeout is in the chain of the error of [Await] once no signal has come in time.
var ErrAwaitTimeout = steps.ErrTimeout

// Await waits for a signal, such as an approval, and returns its payload, the zero T for none.
// The task waits without a slot: as long as there is no signal, Await stores until when the
// task waits and returns an error that the handler is to return. Then the task is snoozed, and
// runs again as soon as the signal comes ([Client.Signal], POST /v1/tasks/{id}/signals/{name})
// or the timeout is over, which counts from the first call. A signal that came before is kept,
// and returned at once.
//
// The first signal of a name stands: every Await of the name in every attempt returns it.
// When the timeout is over the error is [ErrAwaitTimeout] in the same way, which is final as
// well: a signal that comes later is refused, and one that was accepted is never passed over.
// Returned by the handler, it lets the task die. A task that is redriven keeps its signals,
// and waits anew for those that have not come.
//
// Its name is one of the steps' names. Waits for other names may run side by side; any signal
// lets the task go on. A deadline, and the time that the policy gives a task, go on. An [*Error]
// has code "invalid" for a timeout that is not positive and a payload that is no T, and
// "conflict" outside of a handler.
func Await[T any](ctx context.Context, name string, timeout time.Duration) (payload T, err error) {
	of, ok := ctx.Value(runKey{}).(*attemptContext)
	if !ok {
		return payload, noHandler()
	}
	signal, err := of.run.Await(ctx, name, timeout)
	if err != nil || len(signal.Result) == 0 {
		return payload, err
	}
	var given T
	if err := json.Unmarshal(signal.Result, &given); err != nil {
		return payload, task.Invalid("payload", "the payload of signal "+task.Quote(name)+" is no "+reflect.TypeFor[T]().String()+": "+err.Error(), "the first signal of a name stands: wait for one with another name")
	}
	return given, nil
}

// Signal gives a task the signal of a name, for which its handler waits or will wait by
// [Await]. The payload is encoded as JSON of at most 64 KiB, nil for none. It returns when the
// signal is on disk; the task then runs again at once.
//
// The first signal of a name stands. A repeat with the same payload does nothing and is no
// error, so a call of unknown outcome is simply repeated. An [*Error] has code "conflict" for
// another payload, for a task that has waited in vain or has ended, "not_found" for none,
// "invalid" and "too_large".
func (c *Client) Signal(ctx context.Context, id ID, name string, payload any) error {
	var text json.RawMessage
	if payload != nil {
		var err error
		if text, err = handlers.Encode(payload); err != nil {
			return err
		}
	}
	_, err := c.Inspector().Steps.Signal(ctx, id, name, text)
	return err
}

// Compensate says, inside a step, which task undoes it if its own task dies: one of the
// definition with this payload. That is stored with the step, by the same commit. When the
// task dies, whatever the reason, the compensations of its steps are enqueued in the
// transaction of its death, in its queue, and run one after the other, that of the last
// step first; one that dies holds up those behind it until it was redriven or purged. A task
// that was canceled is compensated only if that was asked for. When a task that died is
// redriven, it waits until its compensations have succeeded, or were canceled or purged, and
// then does those steps again.
//
// ctx is the one that the step's function was given. The payload is at most 64 KiB of JSON.
// Outside of a step, and for a second compensation of one, it is an [*Error] with code
// "conflict".
func Compensate[A, R any](ctx context.Context, with *Definition[A, R], payload A) error {
	doing, ok := ctx.Value(stepKey{}).(*stepContext)
	if !ok {
		return &Error{Code: task.CodeConflict, Message: "no step runs in this context", Hint: "call Compensate in the function of a Step, with the context that this is given"}
	}
	var wrong accept.Complaints
	wrong.Name("type", with.name) // at the death it would be too late
	text, err := handlers.Encode(payload)
	if err == nil {
		err = cmp.Or(wrong.Err("the compensation is not valid"), handlers.CheckResult(text))
	}
	if err == nil && len(text) > 0 && !json.Valid(text) {
		err = task.Invalid("payload", "the payload of a compensation is not JSON", "wrap bytes in a JSON string")
	}
	if err != nil {
		return err
	}
	return doing.compensate(&task.Follow{Type: with.name, Payload: text})
}

func noHandler() error {
	return &Error{Code: task.CodeConflict, Message: "no attempt runs in this context", Hint: "pass on the handler's context"}
}

type stepKey struct{}

// stepContext is the context of a step's function.
type stepContext struct {
	context.Context

	mu   sync.Mutex
	undo *task.Follow
	over bool
}

// Value implements [context.Context].
func (s *stepContext) Value(key any) any {
	if key == (stepKey{}) {
		return s
	}
	return s.Context.Value(key)
}

func (s *stepContext) compensate(with *task.Follow) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over || s.undo != nil {
		return &Error{Code: task.CodeConflict, Message: "the step has a compensation, or has ended", Hint: "a step has one compensation; make two steps of one that needs two"}
	}
	s.undo = with
	return nil
}

// ended is the compensation, which can be set no more.
func (s *stepContext) ended() *task.Follow {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	return s.undo
}
