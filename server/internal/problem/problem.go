// Package problem is how the API says that something went wrong: any error as a problem of
// RFC 9457, with its status, title and hint.
package problem

import (
	"context"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Codes that only an HTTP server has.
const (
	CodeMethod    task.Code = "method_not_allowed"
	CodeMediaType task.Code = "unsupported_media_type"
	CodeTimeout   task.Code = "timeout"
)

// FieldsHint is for complaints that say all there is to say.
const FieldsHint = "the fields and their forms are listed at /openapi.json"

// MostFields bounds the answer to a request that is wrong all over.
const MostFields = 20

// statuses maps every error code to its HTTP status.
var statuses = map[task.Code]int{
	task.CodeInvalid:         http.StatusBadRequest,
	task.CodeTooLarge:        http.StatusRequestEntityTooLarge,
	task.CodeNotFound:        http.StatusNotFound,
	task.CodeConflict:        http.StatusConflict,
	task.CodeManagedByFile:   http.StatusConflict,
	task.CodeIDConflict:      http.StatusConflict,
	task.CodeDedupeConflict:  http.StatusConflict,
	task.CodeStaleClaim:      http.StatusConflict,
	task.CodeNoHandler:       http.StatusConflict,
	task.CodeDedupeBusy:      http.StatusServiceUnavailable,
	task.CodeQueueFull:       http.StatusTooManyRequests,
	task.CodeUnavailable:     http.StatusServiceUnavailable,
	task.CodeUnauthenticated: http.StatusUnauthorized,
	task.CodeRateLimited:     http.StatusTooManyRequests,
	task.CodeDenied:          http.StatusForbidden,
	task.CodeInternal:        http.StatusInternalServerError,
	CodeMethod:               http.StatusMethodNotAllowed,
	CodeMediaType:            http.StatusUnsupportedMediaType,
	CodeTimeout:              http.StatusRequestTimeout,
}

// titles say what the codes mean, the same for every occurrence.
var titles = map[task.Code]string{
	task.CodeInvalid:         "The request is not valid",
	task.CodeTooLarge:        "The request is too large",
	task.CodeNotFound:        "Not found",
	task.CodeConflict:        "The state does not allow it",
	task.CodeManagedByFile:   "The configuration file owns it",
	task.CodeIDConflict:      "The id belongs to another task",
	task.CodeDedupeConflict:  "The dedupe key belongs to another task",
	task.CodeStaleClaim:      "The claim is stale",
	task.CodeNoHandler:       "Nothing can start this type",
	task.CodeDedupeBusy:      "The dedupe key is in use",
	task.CodeQueueFull:       "The queue is full",
	task.CodeUnavailable:     "Unavailable",
	task.CodeUnauthenticated: "A token is needed",
	task.CodeRateLimited:     "Too many requests",
	task.CodeDenied:          "Not allowed",
	task.CodeInternal:        "Internal error",
	CodeMethod:               "Method not allowed",
	CodeMediaType:            "Unsupported media type",
	CodeTimeout:              "The request took too long to arrive",
}

// usualHints say what to do where the error itself does not.
var usualHints = map[task.Code]string{
	task.CodeInvalid:         FieldsHint,
	task.CodeTooLarge:        "send less at once",
	task.CodeNotFound:        "check the name; what has ended is deleted after its retention",
	task.CodeConflict:        "read it again: its state has changed",
	task.CodeManagedByFile:   "change it in the configuration file, which is reloaded at once",
	task.CodeIDConflict:      "use a new id for different content",
	task.CodeDedupeConflict:  "use another dedupe key for different content",
	task.CodeStaleClaim:      "stop: the task runs elsewhere or has ended",
	task.CodeNoHandler:       "register a handler for the type",
	task.CodeDedupeBusy:      "try again",
	task.CodeQueueFull:       "try again after Retry-After",
	task.CodeUnavailable:     "try again after Retry-After",
	task.CodeUnauthenticated: "send Authorization: Bearer with a token, on the command line by --token-file or OUTLAST_TOKEN; outlast token create makes one",
	task.CodeRateLimited:     "try again after Retry-After",
	task.CodeDenied:          "use the address that the server listens on",
	task.CodeInternal:        "see the server's log",
}

// Status is the HTTP status of a code, 0 for one that is unknown.
func Status(code task.Code) int { return statuses[code] }

// Named reports whether an error says itself, to callers, what it is.
func Named(err error) bool {
	_, ok := errors.AsType[*task.Error](err)
	return ok
}

// Of turns any error into a problem. What is no [task.Error] is a
// defect or the store's trouble: its text is for the log, not for callers.
func Of(err error) *client.Error {
	var known *task.Error
	if !errors.As(err, &known) {
		known = &task.Error{Code: task.CodeInternal, Message: "the server met an unexpected error", Hint: "see the server's log"}
		switch {
		case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
			known = &task.Error{Code: task.CodeUnavailable, Message: "the request ended before its answer", RetryAfter: time.Second,
				Hint: "it may have taken effect: repeat it with the same id"}
		case outage(err):
			known = &task.Error{Code: task.CodeUnavailable, Message: "the store cannot be reached", RetryAfter: time.Second,
				Hint: "try again after Retry-After; see the server's log for the reason"}
		}
	}
	if known.Hint == "" {
		hinted := *known
		hinted.Hint = usualHints[known.Code]
		known = &hinted
	}
	status, ok := statuses[known.Code]
	if !ok {
		status = http.StatusInternalServerError
	}
	detail := known.Message
	if len(known.Fields) == 1 && known.Fields[0].Message == detail {
		detail = client.Detail(known.Fields[0])
	}
	return &client.Error{
		Status: status, Title: titles[known.Code], Detail: detail, Code: known.Code, Errors: known.Fields,
		Hint: known.Hint, State: known.State, Existing: known.Existing, RetryAfter: client.Duration(known.RetryAfter),
	}
}

// outage reports whether an error that nobody has named is one of the way to the
// store, or of a store that is busy, starts or stops: it may be gone at the next try.
func outage(err error) bool {
	switch retry.Classify(err).Category {
	case retry.Unsent, retry.Network, retry.Timeout, retry.Unavailable, retry.Throttled, retry.Conflict:
		return true
	}
	return false
}

// Write answers with a problem.
func Write(w http.ResponseWriter, problem *client.Error) {
	header := w.Header()
	header.Set("Content-Type", "application/problem+json")
	header.Set("Cache-Control", "no-store")
	wait := time.Duration(problem.RetryAfter)
	if wait <= 0 && (problem.Status == http.StatusTooManyRequests || problem.Status == http.StatusServiceUnavailable) {
		wait = time.Second
	}
	if wait > 0 {
		header.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	}
	body, err := client.Marshal(problem)
	if err != nil { // the type is our own and has no such field
		problem.Status, body = http.StatusInternalServerError, nil
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(problem.Status)
	_, _ = w.Write(body) // the caller is gone; there is no one to tell
}

// Placed changes the paths of an error's complaints.
func Placed(err error, place func(path string) string) error {
	var known *task.Error
	if !errors.As(err, &known) || len(known.Fields) == 0 {
		return err
	}
	moved := *known
	moved.Fields = make([]task.Field, len(known.Fields))
	for i, field := range known.Fields {
		moved.Fields[i] = task.Field{Path: place(field.Path), Message: field.Message}
	}
	return &moved
}
