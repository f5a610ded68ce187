package client

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/task"
)

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
	return &steering{outcome: string(task.OutcomeFailed), after: (*Duration)(&d), err: err}
}

// Snooze asks to run again after d, a second at the least. It is no failure and
// costs no attempt.
func Snooze(d time.Duration) error {
	return &steering{outcome: string(task.OutcomeSnoozed), after: (*Duration)(&d)}
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
