package route

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// downgraded is a document in OpenAPI 3.0.
func downgraded(document *huma.OpenAPI) ([]byte, error) {
	text, err := document.Downgrade()
	if err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	return json.Marshal(older(value))
}

// older says in the way of OpenAPI 3.0 what [huma.OpenAPI.Downgrade] leaves as it is: there, what
// stands beside a $ref does not count, and nothing is of the type null.
func older(value any) any {
	switch value := value.(type) {
	case []any:
		for i := range value {
			value[i] = older(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = older(value[key])
		}
		if ref, ok := value["$ref"].(string); ok && len(value) > 1 {
			delete(value, "$ref")
			value["allOf"] = []any{map[string]any{"$ref": ref}}
		}
		if either, ok := value["anyOf"].([]any); ok {
			delete(value, "anyOf")
			value["allOf"], value["type"], value["nullable"] = either[:1], "object", true
		}
	}
	return value
}
