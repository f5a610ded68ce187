package world

import (
	"errors"

	"github.com/outlast-dev/outlast/retry"
)

// How attempts end in the models. Servers answer with pointers to these.
var (
	Unavailable = retry.Verdict{Category: retry.Unavailable, Effect: retry.Done, Type: "http", Code: "503"}
	Overloaded  = retry.Verdict{Category: retry.Unavailable, Effect: retry.NotSent, Type: "http", Code: "503"}
	Broken      = retry.Verdict{Category: retry.Network, Effect: retry.Maybe, Type: "*net.OpError", Code: "ECONNRESET"}
	Refused     = retry.Verdict{Category: retry.Unsent, Effect: retry.NotSent, Type: "*net.OpError", Code: "ECONNREFUSED"}
	Conflict    = retry.Verdict{Category: retry.Conflict, Effect: retry.NotSent}
	TimedOut    = retry.Verdict{Category: retry.Timeout, Effect: retry.Maybe}
	Expired     = retry.Verdict{Category: retry.Deadline, Effect: retry.Maybe}
	Canceled    = retry.Verdict{Category: retry.Canceled, Effect: retry.Maybe}
)

// Reason is why a call failed. They are counted, and shown in this order.
type Reason uint8

const (
	DenyNothing Reason = iota
	DenyAttempts
	DenyBudget
	DenyBreaker
	DenyThrottle
	DenyLimit
	DenyTime
	DenyUnsafe
	DenyOuter
	DenyPermanent
	DenyRejected
	DenyCanceled
	reasons
)

// String is the name in reports.
func (r Reason) String() string {
	return [...]string{
		"", "attempts", "budget", "breaker", "throttle", "limit", "no_time", "unsafe", "outer_retry",
		"permanent", "rejected", "canceled",
	}[r]
}

// reasonErrors are the reasons of [retry.Policy.Repeat].
var reasonErrors = [...]struct {
	err    error
	reason Reason
}{
	{retry.ErrAttempts, DenyAttempts},
	{retry.ErrPermanent, DenyPermanent},
	{retry.ErrNoTime, DenyTime},
	{retry.ErrUnsafe, DenyUnsafe},
	{retry.ErrNested, DenyOuter},
}

// reasonOf is the reason why [retry.Policy.Repeat] refused.
func reasonOf(err error) Reason {
	for _, known := range reasonErrors {
		if errors.Is(err, known.err) {
			return known.reason
		}
	}
	return DenyRejected
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
