package server

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/task"
)

// The limits of a JSON body beside its size.
const (
	maxDepth      = 64
	maxComplaints = 20
	maxList       = 10_000 // entries of a list
)

// bodyPath is the path of complaints about a body as a whole.
const bodyPath = "body"

// fieldsHint is for complaints that say all there is to say.
const fieldsHint = "the fields and their forms are listed at /openapi.json"

// decode reads one JSON value into the value that out points to. It is
// stricter than [encoding/json]: names are case-sensitive, unknown and
// repeated names, data after the value, NUL and lone surrogates in texts and
// nesting deeper than 64 are refused, and every complaint has its path.
//
// A [json.RawMessage] is kept byte for byte. Inside it only the form is
// checked, since it belongs to the caller, unless its field has the tag
// strict:"true".
func decode(data []byte, out any, path string) error {
	d := &decoder{scanner: scanner{data: data}}
	if err := d.document(reflect.ValueOf(out).Elem(), path); err != nil {
		return err
	}
	if len(d.fields) > 0 {
		if d.hint == "" {
			d.hint = fieldsHint
		}
		return &task.Error{Code: task.CodeInvalid, Message: "the request body is not valid", Fields: d.fields, Hint: d.hint}
	}
	return nil
}

type decoder struct {
	scanner
	fields []task.Field
	hint   string
}

func (d *decoder) document(out reflect.Value, path string) error {
	if len(d.data) == 0 {
		if path == "" {
			path = bodyPath
		}
		return task.Invalid(path, "the request body is empty", "send a JSON object")
	}
	if err := d.value(out, path); err != nil {
		return err
	}
	d.space()
	if d.pos < len(d.data) {
		return d.malformed("data after the JSON value")
	}
	return nil
}

func (d *decoder) complain(path, format string, args ...any) {
	if path == "" {
		path = bodyPath
	}
	if len(d.fields) < maxComplaints {
		d.fields = append(d.fields, task.Field{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

var (
	rawType  = reflect.TypeFor[json.RawMessage]()
	textType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// value decodes the next value. It returns an error only where the JSON
// itself is broken; what does not fit is a complaint, and is skipped.
func (d *decoder) value(out reflect.Value, path string) error {
	d.space()
	if out.Type() == rawType {
		start := d.pos
		if err := d.skip(nil, path); err != nil {
			return err
		}
		out.SetBytes(d.data[start:d.pos:d.pos])
		return nil
	}
	if d.peek() == 'n' {
		return d.skip(nil, path) // null is the same as absent
	}
	if out.CanAddr() && reflect.PointerTo(out.Type()).Implements(textType) {
		return d.text(out.Addr().Interface().(encoding.TextUnmarshaler), path)
	}
	switch out.Kind() {
	case reflect.Pointer:
		out.Set(reflect.New(out.Type().Elem()))
		return d.value(out.Elem(), path)
	case reflect.Struct:
		return d.object(out, path)
	case reflect.Map:
		return d.mapping(out, path)
	case reflect.Slice:
		return d.list(out, path)
	case reflect.String:
		text, ok, err := d.expectString(path, "a string")
		if ok {
			out.SetString(text)
		}
		return err
	case reflect.Bool:
		return d.boolean(out, path)
	default:
		return d.number(out, path)
	}
}

// wrong complains that another kind of value was expected, and skips it.
func (d *decoder) wrong(path, want string) error {
	d.complain(path, "must be %s, not %s", want, d.kind())
	return d.skip(nil, path)
}

func (d *decoder) expectString(path, want string) (string, bool, error) {
	if d.peek() != '"' {
		return "", false, d.wrong(path, want)
	}
	text, flaw, err := d.str()
	if err != nil {
		return "", false, err
	}
	if flaw != "" {
		d.complain(path, "%s", flaw)
		return "", false, nil
	}
	return text, true, nil
}

func (d *decoder) text(out encoding.TextUnmarshaler, path string) error {
	text, ok, err := d.expectString(path, "a string")
	if !ok {
		return err
	}
	if err := out.UnmarshalText([]byte(text)); err != nil {
		if known, ok := err.(*task.Error); ok { //nolint:errorlint // our own types return it bare
			d.complain(path, "%s", known.Message)
			d.advise(known.Hint)
		} else {
			d.complain(path, "%s", err.Error())
		}
	}
	return nil
}

func (d *decoder) boolean(out reflect.Value, path string) error {
	c := d.peek()
	if c != 't' && c != 'f' {
		return d.wrong(path, "true or false")
	}
	out.SetBool(c == 't')
	return d.skip(nil, path)
}

func (d *decoder) number(out reflect.Value, path string) error {
	want := "a number"
	if out.CanInt() {
		want = "an integer"
	}
	if c := d.peek(); c != '-' && (c < '0' || c > '9') {
		return d.wrong(path, want)
	}
	start := d.pos
	if err := d.skip(nil, path); err != nil {
		return err
	}
	text := string(d.data[start:d.pos])
	if out.CanInt() {
		n, err := strconv.ParseInt(text, 10, out.Type().Bits())
		if err != nil {
			d.complain(path, "must be an integer in range, not %s", task.Quote(text))
			return nil
		}
		out.SetInt(n)
		return nil
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		d.complain(path, "must be a number in range, not %s", task.Quote(text))
		return nil
	}
	out.SetFloat(f)
	return nil
}

// entries walks an object. The function decodes the value of one name.
func (d *decoder) entries(path string, each func(name, path string) error) error {
	if d.peek() != '{' {
		return d.wrong(path, "an object")
	}
	return d.members(func(name, flaw string) error {
		below := join(path, name)
		if flaw != "" {
			d.complain(path, "a name in it %s", flaw)
			return d.skip(nil, path)
		}
		return each(name, below)
	})
}

func (d *decoder) object(out reflect.Value, path string) error {
	shape := shapeOf(out.Type())
	var seen uint64
	return d.entries(path, func(name, below string) error {
		field, known := shape.fields[name]
		if !known {
			d.complain(printable(below), "unknown field%s", shape.nearest(name))
			return d.skip(nil, path)
		}
		if seen&(1<<field.bit) != 0 {
			d.complain(below, "is given twice")
			return d.skip(nil, path)
		}
		seen |= 1 << field.bit
		if field.strict {
			start := d.pos
			if err := d.skip(d, below); err != nil {
				return err
			}
			d.pos = start
		}
		return d.field(out.Field(field.index), &field, below)
	})
}

// field decodes the value of a field. A zero that somebody wrote is refused
// where it would read as absent, see shapeField.given.
func (d *decoder) field(out reflect.Value, field *shapeField, path string) error {
	d.space()
	null, before := d.peek() == 'n', len(d.fields)
	err := d.value(out, path)
	if err != nil || field.given == "" || null || len(d.fields) > before || !out.IsZero() {
		return err
	}
	if out.Kind() == reflect.String || out.Kind() == reflect.Slice {
		d.complain(path, "is empty")
	} else {
		d.complain(path, "must be more than 0")
	}
	d.advise(field.given)
	return nil
}

// advise adds to the hint.
func (d *decoder) advise(hint string) {
	switch {
	case d.hint == "":
		d.hint = hint
	case !strings.Contains(d.hint, hint):
		d.hint += "; " + hint
	}
}

func (d *decoder) mapping(out reflect.Value, path string) error {
	result := reflect.MakeMap(out.Type())
	out.Set(result)
	return d.entries(path, func(name, below string) error {
		key := reflect.ValueOf(name)
		if result.MapIndex(key).IsValid() {
			d.complain(printable(below), "is given twice")
			return d.skip(nil, path)
		}
		element := reflect.New(out.Type().Elem()).Elem()
		if d.space(); d.peek() == 'n' {
			return d.wrong(printable(below), "a string")
		}
		if err := d.value(element, printable(below)); err != nil {
			return err
		}
		result.SetMapIndex(key, element)
		return nil
	})
}

func (d *decoder) list(out reflect.Value, path string) error {
	if d.peek() != '[' {
		return d.wrong(path, "a list")
	}
	return d.elements(func(i int) error {
		if i >= maxList { // a long list of short entries would take far more memory than the body
			if i == maxList {
				d.complain(path, "has more than %d entries", maxList)
			}
			return d.skip(nil, path)
		}
		element := reflect.New(out.Type().Elem()).Elem()
		err := d.value(element, path+"["+strconv.Itoa(i)+"]")
		out.Set(reflect.Append(out, element))
		return err
	})
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// printable makes a path that contains a name from outside fit for logs.
func printable(path string) string {
	quoted := task.Quote(path)
	return quoted[1 : len(quoted)-1]
}

// shape is what an object of a type may contain.
type shape struct {
	fields map[string]shapeField
	names  []string
}

type shapeField struct {
	index, bit int
	strict     bool
	given      string // hint for a zero that was written out; "" where zero is a value like any other
}

var shapes sync.Map // reflect.Type → *shape

func shapeOf(t reflect.Type) *shape {
	if known, ok := shapes.Load(t); ok {
		return known.(*shape)
	}
	made := &shape{fields: make(map[string]shapeField)}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && name != "-" {
			made.fields[name] = shapeField{i, len(made.names), t.Field(i).Tag.Get("strict") != "", t.Field(i).Tag.Get("given")}
			made.names = append(made.names, name)
		}
	}
	shapes.Store(t, made)
	return made
}

func (s *shape) nearest(name string) string {
	best, distance := "", 3
	for _, known := range s.names {
		if strings.EqualFold(known, name) {
			return fmt.Sprintf("; names are case-sensitive: %s", known)
		}
		if n := hints.Edits(known, name, distance); n < distance && n < len(known) {
			best, distance = known, n
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}
