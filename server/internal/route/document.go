package route

import (
	"cmp"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/sim"
	"github.com/outlast-dev/outlast/internal/wakeup"
	"github.com/outlast-dev/outlast/server/internal/problem"
	"github.com/outlast-dev/outlast/task"
)

const schemaPrefix = "#/components/schemas/"

// document is the OpenAPI document while it is written.
type document struct {
	*huma.OpenAPI
	finish sync.Once
}

func newDocument(version string) *document {
	if version == "" {
		version = "devel"
	}
	registry := huma.NewMapRegistry(schemaPrefix, func(t reflect.Type, hint string) string {
		if t == reflect.TypeFor[client.Error]() {
			return "Problem"
		}
		named := t
		for named.Kind() == reflect.Pointer {
			named = named.Elem()
		}
		if named.PkgPath() == reflect.TypeFor[sim.Report]().PkgPath() {
			return "Sim" + huma.DefaultSchemaNamer(t, hint)
		}
		return huma.DefaultSchemaNamer(t, hint)
	})
	registry.RegisterTypeAlias(reflect.TypeFor[client.Time](), reflect.TypeFor[time.Time]())
	return &document{OpenAPI: &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Outlast", Version: version,
			Description: "Durable retry engine. Errors are problems of RFC 9457 with a stable code. Unknown fields and parameters are refused. " +
				"Durations are Go strings (1.5s, 200ms), times RFC 3339 in UTC. A repeat of POST /v1/tasks with the same id is safe.",
			Contact: &huma.Contact{Name: "Outlast", URL: "https://github.com/outlast-dev/outlast"},
			License: &huma.License{Name: "Apache-2.0", URL: "https://www.apache.org/licenses/LICENSE-2.0"},
		},
		Servers: []*huma.Server{{URL: "/", Description: "The server that this document is from."}},
		Tags:    tags(),
		Components: &huma.Components{Schemas: registry, SecuritySchemes: map[string]*huma.SecurityScheme{
			"bearer":  {Type: "http", Scheme: "bearer", Description: "A token of outlast token create. None is needed on loopback addresses until the first token is made."},
			"wakeKey": {Type: "apiKey", In: "header", Name: wakeup.Header, Description: "Of one node, known to those who can read the database."},
		}},
		Paths: map[string]*huma.PathItem{},
	}}
}

// common are the codes that any call can answer with, the first of them if it reads an input.
var common = []task.Code{task.CodeInvalid, task.CodeUnauthenticated, task.CodeDenied, task.CodeRateLimited, task.CodeUnavailable, task.CodeInternal}

// add describes a call from its own types.
func (d *document) add(r *Route, p *plan, output reflect.Type) {
	op := &huma.Operation{
		OperationID: r.ID, Method: r.Method, Path: r.Path, Summary: r.Summary, Description: r.About,
		Tags: []string{r.Tag}, Responses: map[string]*huma.Response{},
	}
	registry := d.Components.Schemas
	for in, list := range map[string][]parameter{"path": p.path, "query": p.query, "header": p.header} {
		for _, parameter := range list {
			schema := huma.SchemaFromField(registry, parameter.field, "")
			form(schema, parameter.field.Type)
			schema.Nullable, schema.Description = false, "" // a parameter is there or not, and has said what it is
			op.Parameters = append(op.Parameters, &huma.Param{
				Name: parameter.name, In: in, Description: parameter.about, Required: in == "path", Schema: schema,
			})
		}
	}
	slices.SortStableFunc(op.Parameters, func(a, b *huma.Param) int { return strings.Compare(a.In, b.In) })
	if p.body != nil {
		op.RequestBody = &huma.RequestBody{Required: p.needed, Content: map[string]*huma.MediaType{
			"application/json": {Schema: registry.Schema(p.bodyType, true, r.ID+"-body")},
		}}
	}
	media := cmp.Or(r.Media, "application/json")
	for _, status := range r.Answers {
		op.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: map[string]*huma.MediaType{
			media: {Schema: registry.Schema(output, true, r.ID+"-answer")},
		}}
	}
	secure(r, op)
	codes := slices.Concat(common, r.Errors)
	if p.body != nil {
		codes = append(codes, task.CodeTooLarge, problem.CodeMediaType)
	}
	d.addProblems(op, codes)
	d.AddOperation(op)
}

// addPlain describes a call without types.
func (d *document) addPlain(r *Route) {
	kind := huma.TypeObject
	if strings.HasPrefix(r.Media, "text/") {
		kind = huma.TypeString
	}
	op := &huma.Operation{
		OperationID: r.ID, Method: r.Method, Path: r.Path, Summary: r.Summary, Description: r.About, Tags: []string{r.Tag},
		Responses: map[string]*huma.Response{"200": {Description: "OK", Content: map[string]*huma.MediaType{r.Media: {Schema: &huma.Schema{Type: kind}}}}},
	}
	secure(r, op)
	d.addProblems(op, common[1:])
	d.AddOperation(op)
}

// secure says in the document who may make a call.
func secure(r *Route, op *huma.Operation) {
	op.Extensions = map[string]any{"x-permission": string(r.Needs), "x-queues": string(r.Scope)}
	switch r.Needs {
	case inspect.PermissionOpen:
		op.Security = []map[string][]string{} // nobody need say who they are
	case inspect.PermissionPeer:
		op.Security = []map[string][]string{{"wakeKey": {}}}
	default:
		op.Security = []map[string][]string{{"bearer": {}}}
	}
}

func (d *document) addProblems(op *huma.Operation, codes []task.Code) {
	byStatus := map[int][]string{}
	for _, code := range codes {
		status := problem.Status(code)
		byStatus[status] = append(byStatus[status], string(code))
	}
	for status, names := range byStatus {
		key := strconv.Itoa(status)
		if op.Responses[key] != nil {
			continue // /readyz answers 503 with its report
		}
		op.Responses[key] = &huma.Response{
			Description: http.StatusText(status) + ": code " + strings.Join(names, " or "),
			Content: map[string]*huma.MediaType{
				"application/problem+json": {Schema: d.Components.Schemas.Schema(reflect.TypeFor[client.Error](), true, "Problem")},
			},
		}
	}
}
