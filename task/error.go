package task

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Code is the stable, machine-readable name of an error. One table in the
// server maps codes to HTTP statuses, one in the CLI to exit codes.
type Code string

// The codes.
const (
	CodeInvalid         Code = "invalid"         // the request is malformed; Fields says where
	CodeTooLarge        Code = "too_large"       // a payload, body or batch over its limit
	CodeNotFound        Code = "not_found"       // no such task, dead letter, queue or operation
	CodeConflict        Code = "conflict"        // the state of the thing does not allow it; State says which
	CodeManagedByFile   Code = "managed_by_file" // the configuration file owns the thing: change it there
	CodeIDConflict      Code = "id_conflict"     // the id belongs to a task of other content
	CodeDedupeConflict  Code = "dedupe_conflict" // the dedupe key belongs to a task of other content
	CodeDedupeBusy      Code = "dedupe_busy"     // the dedupe key is locked by another caller; try again
	CodeQueueFull       Code = "queue_full"      // the queue is over its limit; RetryAfter says when to come back
	CodeStaleClaim      Code = "stale_claim"     // the claim number is no longer the task's
	CodeNoHandler       Code = "no_handler"      // nothing here can start the type
	CodeUnavailable     Code = "unavailable"     // the store cannot answer now, or the engine is stopping
	CodeUnauthenticated Code = "unauthenticated" // a token is needed, or the one that was sent is not good
	CodeRateLimited     Code = "rate_limited"    // too often; RetryAfter says when to come back
	CodeDenied          Code = "denied"          // not allowed
	CodeInternal        Code = "internal"        // a defect
)

// Error is the typed error of every public call: a code for machines, a
// message for people and a hint for operators.
type Error struct {
	Code       Code
	Message    string
	Hint       string
	Fields     []Field       // what is wrong where, for CodeInvalid
	State      State         // of the task, for CodeConflict
	Existing   ID            // the task in the way, for the conflict codes
	RetryAfter time.Duration // for CodeQueueFull and CodeUnavailable
	Err        error         // the cause, if any
}

// Field is one complaint about one place of a request. Path is in the form
// "target.url" or "tasks[3].delay".
type Field struct {
	Path    string `json:"path" doc:"Where it is, such as target.url or tasks[3].delay."`
	Message string `json:"message" doc:"What is wrong with it."`
}

// Error implements error: message, fields, hint.
func (e *Error) Error() string {
	var text strings.Builder
	text.WriteString(e.Message)
	for i, field := range e.Fields {
		if i == 0 && field.Message == e.Message {
			text.Reset()
		} else {
			text.WriteString("; ")
		}
		text.WriteString(field.Path + ": " + field.Message)
	}
	if e.Hint != "" {
		text.WriteString(" (" + e.Hint + ")")
	}
	return text.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is makes errors.Is(err, &Error{Code: c}) true for every error of that code.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code && other.Message == ""
}

// Invalid is an error with one bad field.
func Invalid(path, message, hint string) *Error {
	return &Error{Code: CodeInvalid, Message: message, Hint: hint, Fields: []Field{{path, message}}}
}

// NotFound is an error that names what is missing.
func NotFound(what, name string) *Error {
	hint := "check the name"
	switch what {
	case "task", "dead letter", "operation":
		hint = "check the id; what has ended is deleted after its retention"
	case "message":
		hint = "check the id: outlast alert list"
	case "schedule", "policy", "queue", "node":
		hint = "check the name: outlast " + what + " list"
	case "alert rule", "alert channel":
		hint = "check the name: outlast " + what + "s"
	case "target":
		hint = "check the name: a target is the host of a URL or the type of a task, and nodes know those that they have called lately"
	}
	return &Error{Code: CodeNotFound, Message: fmt.Sprintf("no %s %s", what, Quote(name)), Hint: hint}
}

// Quote renders text from outside for a message or log: quoted, with every
// character that is not printable ASCII-safe escaped, and cut to 80 runes.
func Quote(text string) string {
	runes := 0
	for i := range text {
		if runes++; runes > 80 {
			text = text[:i] + "…"
			break
		}
	}
	return strconv.QuoteToGraphic(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return unicode.ReplacementChar
		}
		return r
	}, text))
}
