package outlast

import (
	"time"

	"github.com/outlast-dev/outlast/engine"
)

// RetryAfter makes the attempt fail with err, and the next one start after d
// instead of the policy's delay, also where err looks permanent. The policy
// still counts the attempts. A nil err reads as "try again".
func RetryAfter(d time.Duration, err error) error {
	return &outcomeError{engine.HandlerOutcome{Action: engine.ActionRetry, After: max(d, 0)}, "try again", err}
}

// Snooze asks to run again after d, a second at the least: 0 and a time that is
// past wait that long. It is no failure and costs no attempt; only the task's
// deadline ends it. The history keeps the newest 20 runs of a task that cost none.
func Snooze(d time.Duration) error {
	return &outcomeError{engine.HandlerOutcome{Action: engine.ActionSnooze, After: max(d, 0)}, "snoozed", nil}
}

// Dead ends the task now as a dead letter with the reason "rejected",
// whatever attempts are left.
func Dead(err error) error {
	return &outcomeError{engine.HandlerOutcome{Action: engine.ActionDead}, "rejected by the handler", err}
}

// Cancel ends the task now as canceled: it is no longer wanted, and nobody
// needs to look at it.
func Cancel(err error) error {
	return &outcomeError{engine.HandlerOutcome{Action: engine.ActionCancel}, "canceled by the handler", err}
}

// outcomeError is an error by which a handler says what is to follow.
type outcomeError struct {
	asks  engine.HandlerOutcome
	text  string // without a cause
	cause error
}

var _ engine.OutcomeError = (*outcomeError)(nil)

// Error is the text of the cause, if there is one.
func (e *outcomeError) Error() string {
	if e.cause == nil {
		return e.text
	}
	return e.cause.Error()
}

// Unwrap returns the cause.
func (e *outcomeError) Unwrap() error { return e.cause }

// HandlerOutcome implements [engine.OutcomeError].
func (e *outcomeError) HandlerOutcome() engine.HandlerOutcome { return e.asks }
