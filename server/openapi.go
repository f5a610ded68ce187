package server

import (
	"cmp"
	"encoding/json"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/wakeup"
	"github.com/outlast-dev/outlast/sim"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

func newDocument(version string) *huma.OpenAPI {
	if version == "" {
		version = "devel"
	}
	registry := huma.NewMapRegistry("#/components/schemas/", func(t reflect.Type, hint string) string {
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
	return &huma.OpenAPI{
		OpenAPI: "3.1.0",
		Info: &huma.Info{
			Title: "Outlast", Version: version,
			Description: "Durable retry engine. Errors are problems of RFC 9457 with a stable code. Unknown fields and parameters are refused. " +
				"Durations are Go strings (1.5s, 200ms), times RFC 3339 in UTC. A repeat of POST /v1/tasks with the same id is safe.",
		},
		Components: &huma.Components{Schemas: registry, SecuritySchemes: map[string]*huma.SecurityScheme{
			"bearer":  {Type: "http", Scheme: "bearer", Description: "A token of outlast token create. None is needed on loopback addresses until the first token is made."},
			"wakeKey": {Type: "apiKey", In: "header", Name: wakeup.Header, Description: "Of one node, known to those who can read the database."},
		}},
		Paths: map[string]*huma.PathItem{},
	}
}

// common are the codes that any call can answer with.
var common = []task.Code{task.CodeInvalid, task.CodeUnauthenticated, task.CodeDenied, task.CodeRateLimited, task.CodeUnavailable, task.CodeInternal}

// document describes a call from its own types.
func (s *Server) document(r route, p *plan, output reflect.Type) {
	op := &huma.Operation{
		OperationID: r.id, Method: r.method, Path: r.path, Summary: r.summary, Description: r.about,
		Tags: []string{r.tag}, Responses: map[string]*huma.Response{},
	}
	registry := s.api.Components.Schemas
	for in, list := range map[string][]parameter{"path": p.path, "query": p.query, "header": p.header} {
		for _, parameter := range list {
			op.Parameters = append(op.Parameters, &huma.Param{
				Name: parameter.name, In: in, Description: parameter.about, Required: in == "path",
				Schema: huma.SchemaFromField(registry, parameter.field, ""),
			})
		}
	}
	slices.SortStableFunc(op.Parameters, func(a, b *huma.Param) int { return strings.Compare(a.In, b.In) })
	if p.body != nil {
		op.RequestBody = &huma.RequestBody{Required: p.needed, Content: map[string]*huma.MediaType{
			"application/json": {Schema: registry.Schema(p.bodyType, true, r.id+"-body")},
		}}
	}
	media := cmp.Or(r.media, "application/json")
	for _, status := range r.answers {
		op.Responses[strconv.Itoa(status)] = &huma.Response{Description: http.StatusText(status), Content: map[string]*huma.MediaType{
			media: {Schema: registry.Schema(output, true, r.id+"-answer")},
		}}
	}
	secure(r, op)
	s.documentProblems(r, p, op)
	s.api.AddOperation(op)
}

// secure says in the document who may make a call.
func secure(r route, op *huma.Operation) {
	op.Extensions = map[string]any{"x-permission": string(r.needs), "x-queues": string(r.scope)}
	switch r.needs {
	case token.Open:
	case token.Peer:
		op.Security = []map[string][]string{{"wakeKey": {}}}
	default:
		op.Security = []map[string][]string{{"bearer": {}}}
	}
}

func (s *Server) documentProblems(r route, p *plan, op *huma.Operation) {
	codes := slices.Concat(common, r.errors)
	if p.body != nil {
		codes = append(codes, task.CodeTooLarge, codeMediaType)
	}
	byStatus := map[int][]string{}
	for _, code := range codes {
		byStatus[statuses[code]] = append(byStatus[statuses[code]], string(code))
	}
	for status, names := range byStatus {
		key := strconv.Itoa(status)
		if op.Responses[key] != nil {
			continue // /readyz answers 503 with its report
		}
		op.Responses[key] = &huma.Response{
			Description: http.StatusText(status) + ": code " + strings.Join(names, " or "),
			Content: map[string]*huma.MediaType{
				"application/problem+json": {Schema: s.api.Components.Schemas.Schema(reflect.TypeFor[client.Error](), true, "Problem")},
			},
		}
	}
}

// Document is the OpenAPI document, as JSON.
func (s *Server) Document() ([]byte, error) { return json.Marshal(s.api) }

// addDocument serves the document, which is complete when it is called.
func (s *Server) addDocument() error {
	var text []byte
	s.plain(route{method: "GET", path: "/openapi.json", id: "get-openapi", needs: token.Known, scope: shared, summary: "This document"}, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = []string{"application/openapi+json"}
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		deadline(w, answerTimeout)
		_, _ = w.Write(text) // the caller is gone; there is no one to tell
	}))
	var err error
	text, err = s.Document()
	return err
}
