package schedule

import (
	"encoding"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/retry"
)

// CheckForm looks at a schedule in the form of the API: unknown keys and values of
// the wrong form are refused all at once, as joined [retry.FieldError] values. What
// the values say is checked by [Schedule.Check]; payloads are the caller's.
func CheckForm(document []byte) error {
	var value any
	if err := json.Unmarshal(document, &value); err != nil {
		return &retry.FieldError{Message: "is no JSON: " + err.Error()}
	}
	var f form
	f.value("", value, reflect.TypeFor[body]())
	return errors.Join(f.wrong...)
}

// form collects what is wrong with a document.
type form struct{ wrong []error }

func (f *form) refuse(path, message, hint string) {
	f.wrong = append(f.wrong, &retry.FieldError{Field: path, Message: message, Hint: hint})
}

var (
	rawType  = reflect.TypeFor[json.RawMessage]()
	textType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

func (f *form) value(path string, value any, t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == rawType:
	case t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(textType):
		f.object(path, value, t)
	default:
		text, _ := json.Marshal(value) // it was read from JSON
		if json.Unmarshal(text, reflect.New(t).Interface()) != nil {
			f.refuse(path, "must be "+kindOf(t), "")
		}
	}
}

func (f *form) object(path string, value any, t reflect.Type) {
	object, ok := value.(map[string]any)
	if !ok {
		f.refuse(path, "must be an object", "")
		return
	}
	known := map[string]reflect.Type{}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		known[name] = t.Field(i).Type
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		below := key
		if path != "" {
			below = path + "." + key
		}
		if known[key] == nil {
			f.refuse(below, "unknown key", nearest(key, slices.Sorted(maps.Keys(known))))
			continue
		}
		f.value(below, object[key], known[key])
	}
}

func nearest(key string, known []string) string {
	if near := hints.Nearest(key, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "known keys are " + strings.Join(known, ", ")
}

// kindOf is what a value should have been.
func kindOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[duration]():
		return "a duration such as \"5m\""
	case t == reflect.TypeFor[time.Time]():
		return "a time such as 2026-11-20T03:00:00Z"
	case t.Kind() == reflect.Int:
		return "a whole number"
	case t.Kind() == reflect.Map:
		return "an object of texts"
	}
	return "a text"
}
