// Package strictjson reads one JSON object into a struct, and says all at once what is wrong
// with it: keys that are unknown, with the nearest known one, keys given twice, values of
// another kind. Errors are joined [retry.FieldError] values.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Findings collects what is wrong with a document. The zero value is ready.
type Findings struct{ errs []error }

// Refuse adds what is wrong with a field.
func (f *Findings) Refuse(field, hint, format string, args ...any) {
	f.errs = append(f.errs, &retry.FieldError{Field: field, Message: fmt.Sprintf(format, args...), Hint: hint})
}

// Add adds what another check has found, and nothing of nil.
func (f *Findings) Add(err error) {
	if err != nil {
		f.errs = append(f.errs, err)
	}
}

// Err is all that was found, nil for nothing.
func (f *Findings) Err() error { return errors.Join(f.errs...) }

// Object reads one JSON object into the struct that into points to. A null is as if it
// were absent.
func Object(data []byte, into any) error {
	var f Findings
	if !utf8.Valid(data) {
		f.Refuse("", "", "is not valid UTF-8")
		return f.Err()
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		f.Refuse("", "write one JSON object", "is no JSON object")
		return f.Err()
	}
	target := reflect.ValueOf(into).Elem()
	fields, seen := fieldsOf(target.Type()), map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			f.Refuse("", "", "is no JSON: %s", err)
			return f.Err()
		}
		key, _ := token.(string)
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			f.Refuse("", "", "is no JSON: %s", err)
			return f.Err()
		}
		index, known := fields[key]
		switch {
		case !known:
			f.Refuse(key, nearestKey(key, fields), "%s is no known key", task.Quote(key))
		case seen[key]:
			f.Refuse(key, "remove one of them", "is given twice")
		default:
			seen[key] = true
			f.field(key, value, target.Field(index))
		}
	}
	if _, err := decoder.Token(); err != nil {
		f.Refuse("", "", "is no JSON: %s", err)
	} else if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		f.Refuse("", "", "something follows the object")
	}
	return f.Err()
}

func (f *Findings) field(key string, value json.RawMessage, into reflect.Value) {
	if string(value) == "null" {
		return // as if it were absent
	}
	err := json.Unmarshal(value, into.Addr().Interface())
	if err == nil {
		return
	}
	if field, ok := errors.AsType[*retry.FieldError](err); ok {
		f.Refuse(key, field.Hint, "%s", field.Message)
		return
	}
	f.Refuse(key, "", "must be %s", kindOf(into.Type()))
}

func kindOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[*retry.Duration]():
		return `a duration such as "5m"`
	case t.Kind() == reflect.Pointer:
		return kindOf(t.Elem())
	case t.Kind() == reflect.Slice:
		return "a list of " + kindOf(t.Elem()) + "s"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Int:
		return "a whole number"
	}
	return "a text"
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

// fieldsOf is the index of every field by its JSON name.
func fieldsOf(t reflect.Type) map[string]int {
	fields := map[string]int{}
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "" && name != "-" {
			fields[name] = i
		}
	}
	return fields
}

func nearestKey(key string, fields map[string]int) string {
	known := make([]string, 0, len(fields))
	for name := range fields {
		known = append(known, name)
	}
	slices.Sort(known)
	if near := hints.Nearest(key, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "known keys: " + strings.Join(known, ", ")
}

// Nearest is what to write instead of a text that is none of those possible.
func Nearest(text string, known []string) string {
	if near := hints.Nearest(text, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "one of " + strings.Join(known, ", ")
}
