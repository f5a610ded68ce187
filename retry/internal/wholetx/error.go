package wholetx

import (
	"context"
	"errors"
	"strings"

	"github.com/outlast-dev/outlast/retry"
)

// ErrUnknownOutcome is matched by the error of a COMMIT after which nobody knows
// whether the transaction took place.
var ErrUnknownOutcome = errors.New("nobody knows whether the transaction was committed")

// Error is the end of a transaction that the database had a part in.
type Error struct {
	// Err is what the function, BEGIN or COMMIT returned. It is nil when the
	// function returned nil although the transaction had failed.
	Err error
	// First is the error of the database that comes before Err and is not part of
	// it: the function dropped it, or went on and got a less telling one.
	First error
	// Rollback is the error of the rollback, nil if it worked or there was none.
	// It is not among the causes.
	Rollback error
	// Unknown tells that COMMIT was sent and its outcome is not known. In every
	// other case nothing of the transaction has remained.
	Unknown bool

	safe bool // the database, or the end of the context, is the cause
}

// Error names the cause first.
func (e *Error) Error() string {
	var text string
	switch {
	case e.First != nil && e.Err != nil:
		text = e.First.Error() + "; the function went on, to: " + e.Err.Error()
	case e.First != nil:
		text = e.First.Error() + "; the function went on, but the transaction is rolled back"
	default:
		text = e.Err.Error()
	}
	if e.Unknown {
		text = ErrUnknownOutcome.Error() + ": " + text
	}
	if e.Rollback != nil {
		text += "; rollback: " + e.Rollback.Error()
	}
	return text
}

// Unwrap returns First and Err, those that are not nil.
func (e *Error) Unwrap() []error {
	causes := make([]error, 0, 2)
	for _, err := range []error{e.First, e.Err} {
		if err != nil {
			causes = append(causes, err)
		}
	}
	return causes
}

// Is matches [ErrUnknownOutcome].
func (e *Error) Is(target error) bool { return e.Unknown && target == ErrUnknownOutcome }

// RetryVerdict is the verdict on the cause, except for the effect: until COMMIT is
// sent nothing has happened.
func (e *Error) RetryVerdict() retry.Verdict {
	cause := e.First
	if cause == nil {
		cause = e.Err
	}
	v := retry.Classify(cause)
	switch {
	case e.safe && !e.Unknown:
		v.Effect = retry.NotSent
	case e.Unknown, v.Effect == retry.NotSent: // of a step of the function
		v.Effect = retry.Maybe
	}
	return v
}

// Begun is the end of an attempt whose BEGIN failed: there is no transaction.
func Begun(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Err: err, safe: true}
}

// RolledBack is the end of an attempt that was rolled back after the function had
// returned err, nil included. The error is err itself when the database has no
// part in it.
func (w *Watch) RolledBack(err, rollback error) error {
	e := &Error{Err: err, Rollback: rollback}
	broken, first := w.Broken(), w.First()
	switch {
	case broken != nil:
		e.safe = true
		if !holds(err, broken) {
			e.First = broken
		}
	case first != nil && isAborted(err):
		e.safe = true
		if !holds(err, first) {
			e.First = first
		}
	case holds(err, first), isContextEnd(err):
		e.safe = true
	case rollback == nil:
		return err
	}
	return e
}

// Committed is the end of an attempt whose COMMIT returned err.
func (w *Watch) Committed(err error) error {
	if err == nil {
		return nil
	}
	e := &Error{Err: err, safe: true}
	switch first := w.First(); {
	case isAborted(err):
		if !holds(err, first) {
			e.First = first
		}
	case w.sent():
		e.Unknown = retry.Classify(err).Effect == retry.Maybe
	}
	return e
}

// Ended is the end of an attempt in which the function ended the transaction
// itself, which takes the outcome out of our hands.
func Ended(how string, err error) error { return &endedError{how, err} }

type endedError struct {
	how   string
	cause error
}

func (e *endedError) Error() string {
	text := "the function has " + e.how + " the transaction itself"
	if e.cause != nil {
		text += ", and returned: " + e.cause.Error()
	}
	return text
}

func (e *endedError) Unwrap() error { return e.cause }

// RetryVerdict implements [retry.Verdictor].
func (e *endedError) RetryVerdict() retry.Verdict {
	return retry.Verdict{Category: retry.Permanent, Effect: retry.Done, Type: "retrysql"}
}

// isAborted reports the errors that PostgreSQL and its drivers give instead of the
// one that made the transaction fail: for a statement in a failed transaction, and
// for a COMMIT that became a ROLLBACK. Those of the drivers have no type.
func isAborted(err error) bool {
	if err == nil {
		return false
	}
	if failed, ok := errors.AsType[interface {
		error
		SQLState() string
	}](err); ok {
		return failed.SQLState() == "25P02"
	}
	for ; ; err = errors.Unwrap(err) {
		switch {
		case err == nil:
			return false
		case abortedTexts[strings.ToLower(err.Error())]:
			return true
		}
	}
}

// abortedTexts are all that the errors of the drivers without a type say: pgx, and
// lib/pq. Somebody else's text may quote them.
var abortedTexts = map[string]bool{
	"commit unexpectedly resulted in rollback":                 true,
	"pq: could not complete operation in a failed transaction": true,
}

func isContextEnd(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
