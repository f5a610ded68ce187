package route

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/server/internal/scope"
)

// Table is the calls of the API, in the order in which they were added, and the document
// that describes them.
type Table struct {
	Calls    []Call
	document *document
	bounds   *scope.Bounds
}

// Call is a route and what answers it.
type Call struct {
	Route
	Do func(http.ResponseWriter, *http.Request) error
	// Plain is a call that reads no input and is not measured.
	Plain bool
}

// NewTable makes a table without calls. Bounds say what tokens for certain queues are for.
func NewTable(version string, bounds *scope.Bounds) *Table {
	return &Table{document: newDocument(version), bounds: bounds}
}

// Version is that of the program.
func (t *Table) Version() string { return t.document.Info.Version }

// Document is the OpenAPI document, as JSON.
func (t *Table) Document() ([]byte, error) {
	text, err := json.Marshal(t.document.finished())
	return client.PlainJSON(text), err
}

// OlderDocument is the same in OpenAPI 3.0, for programs that do not read 3.1.
func (t *Table) OlderDocument() ([]byte, error) {
	text, err := downgraded(t.document.finished())
	return client.PlainJSON(text), err
}

// Schemas are the objects of the document.
func (t *Table) Schemas() huma.Registry { return t.document.finished().Components.Schemas }

// Handle adds a call. Of the input type, fields with the tag path, query or
// header take parameters, and the field Body, if there is one, the request's
// JSON. Unknown parameters are refused.
func Handle[I, O any](t *Table, r Route, do func(ctx context.Context, in *I) (*Answer[O], error)) {
	r = r.complete()
	Stream[I, O](t, r, func(w http.ResponseWriter, req *http.Request, in *I) error {
		out, err := do(req.Context(), in)
		if err != nil {
			return err
		}
		if out.Location != "" {
			w.Header().Set("Location", out.Location)
		}
		return write(w, cmp.Or(out.Status, r.Answers[0]), &out.Body)
	})
}

// Stream adds a call that writes its answer itself, of which O is a part.
func Stream[I, O any](t *Table, r Route, do func(w http.ResponseWriter, req *http.Request, in *I) error) {
	r = r.complete()
	plan := planOf(reflect.TypeFor[I](), &r)
	t.document.add(&r, plan, reflect.TypeFor[O]())
	t.Calls = append(t.Calls, Call{Route: r, Do: func(w http.ResponseWriter, req *http.Request) error {
		in := new(I)
		if err := plan.read(req, reflect.ValueOf(in).Elem()); err != nil {
			return err
		}
		if err := t.bounds.Check(req.Context(), r.Scope, in); err != nil {
			return err
		}
		return do(w, req, in)
	}})
}

// Plain adds a call that reads no input and is not measured.
func (t *Table) Plain(r Route, handler http.Handler) {
	r.Tag = "health"
	t.document.addPlain(&r)
	t.Calls = append(t.Calls, Call{Route: r, Plain: true, Do: func(w http.ResponseWriter, req *http.Request) error {
		Bounded(handler).ServeHTTP(w, req)
		return nil
	}})
}
