package client

import (
	"strings"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Error is an RFC 9457 problem: what the server answers instead of a result.
type Error struct {
	Status     int          `json:"status" doc:"The HTTP status."`
	Title      string       `json:"title" doc:"What the code means, the same for every occurrence."`
	Detail     string       `json:"detail,omitempty" doc:"What is wrong this time, for people."`
	Code       task.Code    `json:"code" doc:"Stable name of the problem. New ones may come."`
	Errors     []task.Field `json:"errors,omitempty" doc:"What is wrong where in the request."`
	Hint       string       `json:"hint,omitempty" doc:"What to do about it, for people."`
	State      task.State   `json:"state,omitempty" doc:"Of the task or operation, where its state is the problem."`
	Existing   task.ID      `json:"existing,omitzero" doc:"The task in the way."`
	RetryAfter Duration     `json:"retry_after,omitzero" doc:"When to come back."`
}

// Detail says what is wrong with a field in one sentence that names it.
func Detail(field task.Field) string {
	first, _, _ := strings.Cut(field.Message, " ")
	switch first {
	case "is", "has", "must", "lies", "ends", "contains", "needs", "cannot":
		return field.Path + " " + field.Message
	}
	if first == "" || !strings.ContainsAny(first[:1], "0123456789-+\"'") {
		return field.Message // it names its subject itself
	}
	return field.Path + ": " + field.Message
}

// Error implements error: detail, fields, hint.
func (e *Error) Error() string { return e.task().Error() }

// Unwrap returns the same error as the library inside a Go program has it, so
// that errors.Is and errors.As with [task.Error] work on both.
func (e *Error) Unwrap() error { return e.task() }

func (e *Error) task() *task.Error {
	message := e.Detail
	if message == "" {
		message = e.Title
	}
	if len(e.Errors) == 1 && message == Detail(e.Errors[0]) {
		message = e.Errors[0].Message // the path stands in the field
	}
	return &task.Error{
		Code: e.Code, Message: message, Hint: e.Hint, Fields: e.Errors, State: e.State,
		Existing: e.Existing, RetryAfter: time.Duration(e.RetryAfter),
	}
}
