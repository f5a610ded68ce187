package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// decoder fills a [Config] from a tree.
type decoder struct{ *tree }

var (
	durationType = reflect.TypeFor[Duration]()
	policyType   = reflect.TypeFor[*policy.Policy]()
	typeType     = reflect.TypeFor[*policy.Type]()
)

func (d *decoder) refuse(path, hint, format string, args ...any) {
	d.tree.refuse(d.line(path), path, hint, format, args...)
}

// key is the name of a field in the file.
func key(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// defaults fills a struct with its defaults.
func (d *decoder) defaults(out reflect.Value) {
	for i := range out.NumField() {
		field := out.Type().Field(i)
		if field.Type.Kind() == reflect.Struct {
			d.defaults(out.Field(i))
		}
		if text, given := field.Tag.Lookup("default"); given {
			d.scalar("", plain(field.Type, text), out.Field(i), field.Tag)
		}
	}
}

// plain is a default in the form that YAML has it.
func plain(of reflect.Type, text string) any {
	switch {
	case of == durationType || of.Kind() == reflect.String:
		return text
	case of.Kind() == reflect.Bool:
		return text == "true"
	}
	return json.Number(text)
}

// object fills a struct from a mapping; no mapping at all is an empty one.
func (d *decoder) object(path string, value any, out reflect.Value) {
	object, ok := value.(map[string]any)
	if !ok {
		if value != nil {
			d.refuse(path, "", "an object is wanted, not %s", kindOf(value))
		}
		return
	}
	fields := map[string]int{}
	for i := range out.NumField() {
		fields[key(out.Type().Field(i))] = i
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		below := join(path, name)
		i, known := fields[name]
		switch {
		case known:
			d.value(below, object[name], out.Field(i), out.Type().Field(i).Tag)
		default:
			d.refuse(below, nearest(name, slices.Sorted(maps.Keys(fields))), "unknown key")
		}
	}
}

func nearest(name string, known []string) string {
	if near := hints.Nearest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return "known keys are " + strings.Join(known, ", ")
}

func (d *decoder) value(path string, value any, out reflect.Value, tag reflect.StructTag) {
	switch {
	case out.Type() == policyType:
		d.policy(path, value, out)
	case out.Type() == typeType:
		made, err := policy.ParseType(encoded(value))
		d.fieldErrors(path, err)
		out.Set(reflect.ValueOf(made))
	case out.Type() == partsType:
		d.parts(path, value, out)
	case out.Kind() == reflect.Struct:
		d.object(path, value, out)
	case out.Kind() == reflect.Map:
		d.mapping(path, value, out, tag)
	case out.Kind() == reflect.Slice:
		d.list(path, value, out, tag)
	case out.Kind() == reflect.Pointer:
		made := reflect.New(out.Type().Elem())
		d.scalar(path, value, made.Elem(), tag)
		out.Set(made)
	default:
		d.scalar(path, value, out, tag)
	}
}

// policy reads a named policy, in the way in which it is read everywhere.
func (d *decoder) policy(path string, value any, out reflect.Value) {
	name := path[strings.Index(path, ".")+1:]
	made, err := policy.Parse(name, encoded(value))
	d.fieldErrors(path, err)
	out.Set(reflect.ValueOf(made))
}

// fieldErrors takes over what a section of another package says of its part.
func (d *decoder) fieldErrors(path string, err error) {
	for _, field := range retry.FieldErrors(err) {
		at := path
		if field.Field != "" && field.Field != "name" {
			at = join(path, field.Field)
		}
		d.refuse(at, field.Hint, "%s", field.Message)
	}
}

// encoded is a value as JSON. A mapping that was left empty is an empty object.
func encoded(value any) []byte {
	if value == nil {
		return []byte("{}")
	}
	text, err := json.Marshal(value)
	if err != nil {
		return nil // numbers were checked when they were read
	}
	return text
}

func (d *decoder) mapping(path string, value any, out reflect.Value, tag reflect.StructTag) {
	object, ok := value.(map[string]any)
	if !ok {
		if value != nil {
			d.refuse(path, "", "an object is wanted, not %s", shown(value))
		}
		return
	}
	out.Set(reflect.MakeMap(out.Type()))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		below := join(path, name)
		element := reflect.New(out.Type().Elem()).Elem()
		before := len(d.wrong)
		if element.Type() == partType {
			element.Set(reflect.ValueOf(d.part(path, name, below, object[name])))
		} else {
			d.value(below, object[name], element, tag)
		}
		if len(d.wrong) == before || element.Kind() != reflect.Pointer || !element.IsNil() {
			out.SetMapIndex(reflect.ValueOf(name), element)
		}
	}
}

func (d *decoder) list(path string, value any, out reflect.Value, tag reflect.StructTag) {
	list, ok := value.([]any)
	if !ok {
		d.refuse(path, "", "a list is wanted, not %s", shown(value))
		return
	}
	out.Set(reflect.MakeSlice(out.Type(), len(list), len(list)))
	for i, element := range list {
		d.scalar(path+"["+strconv.Itoa(i)+"]", element, out.Index(i), tag)
	}
}

// scalar reads a value that has no parts, and checks its range.
func (d *decoder) scalar(path string, value any, out reflect.Value, tag reflect.StructTag) {
	text, isText := value.(string)
	number, isNumber := value.(json.Number)
	truth, isTruth := value.(bool)
	switch {
	case out.Type() == durationType && isText:
		length, err := retry.ParseDuration(text)
		d.fieldErrors(path, err)
		out.SetInt(int64(length))
		if err == nil {
			d.within(path, int64(length), tag, func(limit string) int64 {
				length, _ := retry.ParseDuration(limit)
				return int64(length)
			})
		}
	case out.Type() == durationType:
		d.refuse(path, "write it with units, such as 1.5s", "a duration is wanted, not %s", shown(value))
	case out.Kind() == reflect.String && isText:
		out.SetString(text)
		if known := tag.Get("one"); known != "" && !slices.Contains(strings.Split(known, ","), text) {
			names := strings.Split(known, ",")
			hint := ""
			if near := hints.Nearest(text, names); near != "" {
				hint = "did you mean " + near + "?"
			}
			d.refuse(path, hint, "%s is none of %s", task.Quote(text), strings.Join(names, ", "))
		}
	case out.Kind() == reflect.String:
		d.refuse(path, "put it into quotes if it is one", "a text is wanted, not %s", shown(value))
	case out.Kind() == reflect.Bool && isTruth:
		out.SetBool(truth)
	case out.Kind() == reflect.Bool:
		d.refuse(path, "", "true or false is wanted, not %s", shown(value))
	case isNumber:
		whole, err := strconv.ParseInt(number.String(), 10, 64)
		if err != nil {
			d.refuse(path, "", "a whole number is wanted, not %s", shown(value))
			return
		}
		out.SetInt(whole)
		d.within(path, whole, tag, func(limit string) int64 {
			n, _ := strconv.ParseInt(limit, 10, 64)
			return n
		})
	default:
		d.refuse(path, "", "a whole number is wanted, not %s", shown(value))
	}
}

// within checks a value against the range in the tags.
func (d *decoder) within(path string, value int64, tag reflect.StructTag, read func(string) int64) {
	least, most := tag.Get("least"), tag.Get("most")
	switch {
	case least != "" && value < read(least), most != "" && value > read(most):
		d.refuse(path, "", "is outside %s", rangeOf(least, most))
	}
}

func rangeOf(least, most string) string {
	if most == "" {
		return least + " and more"
	}
	return least + " to " + most
}

// shown is a value in a message.
func shown(value any) string {
	switch v := value.(type) {
	case nil:
		return "nothing"
	case string:
		return task.Quote(v)
	case map[string]any:
		return "an object"
	case []any:
		return "a list"
	}
	return fmt.Sprintf("%.60s", fmt.Sprint(value))
}

// kindOf is what stands where an object is wanted. A text is not repeated: it may
// be a secret whose place was meant to be named.
func kindOf(value any) string {
	if _, isText := value.(string); isText {
		return "a text"
	}
	return shown(value)
}
