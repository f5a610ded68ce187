package config

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/outlast-dev/outlast/internal/strictjson"
)

// Schema is the JSON Schema (2020-12) of a file, for editors. What it cannot say
// of policies, [Parse] does.
func Schema() ([]byte, error) {
	root := schemaOf(reflect.TypeFor[Config](), "")
	root["$schema"], root["title"] = "https://json-schema.org/draft/2020-12/schema", "Configuration of outlast serve"
	return json.MarshalIndent(root, "", "  ")
}

func schemaOf(t reflect.Type, tag reflect.StructTag) map[string]any {
	switch {
	case t == durationType:
		return map[string]any{"type": "string", "pattern": `^[0-9.]+(ns|us|µs|ms|s|m|h)([0-9.]+(ns|us|µs|ms|s|m|h))*$|^0$`}
	case t == partType:
		return map[string]any{"type": "object", "description": "Keys as in docs/how-to/alerts.md and docs/how-to/schedules.md."}
	case t == policyType:
		return map[string]any{"type": "object", "description": "Keys as in docs/reference/policies.md."}
	case t.Kind() == reflect.Pointer:
		return schemaOf(t.Elem(), tag)
	case t.Kind() == reflect.Struct:
		properties := map[string]any{}
		for i := range t.NumField() {
			field := t.Field(i)
			one := schemaOf(field.Type, field.Tag)
			if doc := field.Tag.Get("doc"); doc != "" {
				one["description"] = doc
			}
			if text, given := field.Tag.Lookup("default"); given {
				one["default"] = plain(field.Type, text)
			}
			properties[strictjson.Name(field)] = one
		}
		return map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	case t.Kind() == reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem(), tag)}
	case t.Kind() == reflect.Slice:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem(), tag)}
	case t.Kind() == reflect.Bool:
		return map[string]any{"type": "boolean"}
	case t.Kind() == reflect.Int:
		one := map[string]any{"type": "integer"}
		for name, limit := range map[string]string{"minimum": tag.Get("least"), "maximum": tag.Get("most")} {
			if limit != "" {
				one[name] = json.Number(limit)
			}
		}
		return one
	}
	one := map[string]any{"type": "string"}
	if names := tag.Get("one"); names != "" {
		one["enum"] = strings.Split(names, ",")
	}
	return one
}
