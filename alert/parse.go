package alert

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

// findings collects what is wrong with a document. The zero value is ready.
type findings struct{ errs []error }

func (f *findings) refuse(field, hint, format string, args ...any) {
	f.errs = append(f.errs, &retry.FieldError{Field: field, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (f *findings) err() error { return errors.Join(f.errs...) }

// decode reads one JSON object into a struct: unknown keys are refused with
// the nearest known one, keys given twice too, all at once.
func decode(data []byte, into any) error {
	var f findings
	if !utf8.Valid(data) {
		f.refuse("", "", "is not valid UTF-8")
		return f.err()
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	if token, err := decoder.Token(); err != nil || token != json.Delim('{') {
		f.refuse("", "write one JSON object", "is no JSON object")
		return f.err()
	}
	target := reflect.ValueOf(into).Elem()
	fields, seen := fieldsOf(target.Type()), map[string]bool{}
	for decoder.More() {
		token, err := decoder.Token()
		if err != nil {
			f.refuse("", "", "is no JSON: %s", err)
			return f.err()
		}
		key, _ := token.(string)
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			f.refuse("", "", "is no JSON: %s", err)
			return f.err()
		}
		index, known := fields[key]
		switch {
		case !known:
			f.refuse(key, nearest(key, fields), "%s is no known key", task.Quote(key))
		case seen[key]:
			f.refuse(key, "remove one of them", "is given twice")
		default:
			seen[key] = true
			f.field(key, value, target.Field(index))
		}
	}
	if _, err := decoder.Token(); err != nil {
		f.refuse("", "", "is no JSON: %s", err)
	} else if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		f.refuse("", "", "something follows the object")
	}
	return f.err()
}

func (f *findings) field(key string, value json.RawMessage, into reflect.Value) {
	if string(value) == "null" {
		return // as if it were absent
	}
	err := json.Unmarshal(value, into.Addr().Interface())
	if err == nil {
		return
	}
	if field, ok := errors.AsType[*retry.FieldError](err); ok {
		f.refuse(key, field.Hint, "%s", field.Message)
		return
	}
	f.refuse(key, "", "must be %s", kindOf(into.Type()))
}

func kindOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[*Duration]():
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

// whole reports whether an error is about a document as a whole, so that
// nothing can be said about its fields.
func whole(err error) bool {
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

func nearest(key string, fields map[string]int) string {
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

// nearestOf is what to write instead of a text that is none of those possible.
func nearestOf(text string, known []string) string {
	if near := hints.Nearest(text, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "one of " + strings.Join(known, ", ")
}

// checkName checks the name of a rule or channel.
func (f *findings) checkName(path, name string) {
	const hint = "names have 1 to 64 of the characters A-Z a-z 0-9 . _ -"
	switch {
	case name == "":
		f.refuse(path, hint, "is required")
	case len(name) > maxName:
		f.refuse(path, hint, "has %d characters; %d are the limit", len(name), maxName)
	case strings.ContainsFunc(name, notInName):
		f.refuse(path, hint, "%s has a character that is not possible", task.Quote(name))
	}
}

// maxName is the length of names of rules and channels: they are parts of
// the names of types and objects.
const maxName = 64

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '_' && r != '-'
}
