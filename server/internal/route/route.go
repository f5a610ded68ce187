// Package route is how a call of the API is declared: who may make it, what it takes and
// answers. From that come the mux, the OpenAPI document and the metrics.
package route

import (
	"net/http"
	"reflect"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

// Route describes one call of the API: for the mux, for the OpenAPI document
// and for the metrics.
type Route struct {
	Method, Path string
	ID, Tag      string
	Needs        inspect.Permission
	Verbose      inspect.Permission // what it needs with ?verbose, if that is another
	Scope        scope.Scope        // what it is to a token for certain queues
	Summary      string
	About        string
	Answers      []int        // statuses of success, 200 when nil; the first is the usual one
	Errors       []task.Code  // beside those that any call can have
	Limit        int64        // of the body; body.Max when 0
	Request      reflect.Type // of the body in the document, where the handler reads it in steps
	Media        string       // of the answer; JSON when empty
	Endless      bool         // it goes on until the caller goes: how long it takes tells nothing
}

// complete fills in what was left out.
func (r Route) complete() Route {
	if r.Answers == nil {
		r.Answers = []int{http.StatusOK}
	}
	return r
}

// Answer is what a handler returns instead of an error. A zero Status means
// the first of the route.
type Answer[O any] struct {
	Status   int
	Location string
	Body     O
}

// OK is the usual answer.
func OK[O any](body O) (*Answer[O], error) { return &Answer[O]{Body: body}, nil }

// As answers what a call of the node has found, in the form of the API, or its error.
func As[V, O any](form func(V) O) func(found V, err error) (*Answer[O], error) {
	return func(found V, err error) (*Answer[O], error) {
		if err != nil {
			return nil, err
		}
		return OK(form(found))
	}
}

// None is the input of calls without parameters, and an empty object.
type None struct{}
