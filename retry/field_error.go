package retry

import (
	"errors"
	"fmt"
)

// FieldError is one refused value of a policy. Several are joined with
// [errors.Join]; [FieldErrors] takes them apart.
type FieldError struct {
	// Field is the path, such as "backoff.multiplier" or "rules[1].when[0]". It
	// is empty when the document as a whole is refused.
	Field string
	// Message names the value and the accepted range.
	Message string
	// Hint says what to write instead. It may be empty.
	Hint string
}

// Error returns field, message and hint in one line.
func (e *FieldError) Error() string {
	text := e.Message
	if e.Field != "" {
		text = e.Field + ": " + text
	}
	if e.Hint != "" {
		text += " (" + e.Hint + ")"
	}
	return text
}

// FieldErrors returns the field errors inside err in the order in which they were
// found, none when there are none.
func FieldErrors(err error) []*FieldError {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*FieldError
		for _, one := range joined.Unwrap() {
			all = append(all, FieldErrors(one)...)
		}
		return all
	}
	if field, ok := errors.AsType[*FieldError](err); ok {
		return []*FieldError{field}
	}
	return nil
}

// findings collects field errors during a check. The zero value is ready.
type findings struct{ errs []error }

// refuse records that the value of a field is not accepted.
func (f *findings) refuse(field, hint, format string, args ...any) {
	f.errs = append(f.errs, &FieldError{Field: field, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (f *findings) err() error { return errors.Join(f.errs...) }
