package route

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/outlast-dev/outlast/task"
)

//go:embed examples.json
var examplesText []byte

// examples are objects as calls take and give them, by the names of their schemas.
var examples = sync.OnceValue(func() (all map[string]json.RawMessage) {
	_ = json.Unmarshal(examplesText, &all) // a test holds each against its schema
	return all
})

// finished is the document of all calls.
func (d *document) finished() *huma.OpenAPI {
	d.finish.Do(d.settle)
	return d.OpenAPI
}

// settle makes the schemas say what is sent: a list is never null, an object that stands behind
// a pointer and is never left out can be, and an answer may have fields that this version does not
// know.
func (d *document) settle() {
	registry, taken := d.Components.Schemas, map[string]bool{}
	for _, path := range d.Paths {
		for _, op := range []*huma.Operation{path.Put, path.Post} {
			if op != nil && op.RequestBody != nil {
				d.take(op.RequestBody.Content["application/json"].Schema, taken)
			}
		}
	}
	for name, schema := range registry.Map() {
		if text := examples()[name]; text != nil {
			schema.Examples = []any{text}
		}
		if !taken[name] {
			schema.AdditionalProperties = nil
		}
		for _, field := range reflect.VisibleFields(registry.TypeFromRef(schemaPrefix + name)) {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := schema.Properties[key]
			if property == nil {
				continue
			}
			form(property, field.Type)
			if property.Ref != "" && field.Type.Kind() == reflect.Pointer && slices.Contains(schema.Required, key) && field.Tag.Get("nullable") == "" {
				property.AnyOf, property.Ref = []*huma.Schema{{Ref: property.Ref}, {Type: "null"}}, ""
			}
		}
	}
}

// take collects the objects that a request can hold.
func (d *document) take(schema *huma.Schema, taken map[string]bool) {
	if name := strings.TrimPrefix(schema.Ref, schemaPrefix); schema.Ref != "" && !taken[name] {
		taken[name] = true
		for _, property := range d.Components.Schemas.Map()[name].Properties {
			d.take(property, taken)
		}
	}
	if schema.Items != nil {
		d.take(schema.Items, taken)
	}
}

// form says of what form a value is, as far as its kind does not: a list is never null, since an
// empty one is sent as [].
func form(schema *huma.Schema, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case schema.Type == huma.TypeString && t.Name() == "Duration":
		schema.Format = "go-duration"
	case t == reflect.TypeFor[task.ID]():
		schema.Format = "uuid"
	case schema.Type == huma.TypeArray:
		schema.Nullable = false
		form(schema.Items, t.Elem())
	}
	if of, ok := schema.AdditionalProperties.(*huma.Schema); ok {
		form(of, t.Elem())
	}
}
