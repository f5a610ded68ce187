package retry

import (
	"context"
	"errors"
	"time"
)

// Hint is what the receiver of a failed request asked for.
type Hint struct {
	// After is the earliest time of the next attempt, counted from the answer.
	// 0 means that the receiver did not say.
	After time.Duration
	// Never means that the receiver forbids a retry.
	Never bool
}

// Verdict is the classification of one failed attempt. The zero Verdict is
// treated as [Unknown] by [Policy.Decide].
type Verdict struct {
	Category Category
	Effect   Effect
	Hint     Hint
	// Type is the error class or Go type that decided, such as "*net.OpError".
	Type string
	// Code is what the error carries: a HTTP status such as "503", a gRPC code such
	// as "UNAVAILABLE", an errno name such as "ECONNREFUSED", a SQLSTATE, a number
	// of MySQL, a result code of SQLite, the first word of a Redis error. It is
	// empty when there is none.
	Code string
	// Answered tells that what was called has answered and works, although the caller
	// takes the attempt for failed. Breakers and budgets of durable tasks count it as a
	// success.
	Answered bool
}

// Verdictor is an error that describes itself. [Classify] believes the first one
// that it meets on the way from the outermost error to its causes. Its effect is that
// of the whole operation that fails with it: [NotSent] lets [Do] repeat operations
// that are not idempotent.
type Verdictor interface{ RetryVerdict() Verdict }

// ErrAttemptTimeout is the context cause of an attempt that ran into its own
// time limit. Its category is [Timeout].
var ErrAttemptTimeout error = &timeError{
	text:    "the attempt took longer than its timeout",
	verdict: Verdict{Category: Timeout, Effect: Maybe, Type: "retry.ErrAttemptTimeout"},
}

// ErrDeadline is the context cause of an attempt that ran into the deadline of
// the whole operation. Its category is [Deadline].
var ErrDeadline error = &timeError{
	text:    "the deadline of the operation has passed",
	verdict: Verdict{Category: Deadline, Effect: Maybe, Type: "retry.ErrDeadline"},
}

// timeError is the type of the two causes above. Like the context package's own
// error it is a timeout and matches [context.DeadlineExceeded].
type timeError struct {
	text    string
	verdict Verdict
}

func (e *timeError) Error() string         { return e.text }
func (e *timeError) Timeout() bool         { return true }
func (e *timeError) RetryVerdict() Verdict { return e.verdict }
func (e *timeError) Is(target error) bool  { return target == context.DeadlineExceeded }

// ClassifyIn is [Classify] for an error that came out of a call made under ctx.
// An error that only says that a context ended, or that a call was canceled, does
// not tell by whom; when ctx has ended too, its cause decides, so that
// [ErrAttemptTimeout], [ErrDeadline] and a cancellation by the caller are told
// apart. What is certain about the effect stays: an attempt that timed out while
// it still dialed is [Unsent].
func ClassifyIn(ctx context.Context, err error) Verdict {
	v, _ := classifyIn(ctx, err)
	return v
}

// classifyIn is ClassifyIn, and what classify tells beside the verdict.
func classifyIn(ctx context.Context, err error) (v Verdict, told bool) {
	v, told = classify(err)
	if ctx.Err() == nil || err == nil || !isContextEnd(err) && !isCancellation(&v) {
		return v, told
	}
	cause := Classify(context.Cause(ctx))
	if v.Effect == NotSent {
		if cause.Category == Timeout && v.Category == Unsent {
			return v, told
		}
		cause.Effect = NotSent
	}
	return cause, told
}

func isContextEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// isCancellation reports whether the verdict is one with which servers and clients
// report that the call was canceled or ran out of time.
func isCancellation(v *Verdict) bool {
	switch v.Code {
	case "CANCELLED", "DEADLINE_EXCEEDED", "57014", "1317", "3024", "1969", "SQLITE_INTERRUPT":
		return true
	}
	return false
}
