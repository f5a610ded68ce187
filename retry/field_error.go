package retry

import (
	"errors"
	"time"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/retry/internal/plainfmt"
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
	f.errs = append(f.errs, &FieldError{Field: field, Message: plainfmt.Sprintf(format, args...), Hint: hint})
}

func (f *findings) err() error { return errors.Join(f.errs...) }

// within refuses numbers outside a range, which includes its upper end, and its
// lower end if closed says so.
func within(f *findings, field string, x, low, high float64, closed bool) {
	if x > low && x <= high || closed && x == low {
		return
	}
	above := "above "
	if closed {
		above = ""
	}
	f.refuse(field, "", "%v is outside %s%v to %.15g", x, above, low, high)
}

// countWithin refuses whole numbers outside a closed range.
func countWithin(f *findings, field string, n, low, high int) {
	if n < low || n > high {
		f.refuse(field, "", "%d is outside %d to %d", n, low, high)
	}
}

// lasting refuses durations outside a closed range.
func lasting(f *findings, field string, d, low, high time.Duration) {
	if d < low || d > high {
		f.refuse(field, "", "%v is outside %v to %v", d, low, high)
	}
}

// didYouMean is the hint with the known name nearest to a misspelled one, or "".
func didYouMean(name string, known []string) string {
	if near := hints.Nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}
