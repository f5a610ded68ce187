package retry

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// Why [Do] gave up; see [Error]. When the caller's context ended, the reason is
// its cause.
var (
	ErrAttempts  = errors.New("retry: no attempts left")
	ErrPermanent = errors.New("retry: the failure is permanent")
	ErrRejected  = errors.New("retry: a rule or the receiver forbids a retry")
	ErrUnsafe    = errors.New("retry: the attempt may have had an effect, and the operation is not idempotent")
	ErrNested    = errors.New("retry: the outer operation repeats it")
	ErrNoTime    = errors.New("retry: no time left for another attempt")
	ErrBudget    = errors.New("retry: the retry budget is spent")
	ErrStopped   = errors.New("retry: stopped")

	// ErrUnknown is [ErrUnsafe] for a failure that nothing recognized; [errors.Is]
	// finds both.
	ErrUnknown error = unknown{}
)

// unknown is the type of ErrUnknown.
type unknown struct{}

func (unknown) Error() string {
	return "retry: a failure of an unknown kind may have had an effect, and the operation is not declared idempotent"
}

func (unknown) Is(target error) bool { return target == ErrUnsafe }

// What guards answer when they refuse a call. [Classify] knows these errors: the
// call was not sent.
var (
	ErrBreakerOpen error = &refusal{"retry: the breaker is open", Unavailable}
	ErrThrottled   error = &refusal{"retry: throttled on this side", Throttled}
	ErrLimited     error = &refusal{"retry: too many calls in flight", Throttled}
	ErrRate        error = &refusal{"retry: too many calls in this time", Throttled}
)

// Why an attempt has no outcome of its own.
var (
	errAborted   = errors.New("retry: the attempt panicked or ended its goroutine")
	errAbandoned = errors.New("retry: the loop was left before the attempt was done")
)

// refusal is the error of a guard. It describes itself.
type refusal struct {
	text     string
	category Category
}

func (r *refusal) Error() string { return r.text }
func (r *refusal) RetryVerdict() Verdict {
	return Verdict{Category: r.category, Effect: NotSent, Type: "retry"}
}

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
	// Last is the error of the last attempt that was made; nil when none was. An
	// attempt that only says that the context ended does not replace the error of
	// an earlier one.
	Last error

	context error   // how a context ended, when neither Last nor Reason says it
	verdict Verdict // of Last; Effect is that of all attempts together
}

// Error names the reason, the attempts, the time and the last error in one line.
func (e *Error) Error() string {
	text := "retry: failed"
	if e.Reason != nil {
		text = e.Reason.Error()
	}
	switch {
	case e.Attempts == 1:
		text += " after 1 attempt"
	case e.Attempts > 1:
		text += " after " + strconv.Itoa(e.Attempts) + " attempts in " + e.Elapsed.Round(roundTo(e.Elapsed)).String()
	}
	if e.Last != nil {
		text += ": " + e.Last.Error()
	}
	return strings.ReplaceAll(text, "\n", "; ")
}

// roundTo keeps three digits or so of a duration.
func roundTo(d time.Duration) time.Duration {
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return unit
}

// Unwrap returns Last, Reason and the end of a context that both came after,
// without those that are nil.
func (e *Error) Unwrap() []error {
	all := make([]error, 0, 3)
	for _, err := range [...]error{e.Last, e.Reason, e.context} {
		if err != nil {
			all = append(all, err)
		}
	}
	return all
}

// RetryVerdict is that of Last as the operation classified it, for an outer
// operation. The effect is that of all attempts: not sent only if none was.
// Without an attempt the reason decides.
func (e *Error) RetryVerdict() Verdict {
	switch {
	case e.verdict != Verdict{}:
		return e.verdict
	case e.Last != nil:
		return Classify(e.Last)
	case e.Reason == nil:
		return Verdict{Category: Unknown, Effect: Maybe}
	}
	v := Classify(e.Reason)
	if e.Attempts == 0 {
		v.Effect = NotSent
	}
	return v
}

// worse is the effect of two attempts together.
func worse(a, b Effect) Effect {
	if a == b || a == "" || a == NotSent {
		return b
	}
	return a
}
