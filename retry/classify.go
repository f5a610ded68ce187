package retry

import (
	"context"
	"errors"
	"reflect"
	"time"

	"github.com/outlast-dev/outlast/retry/internal/classify"
)

// Classify says what kind of failure err is. It looks at err and its causes,
// outermost first, and at each one for: a description by the error itself
// ([Verdictor]), its type, the code that it carries (errno, gRPC status, SQLSTATE,
// the numbers of MySQL and SQLite, the first word of a Redis error), a well-known
// value such as [io.EOF], and the methods SafeToRetry, RetryableError and Timeout.
// A method RetryAfter() time.Duration gives the hint. Only when nothing matches it
// reads the text, which gives a category and never more than [Maybe]. A nil error,
// and one that nothing matches, is [Unknown] with [Maybe].
//
// The effect is that of the exchange that the error is about. An operation may have
// done more before it: see [Policy.Classify].
//
// Errors of drivers are recognized without importing the drivers: by a method
// (SQLState, GRPCStatus, RedisError) or by the name and shape of the type. A type
// is looked at once; after that a decision costs no reflection, except for gRPC
// statuses, SQLite errors, and those of the network, of which a field is read.
//
// The tables are printed in docs/reference/classification.md, with their sources. A panic of
// an error's methods is caught.
func Classify(err error) Verdict {
	v, _ := verdictOf(err)
	return v
}

// verdictOf is Classify. Told is whether the effect is what an error says about the
// whole operation, rather than what its type or its code says about an exchange.
func verdictOf(err error) (v Verdict, told bool) {
	found, told := failures.Of(err)
	return verdict(found), told
}

// failures knows the errors of others, and those that describe themselves.
var failures = classify.New(classify.Own{Type: reflect.TypeFor[Verdictor](), Read: described})

// described is what an error says of itself. Inner tells that it is the end of an
// operation inside the one that is judged.
func described(err error) (v classify.Verdict, inner bool) {
	own := err.(Verdictor).RetryVerdict()
	return classify.Verdict{
		Category: classify.Category(own.Category), Effect: classify.Effect(own.Effect), Hint: classify.Hint(own.Hint),
		Type: own.Type, Code: own.Code, Answered: own.Answered,
	}, isInner(err)
}

// isInner reports whether an error that describes itself is the end of an operation
// inside the one that is judged: what was not sent there says nothing about what
// was done before it.
func isInner(err error) bool {
	switch e := err.(type) { //nolint:errorlint // the classifier walks the causes
	case *Error, *refusal:
		return true
	case interface{ Unwrap() error }:
		_, inner := e.Unwrap().(*Error) //nolint:errorlint // an adapter's own form of it
		return inner
	}
	return false
}

// verdict is a verdict in the words of this package.
func verdict(v classify.Verdict) Verdict {
	return Verdict{
		Category: Category(v.Category), Effect: Effect(v.Effect), Hint: Hint(v.Hint), Type: v.Type, Code: v.Code, Answered: v.Answered,
	}
}

// completed is the verdict on err with what it leaves open.
func (v Verdict) completed(err error) Verdict {
	if v.Category == "" {
		v.Category = Unknown
	}
	if v.Effect == "" {
		v.Effect = Maybe
	}
	if v.Type == "" {
		v.Type = failures.TypeName(err)
	}
	return v
}

// ClassifyHTTP classifies an answer that is no success. Now is the time of the
// answer, for dates in headers. For a 2xx status it returns the zero Verdict.
//
//   - 408 is [Timeout], 421 and 425 [Unsent], 429, 520 to 524 and 529 [Throttled].
//   - 503 is [Throttled] with Retry-After, else [Unavailable], like 5xx at large.
//   - 501, 505 and other 4xx are [Permanent]; 413 and 423 with Retry-After are
//     [Throttled].
//   - 3xx and everything else is [Unknown]: redirects are not followed.
//
// A readable Outlast-Retry header wins over all of that: "never" forbids a retry,
// a duration such as "30s" is the hint, and turns a permanent status into
// [Throttled]. Next comes X-Should-Retry or Stripe-Should-Retry: "false" forbids a
// retry, "true" turns a permanent status into [Unavailable]. Otherwise Retry-After
// is the hint, see [ParseRetryAfter], and for 429 the end of the window of a used-up
// rate limit: RateLimit with r=0 (draft-ietf-httpapi-ratelimit-headers-10),
// RateLimit-Reset or X-RateLimit-Reset.
//
// Source: RFC 9110 §10.2.3 and §15, RFC 6585, RFC 8470, and the statuses that
// Envoy, go-retryablehttp and the Google Cloud client libraries retry.
//
// Headers are an [net/http.Header]: names in their canonical form, with their values. The
// package does without net/http, which is most of a small program.
func ClassifyHTTP(status int, headers map[string][]string, now time.Time) Verdict {
	return verdict(classify.HTTP(status, headers, now))
}

// ParseRetryAfter returns the wait that the headers ask for, and whether they do.
// Retry-After may be a number of seconds or a date in one of the three forms of
// HTTP; a date is compared with the answer's own Date header, so that the clocks
// need not agree, and with now if there is none. Without a readable Retry-After,
// Retry-After-Ms and X-Amz-Retry-After are read, in milliseconds. Negative numbers
// and dates in the past give 0; numbers too large for a duration give the largest
// one.
func ParseRetryAfter(headers map[string][]string, now time.Time) (time.Duration, bool) {
	return classify.RetryAfter(headers, now)
}

// ClassifyGRPC classifies a gRPC status code. Hint is what the server asked for by
// RetryInfo or pushback, and hinted tells that it did, since a wait of 0 is one as
// well; it becomes one of a nanosecond. RESOURCE_EXHAUSTED is [Throttled] with such a hint, else [Permanent]:
// without one nobody knows whether the resource ever comes back. For OK it returns
// the zero Verdict, for numbers that are no code [Unknown].
func ClassifyGRPC(code uint32, hint Hint, hinted bool) Verdict {
	return verdict(classify.GRPC(code, classify.Hint(hint), hinted))
}

// CategoryOfType returns the category of an error type of Java, Python or Node,
// or of an errno name as Node uses them, by the last part of the name: packages,
// modules and outer classes do not matter. It is false for names that it does not
// know. Case matters.
func CategoryOfType(name string) (Category, bool) {
	c, known := classify.OfType(name)
	return Category(c), known
}

// Category says what kind of failure an attempt met. It decides whether and
// when the operation is retried.
type Category string

// The categories. Each comment names typical causes and the advice followed by a
// policy that has no rule of its own for the category.
const (
	// Permanent will fail again however often it is tried: bad request,
	// validation, not found, refused credentials, integrity violation. Never.
	Permanent Category = "permanent"
	// Canceled was stopped by the caller. Never.
	Canceled Category = "canceled"
	// Deadline has no time left. Never.
	Deadline Category = "deadline"
	// Unsent did not reach the receiver: dial refused, temporary DNS failure,
	// GOAWAY. Fast once, then by the policy.
	Unsent Category = "unsent"
	// Conflict lost against a concurrent operation: deadlock, serialization
	// failure, lock timeout, failed compare-and-swap. Fast, the whole unit again.
	Conflict Category = "conflict"
	// Network broke under way: reset, unexpected end, broken pipe. By the policy.
	Network Category = "network"
	// Timeout is an attempt that took too long. By the policy.
	Timeout Category = "timeout"
	// Throttled was refused because of too many requests. After the receiver's
	// hint, else after at least one second.
	Throttled Category = "throttled"
	// Unavailable is a receiver that cannot serve now: 502, 503, 504, starting
	// up, failing over. By the policy.
	Unavailable Category = "unavailable"
	// Local is a lack of resources on this side: descriptors, disk, memory. By
	// the policy, and somebody should be told.
	Local Category = "local"
	// Bug is a panic or a broken invariant. Durable tasks retry it by the policy.
	Bug Category = "bug"
	// Unknown is what nothing recognized. Durable tasks retry it by the policy.
	Unknown Category = "unknown"
)

// Effect says whether the failed attempt may have done its work, and so whether
// repeating an operation that is not idempotent would be safe.
type Effect string

const (
	// NotSent means the receiver certainly did not process the request.
	NotSent Effect = "not_sent"
	// Maybe means nobody knows.
	Maybe Effect = "maybe"
	// Done means the receiver processed the request and reported a failure.
	Done Effect = "done"
)

// Advice is what a category means to a policy without a rule for it, to circuit
// breakers and to retry budgets.
type Advice struct {
	// Retry tells whether a durable task is retried.
	Retry bool
	// Breaker tells whether the failure counts against the target's breaker.
	Breaker bool
	// Cost is the number of budget tokens that a retry takes. For [Unsent] it is
	// the price after the first retry, which is free while the target is healthy;
	// see [Budget.Price].
	Cost float64
}

// categoryAdvice lists the categories in the order of the documentation.
var categoryAdvice = []struct {
	category Category
	advice   Advice
}{
	{Permanent, Advice{}},
	{Canceled, Advice{}},
	{Deadline, Advice{}},
	{Unsent, Advice{Retry: true, Breaker: true, Cost: 1}},
	{Conflict, Advice{Retry: true, Cost: 0.1}},
	{Network, Advice{Retry: true, Breaker: true, Cost: 1}},
	{Timeout, Advice{Retry: true, Breaker: true, Cost: 1}},
	{Throttled, Advice{Retry: true, Cost: 0.4}},
	{Unavailable, Advice{Retry: true, Breaker: true, Cost: 1}},
	{Local, Advice{Retry: true, Cost: 1}},
	{Bug, Advice{Retry: true, Breaker: true, Cost: 1}},
	{Unknown, Advice{Retry: true, Breaker: true, Cost: 1}},
}

// Categories returns all categories in the order of the documentation. The
// caller owns the slice.
func Categories() []Category {
	all := make([]Category, len(categoryAdvice))
	for i, row := range categoryAdvice {
		all[i] = row.category
	}
	return all
}

// Valid reports whether c is one of [Categories].
func (c Category) Valid() bool {
	for _, row := range categoryAdvice {
		if row.category == c {
			return true
		}
	}
	return false
}

// Advice returns what c means by default. A category that is not one of
// [Categories], the empty one included, is treated as [Unknown].
func (c Category) Advice() Advice {
	for _, row := range categoryAdvice {
		if row.category == c {
			return row.advice
		}
	}
	return categoryAdvice[len(categoryAdvice)-1].advice
}

// Hint is what the receiver of a failed request asked for.
type Hint struct {
	// After is the earliest time of the next attempt, counted from the answer.
	// 0 means that the receiver did not say.
	After time.Duration
	// GiveUp means that the receiver forbids a retry.
	GiveUp bool
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
// An error that only says that a context ended, or a call or a transaction, does not
// tell by whom; when ctx has ended too, its cause decides, so that
// [ErrAttemptTimeout], [ErrDeadline] and a cancellation by the caller are told
// apart. What is certain about the effect stays: an attempt that timed out while
// it still dialed is [Unsent].
func ClassifyIn(ctx context.Context, err error) Verdict {
	v, _ := classifyIn(ctx, err)
	return v
}

// classifyIn is ClassifyIn, and what classify tells beside the verdict.
func classifyIn(ctx context.Context, err error) (v Verdict, told bool) {
	v, told = verdictOf(err)
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
// report that the call was canceled or ran out of time. A transaction of database/sql
// is rolled back when its context ends; what is asked of it then, its COMMIT too, fails
// as if the caller had ended it.
func isCancellation(v *Verdict) bool {
	if v.Type == classify.TxDone {
		return true
	}
	switch v.Code {
	case "CANCELLED", "DEADLINE_EXCEEDED", "57014", "1317", "3024", "1969", "SQLITE_INTERRUPT":
		return true
	}
	return false
}

// Failure is what [Policy.Decide] is asked about.
type Failure struct {
	// Attempt is the number of the attempt that failed, from 1. Less reads as 1.
	Attempt int
	Verdict Verdict
	// Err is needed only by [OnError], [OnType] and custom backoffs.
	Err error
	// PreviousDelay is the wait before the failed attempt, 0 for the first.
	PreviousDelay time.Duration
	// Now is the time of the failure.
	Now time.Time
	// Deadline is the end of the time for all attempts, zero for none.
	Deadline time.Time
	// Usual is the usual length of an attempt, 0 when unknown.
	Usual time.Duration
	// MaxAttempts replaces the policy's limit for this task; 0 keeps it.
	MaxAttempts int
	// Nested tells that the operation runs inside a repeated attempt of an outer
	// one. Only [Policy.Repeat] looks at it.
	Nested bool
}
