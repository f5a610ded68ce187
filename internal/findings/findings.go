// Package findings collects what is wrong with a document, so that its author learns it at
// once, and reads documents of one JSON object in that way. Errors are joined
// [retry.FieldError] values.
package findings

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/retry"
)

// List is what was found. The zero value is ready.
type List struct{ errs []error }

// Refuse adds what is wrong with a field.
func (l *List) Refuse(field, hint, format string, args ...any) {
	l.errs = append(l.errs, &retry.FieldError{Field: field, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// Add adds what another check has found, and nothing of nil.
func (l *List) Add(err error) {
	if err != nil {
		l.errs = append(l.errs, err)
	}
}

// Err is all that was found, nil for nothing.
func (l *List) Err() error { return errors.Join(l.errs...) }

// Object reads one JSON object into the struct that into points to. Null is what one in
// it is taken for; the object itself must be there.
func Object(data []byte, into any, null strictjson.Null) error {
	var l List
	if string(bytes.TrimSpace(data)) == "null" {
		null = strictjson.Refused
	}
	for _, c := range strictjson.Read(data, into, "", &strictjson.Options{Deepest: 64, Null: null, Explain: Explain}) {
		l.Refuse(c.Path, c.Hint, "%s", c.Message)
	}
	return l.Err()
}

// Explain takes apart what a type says of a text.
func Explain(err error) (message, hint string) {
	if known, ok := errors.AsType[*retry.FieldError](err); ok {
		return known.Message, known.Hint
	}
	if _, ok := errors.AsType[*time.ParseError](err); ok {
		return "is not a time", "write it as 2026-11-20T03:00:00Z"
	}
	return err.Error(), ""
}

// Whole reports whether an error is about a document as a whole, so that
// nothing can be said about its fields.
func Whole(err error) bool {
	for _, field := range retry.FieldErrors(err) {
		if field.Field == "" {
			return true
		}
	}
	return false
}

// Nearest is what to write instead of a text that is none of those possible.
func Nearest(text string, known []string) string {
	if near := hints.Nearest(text, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "one of " + strings.Join(known, ", ")
}
