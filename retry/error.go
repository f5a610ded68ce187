package retry

import (
	"errors"
	"time"
)

// Why [Do] gave up; see [Error]. When the caller's context ended, the reason is
// its cause.
var (
	ErrAttempts    = errors.New("retry: no attempts left")
	ErrPermanent   = errors.New("retry: the failure is permanent")
	ErrRejected    = errors.New("retry: a rule or the receiver forbids a retry")
	ErrUnsafe      = errors.New("retry: the attempt may have had an effect, and the operation is not idempotent")
	ErrNoTime      = errors.New("retry: no time left for another attempt")
	ErrBudget      = errors.New("retry: the retry budget is spent")
	ErrBreakerOpen = errors.New("retry: the breaker is open")
	ErrThrottled   = errors.New("retry: throttled on this side")
	ErrLimited     = errors.New("retry: too many calls in flight")
)

// Error is the end of an operation that did not succeed.
type Error struct {
	// Attempts is how many were made; 0 when a guard refused the first.
	Attempts int
	// Elapsed is the time since the call. Where nothing needs a clock before the
	// first attempt (no TTL, no timeout, no deadline, no observer), it counts from
	// the end of the first attempt.
	Elapsed time.Duration
	// Reason is one of the Err variables or the cause of the caller's context.
	Reason error
	// Last is the error of the last attempt that was made; nil when none was.
	Last error
}

// Error names the last error, the attempts and the reason.
func (e *Error) Error() string { return e.Reason.Error() }

// Unwrap returns Last and Reason, those that are not nil.
func (e *Error) Unwrap() []error { return []error{e.Last, e.Reason} }
