package server_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

//go:generate env OUTLAST_WRITE_DOCS=1 go test -count=1 -run "^(TestSecurityPage|TestAPIPage)$" .

type (
	apiSchema struct {
		Ref                  string                `json:"$ref"`
		Type                 any                   `json:"type"`
		Items                *apiSchema            `json:"items"`
		AdditionalProperties any                   `json:"additionalProperties"`
		Properties           map[string]*apiSchema `json:"properties"`
		Required             []string              `json:"required"`
		Enum                 []any                 `json:"enum"`
		AnyOf                []*apiSchema          `json:"anyOf"`
		Examples             []json.RawMessage     `json:"examples"`
		About                string                `json:"description"`
		Form                 string                `json:"format"`
	}
	apiContent map[string]struct {
		Schema apiSchema `json:"schema"`
	}
	apiCall struct {
		Summary, Description string
		Tags                 []string
		Permission           string `json:"x-permission"`
		Parameters           []struct {
			Name, In, Description string
			Required              bool
			Schema                apiSchema
		}
		RequestBody struct{ Content apiContent }
		Responses   map[string]struct {
			Description string
			Content     apiContent
		}
	}
	apiDocument struct {
		Tags       []struct{ Name, Description string }
		Paths      map[string]map[string]apiCall
		Components struct{ Schemas map[string]*apiSchema }
	}
)

// The pages of the HTTP API are made of its OpenAPI document, which lies beside them with a line for
// each property. OUTLAST_WRITE_DOCS=1 writes them.
func TestAPIPage(t *testing.T) {
	text, err := start(t).server.Document()
	must(t, err)
	var document apiDocument
	must(t, json.Unmarshal(text, &document))
	for file, want := range map[string]string{"api.md": document.calls(), "api-objects.md": document.objects(), "openapi.json": indented(text)} {
		file = "../docs/reference/" + file
		have, err := os.ReadFile(file)
		switch {
		case err == nil && string(have) == want:
		case os.Getenv("OUTLAST_WRITE_DOCS") != "":
			must(t, os.WriteFile(file, []byte(want), 0o600))
		default:
			t.Errorf("%s is stale: go generate ./server", file)
		}
	}
}

const apiHead = `# HTTP API

Bodies are JSON in UTF-8. Times are RFC 3339 in UTC, durations are written with units (` + "`1.5s`, `200ms`" + `). Unknown fields and
parameters are refused. A list has ` + "`next_cursor`" + ` while there is more: give it back as ` + "`cursor`" + `. A repeat of
` + "`POST /v1/tasks`" + ` with the same ` + "`id`" + ` is safe.

Each call names the permission that its token needs; [who may do what](security.md) has them in a table. What is refused is a [problem](api-objects.md#problem) with
a stable [code](errors.md). Every call may answer 401, 403, 429, 500 and 503; others stand at the call.

## OpenAPI

A server describes its calls at ` + "`/openapi.json`" + `, in OpenAPI 3.1: this page and [the objects](api-objects.md) are made of
[that document](../../docs/reference/openapi.json). ` + "`/openapi-3.0.json`" + ` says the same in OpenAPI 3.0, for generators that do
not read 3.1. Every token may read both. They pass the recommended rules of redocly and spectral, and generate, for instance, types
for TypeScript and a client for Go:

` + "```sh" + `
curl -so openapi.json http://127.0.0.1:7070/openapi.json
npx openapi-typescript@7.13.0 openapi.json -o outlast.d.ts

curl -so openapi-3.0.json http://127.0.0.1:7070/openapi-3.0.json
go run github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.5.0 -package api -generate types,client -o api.go openapi-3.0.json
` + "```" + `

A list is never null: an empty one is sent as ` + "`[]`" + `. Let generated code ignore fields that it does not know: a later version may
[add some](../explanation/stability.md). Where a value is one of a list that may grow, its description says so.
`

func indented(text []byte) string {
	var out bytes.Buffer
	_ = json.Indent(&out, text, "", "  ") // it is JSON
	return out.String() + "\n"
}

// calls is the page of the calls, by tag.
func (d *apiDocument) calls() string {
	byTag := map[string][]string{}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if call, found := d.Paths[path][method]; found {
				byTag[call.Tags[0]] = append(byTag[call.Tags[0]], call.page(strings.ToUpper(method)+" "+path))
			}
		}
	}
	out := apiHead
	for _, tag := range d.Tags {
		out += "\n## " + strings.ToUpper(tag.Name[:1]) + tag.Name[1:] + "\n\n" + tag.Description + "\n" + strings.Join(byTag[tag.Name], "")
	}
	return out
}

func (c *apiCall) page(name string) string {
	out := fmt.Sprintf("\n### `%s`\n\n%s. Permission: `%s`.\n", name, c.Summary, c.Permission)
	if c.Description != "" {
		out += "\n" + c.Description + "\n"
	}
	if len(c.Parameters) > 0 {
		out += "\n| parameter | in | values | meaning |\n|---|---|---|---|\n"
		for _, p := range c.Parameters {
			out += fmt.Sprintf("| `%s` | %s | %s | %s |\n", p.Name, p.In, p.Schema.kind(), cell(p.Description))
		}
	}
	out += "\n"
	if body := c.RequestBody.Content.kind(); body != "" {
		out += "Takes " + body + ". "
	}
	var answers, refusals []string
	for _, status := range slices.Sorted(maps.Keys(c.Responses)) {
		answer := c.Responses[status]
		switch kind := answer.Content.kind(); {
		case status < "400" && kind != "":
			answers = append(answers, status+" with "+kind)
		case status < "400":
			answers = append(answers, status)
		case !slices.Contains([]string{"401", "403", "429", "500", "503"}, status):
			refusals = append(refusals, status)
		}
	}
	out += "Answers " + strings.Join(answers, ", ")
	if len(refusals) > 0 {
		out += "; refuses with " + strings.Join(refusals, ", ")
	}
	return out + ".\n"
}

// objects is the page of what calls take and give.
func (d *apiDocument) objects() string {
	out := "# Objects of the HTTP API\n\nWhat the [calls](api.md) take and give. A field in bold is always there. This page is made of the OpenAPI document.\n"
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		schema := d.Components.Schemas[name]
		out += "\n## " + name + "\n"
		if schema.About != "" {
			out += "\n" + schema.About + "\n"
		}
		if len(schema.Properties) == 0 {
			continue
		}
		out += "\n| field | value | meaning |\n|---|---|---|\n"
		for _, field := range slices.Sorted(maps.Keys(schema.Properties)) {
			shown := "`" + field + "`"
			if slices.Contains(schema.Required, field) {
				shown = "**" + shown + "**"
			}
			property := schema.Properties[field]
			out += fmt.Sprintf("| %s | %s | %s |\n", shown, property.kind(), cell(property.About))
		}
		for _, example := range schema.Examples {
			out += "\nFor example:\n\n```json\n" + indented(example) + "```\n"
		}
	}
	return out
}

// kind is the first kind of content.
func (c apiContent) kind() string {
	if body, found := c["application/json"]; found {
		return body.Schema.kind()
	}
	if len(c) == 0 {
		return ""
	}
	return "`" + slices.Sorted(maps.Keys(c))[0] + "`"
}

// kind says what a value is, and leads to its object.
func (s *apiSchema) kind() string {
	if name, found := strings.CutPrefix(s.Ref, "#/components/schemas/"); found {
		return "[" + name + "](api-objects.md#" + strings.ToLower(name) + ")"
	}
	if len(s.AnyOf) > 0 {
		return s.AnyOf[0].kind() + ", or null"
	}
	if len(s.Enum) > 0 {
		var values []string
		for _, value := range s.Enum {
			values = append(values, fmt.Sprintf("`%v`", value))
		}
		return strings.Join(values, ", ")
	}
	if several, ok := s.Type.([]any); ok {
		return (&apiSchema{Type: several[0]}).kind() + ", or null"
	}
	kind := fmt.Sprint(s.Type)
	switch {
	case kind == "array" && s.Items != nil:
		return "list of " + s.Items.kind()
	case kind == "object":
		if of, ok := s.AdditionalProperties.(map[string]any); ok {
			var schema apiSchema
			text, _ := json.Marshal(of) // it was JSON
			_ = json.Unmarshal(text, &schema)
			return "by name: " + schema.kind()
		}
		return "object"
	}
	if form := map[string]string{"date-time": "time", "go-duration": "duration", "uuid": "UUID"}[s.Form]; form != "" {
		return form
	}
	return cmp.Or(map[string]string{"string": "text", "integer": "whole number", "boolean": "true, false", "<nil>": "any JSON"}[kind], kind)
}

// cell is a text that can stand in a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(text)
}
