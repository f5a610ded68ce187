package workers

import (
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// endOf is what is wrong with the result, and what a handler would have returned.
func endOf(r *client.TaskResult, path string) (wrong *task.Field, end error) {
	after := time.Duration(0)
	if r.RetryAfter != nil {
		after = time.Duration(*r.RetryAfter)
	}
	complain := func(field, message string) (*task.Field, error) {
		return &task.Field{Path: path + field, Message: message}, nil
	}
	switch {
	case after < 0:
		return complain("retry_after", "must not be negative")
	case r.Error != nil && r.Error.Category != "" && !retry.Category(r.Error.Category).Valid():
		return complain("error.category", task.Quote(r.Error.Category)+" is not a category")
	}
	failure := failureOf(r.Error)
	switch task.Outcome(r.Outcome) {
	case task.OutcomeSucceeded:
		return nil, nil
	case task.OutcomeFailed:
		if r.RetryAfter != nil {
			return nil, outlast.RetryAfter(after, failure)
		}
		return nil, failure
	case task.OutcomeSnoozed:
		if r.RetryAfter == nil {
			return complain("retry_after", "is required with the outcome snoozed")
		}
		return nil, outlast.Snooze(after)
	case task.OutcomeReleased:
		return nil, outlast.ErrReleased
	case task.OutcomeDead:
		return nil, outlast.GiveUp(failure)
	case task.OutcomeCanceled:
		return nil, outlast.Cancel(failure)
	}
	return complain("outcome", task.Quote(r.Outcome)+" is none of succeeded, failed, snoozed, released, dead and canceled")
}

// workerError is a failure that a remote worker has reported.
type workerError struct{ of client.TaskError }

func failureOf(e *client.TaskError) error {
	if e == nil {
		return &workerError{client.TaskError{Message: "the worker gave no reason"}}
	}
	return &workerError{*e}
}

// Error is the message, with the stack, if there is one, below it.
func (e *workerError) Error() string {
	if e.of.Stack == "" {
		return e.of.Message
	}
	return strings.TrimRight(e.of.Message, "\n") + "\n" + e.of.Stack
}

// RetryVerdict implements [retry.Verdictor]: the category is what the worker says,
// else what its error class, else what its message tells.
func (e *workerError) RetryVerdict() retry.Verdict {
	verdict := retry.Verdict{Category: retry.Category(e.of.Category), Effect: retry.Maybe, Type: e.of.Type, Code: e.of.Code}
	if verdict.Category == "" {
		if known, ok := retry.CategoryOfType(e.of.Type); ok {
			verdict.Category = known
		} else {
			verdict.Category = retry.Classify(fmt.Errorf("%s", e.of.Message)).Category
		}
	}
	if verdict.Type == "" {
		verdict.Type = "remote"
	}
	return verdict
}
