package route

import (
	_ "embed"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

//go:embed examples.json
var examplesText []byte

// examples are objects as calls take and give them, by the names of their schemas.
var examples = sync.OnceValue(func() (all map[string]json.RawMessage) {
	_ = json.Unmarshal(examplesText, &all) // a test holds each against its schema
	return all
})

// finished makes the schemas say what is sent: a list is never null, and an object that stands
// behind a pointer and is never left out can be. It may be called again.
func (d *document) finished() *huma.OpenAPI {
	registry := d.Components.Schemas
	for name, schema := range registry.Map() {
		if text := examples()[name]; text != nil {
			schema.Examples = []any{text}
		}
		for _, field := range reflect.VisibleFields(registry.TypeFromRef(schemaPrefix + name)) {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := schema.Properties[key]
			if property == nil {
				continue
			}
			fill(property)
			if property.Ref != "" && field.Type.Kind() == reflect.Pointer && slices.Contains(schema.Required, key) && field.Tag.Get("nullable") == "" {
				property.AnyOf, property.Ref = []*huma.Schema{{Ref: property.Ref}, {Type: "null"}}, ""
			}
		}
	}
	return d.OpenAPI
}

// fill says of lists that they are never null: an empty one is sent as [].
func fill(schema *huma.Schema) {
	if schema.Type == huma.TypeArray {
		schema.Nullable = false
		fill(schema.Items)
	}
	if of, ok := schema.AdditionalProperties.(*huma.Schema); ok {
		fill(of)
	}
}
