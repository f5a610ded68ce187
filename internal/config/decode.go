package config

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/internal/findings"
	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// decoder fills a [Config] from a tree.
type decoder struct{ *tree }

var (
	durationType = reflect.TypeFor[Duration]()
	policyType   = reflect.TypeFor[*policy.Policy]()
	partType     = reflect.TypeFor[*Part]()
)

func (d *decoder) refuse(path, hint, format string, args ...any) {
	d.tree.refuse(d.line(path), path, hint, format, args...)
}

// defaults fills a struct with its defaults.
func (d *decoder) defaults(out reflect.Value) {
	for i := range out.NumField() {
		field := out.Type().Field(i)
		if field.Type.Kind() == reflect.Struct {
			d.defaults(out.Field(i))
		}
		if text, given := field.Tag.Lookup("default"); given {
			d.read("", plain(field.Type, text), out.Field(i).Addr().Interface())
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

// read reads a part of the tree, by way of JSON. What other packages read is handed to them.
func (d *decoder) read(path string, value, out any) {
	readers := strictjson.Readers{}
	strictjson.Add(readers, d.policy)
	strictjson.Add(readers, d.policyType)
	strictjson.Add(readers, d.part)
	strictjson.Add(readers, d.parts)
	for _, c := range strictjson.Read(encoded(value), out, path, &strictjson.Options{
		Deepest: mostDeep + 2, Null: strictjson.Empty, Readers: readers, Explain: findings.Explain, Check: check,
	}) {
		d.refuse(c.Path, c.Hint, "%s", c.Message)
	}
}

// policy reads a named policy, in the way in which it is read everywhere.
func (d *decoder) policy(out **policy.Policy, from *strictjson.Decoder) {
	path := from.Path()
	made, err := policy.Parse(path[strings.Index(path, ".")+1:], bodyOf(from))
	d.fieldErrors(path, err)
	*out = made
}

func (d *decoder) policyType(out **policy.Type, from *strictjson.Decoder) {
	made, err := policy.ParseType(bodyOf(from))
	d.fieldErrors(from.Path(), err)
	*out = made
}

// bodyOf is a value as it is written. A mapping that was left empty is an empty object.
func bodyOf(from *strictjson.Decoder) []byte {
	if from.Kind() == 'n' {
		from.Raw()
		return []byte("{}")
	}
	return from.Raw()
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

func encoded(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		return nil // numbers were checked when they were read
	}
	return text
}

// check refuses what the tags of a field do not allow: a text that is none of a list, or
// what is out of range.
func check(d *strictjson.Decoder, value reflect.Value, tag reflect.StructTag) {
	limit := func(name string) (int64, bool) {
		text := tag.Get(name)
		if value.Type() == durationType {
			length, _ := retry.ParseDuration(text)
			return int64(length), text != ""
		}
		n, _ := strconv.ParseInt(text, 10, 64)
		return n, text != ""
	}
	switch {
	case value.Kind() == reflect.String && tag.Get("one") != "":
		names := strings.Split(tag.Get("one"), ",")
		if slices.Contains(names, value.String()) {
			return
		}
		hint := ""
		if near := hints.Nearest(value.String(), names); near != "" {
			hint = "did you mean " + near + "?"
		}
		d.Refuse(hint, "%s is none of %s", task.Quote(value.String()), strings.Join(names, ", "))
	case value.CanInt():
		least, bounded := limit("least")
		most, capped := limit("most")
		if bounded && value.Int() < least || capped && value.Int() > most {
			d.Refuse("", "is outside %s", rangeOf(tag.Get("least"), tag.Get("most")))
		}
	}
}

func rangeOf(least, most string) string {
	if most == "" {
		return least + " and more"
	}
	return least + " to " + most
}
