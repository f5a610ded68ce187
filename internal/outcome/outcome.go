// Package outcome is the errors by which handlers say what is to follow.
package outcome

import (
	"time"

	"github.com/outlast-dev/outlast/internal/engine"
)

// RetryAfter fails the attempt, and lets the next one start after a time.
func RetryAfter(d time.Duration, err error) error {
	return &outcomeError{engine.HandlerOutcome{Action: engine.ActionRetry, After: max(d, 0)}, "try again", err}
}

// Snooze lets the task run again after a time, at no cost.
func Snooze(d time.Duration) error {
	return &outcomeError{engine.HandlerOutcome{Action: engine.ActionSnooze, After: max(d, 0)}, "snoozed", nil}
}

// GiveUp ends the task as a dead letter.
func GiveUp(err error) error {
	return &outcomeError{engine.HandlerOutcome{Action: engine.ActionDead}, "rejected by the handler", err}
}

// Cancel ends the task as canceled: it is no longer wanted, and nobody
// needs to look at it.
func Cancel(err error) error {
	return &outcomeError{engine.HandlerOutcome{Action: engine.ActionCancel}, "canceled by the handler", err}
}

// HandOver leaves the task to nodes that list a capability.
func HandOver(capability string, err error) error {
	return &outcomeError{engine.HandlerOutcome{Action: engine.ActionHandOver, Ability: capability}, "left to a node that signs requests to the host", err}
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
