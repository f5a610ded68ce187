package config

import (
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/task"
)

// Value is one effective setting and where it comes from.
type Value struct {
	Path   string          `json:"path"`
	Value  json.RawMessage `json:"value"`
	Source string          `json:"source"` // "default", "FILE:LINE", or the flag or variable
}

// Values lists every setting, in the order of the documentation, with what the
// file says of named things at the end of their section. Overridden maps paths to
// the flag or variable that goes before the file. Passwords in URLs are left out, and
// headers that are credentials.
func (f *File) Values(overridden map[string]string) []Value {
	var all []Value
	f.list("", reflect.ValueOf(f.Config), overridden, &all)
	return all
}

// Restart names the settings of the node that differ from those of before: they
// hold from the next start on.
func (f *File) Restart(before *File) []string {
	values := func(f *File) map[string]string {
		all := map[string]string{}
		for _, v := range f.Values(nil) {
			section, _, _ := strings.Cut(v.Path, ".")
			if section == "targets" && strings.HasSuffix(v.Path, ".concurrency") {
				continue // of all nodes
			}
			if field, known := fieldOf(section); known && field.Tag.Get("all") == "" {
				all[v.Path] = v.Text()
			}
		}
		return all
	}
	now, then := values(f), values(before)
	var paths []string
	for path, value := range now {
		if was, known := then[path]; !known || was != value {
			paths = append(paths, path)
		}
	}
	for path := range then {
		if _, known := now[path]; !known {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}

// fieldOf is the field of a top-level key.
func fieldOf(name string) (reflect.StructField, bool) {
	whole := reflect.TypeFor[Config]()
	for i := range whole.NumField() {
		if field := whole.Field(i); strictjson.Name(field) == name {
			return field, true
		}
	}
	return reflect.StructField{}, false
}

func (f *File) list(path string, v reflect.Value, overridden map[string]string, all *[]Value) {
	for i := range v.NumField() {
		field, below := v.Type().Field(i), join(path, strictjson.Name(v.Type().Field(i)))
		switch field.Type.Kind() {
		case reflect.Struct:
			f.list(below, v.Field(i), overridden, all)
		case reflect.Map:
			if source := overridden[below]; source != "" {
				*all = append(*all, Value{below, encoded(v.Field(i).Interface()), source})
				continue
			}
			f.written(below, f.tree.find(below), all)
		default:
			*all = append(*all, Value{below, encoded(shownValue(below, v.Field(i))), f.source(below, overridden)})
		}
	}
}

func (f *File) source(path string, overridden map[string]string) string {
	if source := overridden[path]; source != "" {
		return source
	}
	if line, given := f.tree.lines[path]; given {
		return f.Path + ":" + strconv.Itoa(line)
	}
	return "default"
}

// find is what the file says at a path of plain names.
func (t *tree) find(path string) any {
	value := t.root
	for name := range strings.SplitSeq(path, ".") {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// written lists the leaves of a part of the file.
func (f *File) written(path string, value any, all *[]Value) {
	object, ok := value.(map[string]any)
	if !ok || len(object) == 0 {
		if value != nil {
			*all = append(*all, Value{path, encoded(value), f.source(path, nil)})
		}
		return
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		child := object[name]
		if strings.HasSuffix(path, ".headers") && task.SecretHeader(name) {
			child = task.Hidden
		}
		f.written(join(path, name), child, all)
	}
}

func shownValue(path string, v reflect.Value) any {
	switch value := v.Interface().(type) {
	case Duration:
		return value.String()
	case string:
		if path == "store.url" {
			return WithoutPassword(value)
		}
		return value
	case []string:
		return append([]string{}, value...)
	default:
		return value
	}
}

// WithoutPassword is the URL of a store as people may see it.
func WithoutPassword(text string) string {
	scheme, rest, found := strings.Cut(text, "://")
	if !found {
		return text
	}
	if at := strings.LastIndex(rest, "@"); at >= 0 {
		user, _, hasPassword := strings.Cut(rest[:at], ":")
		if hasPassword {
			rest = user + ":***" + rest[at:]
		}
	}
	before, query, found := strings.Cut(rest, "?")
	if !found {
		return scheme + "://" + rest
	}
	values, err := url.ParseQuery(query)
	if err != nil {
		return scheme + "://" + before + "?***"
	}
	for name := range values {
		if strings.Contains(strings.ToLower(name), "password") {
			values.Set(name, "***")
		}
	}
	return scheme + "://" + before + "?" + values.Encode()
}

// Text is a value in one line.
func (v Value) Text() string {
	var text string
	if json.Unmarshal(v.Value, &text) == nil {
		return text
	}
	return string(v.Value)
}
