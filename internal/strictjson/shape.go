package strictjson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
	"sync"

	"github.com/outlast-dev/outlast/internal/hints"
)

// form is how values of a type are read.
type form int

const (
	formObject form = iota
	formMap
	formList
	formPointer
	formRaw
	formText // by UnmarshalText
	formString
	formBool
	formWhole
	formNumber
)

// shape is what is known of a type.
type shape struct {
	form   form
	wanted string // how its values are called
	fields map[string]*field
	names  []string
}

// field is a member that an object may have.
type field struct {
	name   string
	index  int
	bit    uint64
	strict bool   // a raw value is checked as one that is read
	number bool   // a number in the place of a text is that text
	given  string // hint for a zero that was written out; "" where zero is a value like any other
	tag    reflect.StructTag
}

var shapes sync.Map // reflect.Type → *shape

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	made := makeShape(t)
	shapes.Store(t, made)
	return made
}

func makeShape(t reflect.Type) *shape {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return &shape{form: formRaw}
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		article := "a "
		name := strings.ToLower(t.Name()) // duration, time, id
		if strings.ContainsAny(name[:1], "aeiou") {
			article = "an "
		}
		return &shape{form: formText, wanted: article + name}
	}
	switch t.Kind() {
	case reflect.Struct:
		return objectShape(t)
	case reflect.Map:
		return &shape{form: formMap, wanted: "an object"}
	case reflect.Slice:
		return &shape{form: formList, wanted: "a list"}
	case reflect.Pointer:
		return &shape{form: formPointer}
	case reflect.String:
		return &shape{form: formString, wanted: "a text"}
	case reflect.Bool:
		return &shape{form: formBool, wanted: "true or false"}
	case reflect.Float64:
		return &shape{form: formNumber, wanted: "a number"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &shape{form: formWhole, wanted: "a whole number"}
	}
	panic("strictjson: no JSON is read into " + t.String()) // a mistake in a type of ours
}

// objectShape has the fields that have a name in JSON. They are fewer than 64.
func objectShape(t reflect.Type) *shape {
	s := &shape{form: formObject, wanted: "an object", fields: make(map[string]*field)}
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		if name := Name(t.Field(i)); name != "" {
			s.fields[name] = &field{name, i, 1 << len(s.names), tag.Get("strict") != "", tag.Get("number") != "", tag.Get("given"), tag}
			s.names = append(s.names, name)
		}
	}
	return s
}

// Name is the name of a field in JSON, "" for one that is not there.
func Name(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	return name
}

// Names are the names that an object of a type may have.
func Names(t reflect.Type) []string { return shapeOf(t).names }

// otherwise is what to do about a value of another kind, which begins with c.
func (s *shape) otherwise(c byte) string {
	switch {
	case s.wanted == "a duration":
		return "write it with units, such as 1.5s"
	case s.form == formString && (isNumber(c) || c == 't' || c == 'f'):
		return "put it into quotes if it is one"
	}
	return ""
}

// hint says what to write instead of a name that is unknown.
func (s *shape) hint(name, known string) string {
	near := hints.Nearest(name, s.names)
	switch {
	case near == "" && known != "":
		return known
	case near == "":
		return "known keys are " + strings.Join(s.names, ", ")
	case strings.EqualFold(near, name):
		return "did you mean " + near + "? Names are case-sensitive"
	}
	return "did you mean " + near + "?"
}
