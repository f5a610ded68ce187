package channel

import (
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/retry"
)

// Error is a message that was not delivered. Its text names the receiver's
// host, never the rest of its URL, and no secret.
type Error struct {
	Verdict retry.Verdict
	Message string
	Err     error // the cause, nil for an answer
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// RetryVerdict implements [retry.Verdictor].
func (e *Error) RetryVerdict() retry.Verdict { return e.Verdict }

// Exhausted is the code of what this machine lacked to deliver the message, "" where that
// was not what failed; see [safehttp.Exhausted].
func (e *Error) Exhausted() string {
	if e.Err == nil {
		return ""
	}
	return safehttp.Exhausted(e.Verdict, e.Err)
}

const typeName = "*channel.Error"

// Refused is an answer that says by a code of the vendor that the message was
// not taken. The text is what the vendor said, cleaned.
func Refused(host string, code int, category retry.Category, after time.Duration, text string) *Error {
	return &Error{
		Verdict: retry.Verdict{Category: category, Effect: retry.NotSent, Type: typeName, Code: strconv.Itoa(code), Hint: retry.Hint{After: after}},
		Message: host + " refused the message with code " + strconv.Itoa(code) + quoted(text),
	}
}
