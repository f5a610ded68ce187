package sim

import (
	"errors"

	"github.com/outlast-dev/outlast/retry"
)

// How attempts end in the models. Servers answer with pointers to these.
var (
	unavailable = retry.Verdict{Category: retry.Unavailable, Effect: retry.Done, Type: "http", Code: "503"}
	overloaded  = retry.Verdict{Category: retry.Unavailable, Effect: retry.NotSent, Type: "http", Code: "503"}
	broken      = retry.Verdict{Category: retry.Network, Effect: retry.Maybe, Type: "*net.OpError", Code: "ECONNRESET"}
	refused     = retry.Verdict{Category: retry.Unsent, Effect: retry.NotSent, Type: "*net.OpError", Code: "ECONNREFUSED"}
	conflict    = retry.Verdict{Category: retry.Conflict, Effect: retry.NotSent}
	timedOut    = retry.Verdict{Category: retry.Timeout, Effect: retry.Maybe}
	expired     = retry.Verdict{Category: retry.Deadline, Effect: retry.Maybe}
	canceled    = retry.Verdict{Category: retry.Canceled, Effect: retry.Maybe}
)

// reason is why a call failed. They are counted, and shown in this order.
type reason uint8

const (
	denyNothing reason = iota
	denyAttempts
	denyBudget
	denyBreaker
	denyThrottle
	denyLimit
	denyTime
	denyUnsafe
	denyOuter
	denyPermanent
	denyRejected
	denyCanceled
	reasons
)

// String is the name in reports.
func (r reason) String() string {
	return [...]string{
		"", "attempts", "budget", "breaker", "throttle", "limit", "no_time", "unsafe", "outer_retry",
		"permanent", "rejected", "canceled",
	}[r]
}

// reasonErrors are the reasons of [retry.Policy.Repeat].
var reasonErrors = [...]struct {
	err    error
	reason reason
}{
	{retry.ErrAttempts, denyAttempts},
	{retry.ErrPermanent, denyPermanent},
	{retry.ErrNoTime, denyTime},
	{retry.ErrUnsafe, denyUnsafe},
	{retry.ErrNested, denyOuter},
}

// reasonOf is the reason why [retry.Policy.Repeat] refused.
func reasonOf(err error) reason {
	for _, known := range reasonErrors {
		if errors.Is(err, known.err) {
			return known.reason
		}
	}
	return denyRejected
}

// stopError is the error of a [retry.Decision]'s reason.
func stopError(reason string) error {
	switch reason {
	case retry.ReasonExhausted:
		return retry.ErrAttempts
	case retry.ReasonPermanent:
		return retry.ErrPermanent
	case retry.ReasonExpired:
		return retry.ErrNoTime
	}
	return retry.ErrRejected
}
