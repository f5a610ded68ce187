package server

import (
	"context"
	"mime"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

// Sizes of request bodies.
const (
	maxBody  = 2 << 20
	maxBatch = 16 << 20
)

// answerTimeout is how long an answer may take to be taken, or the next piece of one
// that is sent in pieces.
const answerTimeout = 30 * time.Second

// route describes one call of the API: for the mux, for the OpenAPI document
// and for the metrics.
type route struct {
	method, path string
	id, tag      string
	needs        token.Permission
	verbose      token.Permission // what it needs with ?verbose, if that is another
	scope        scope            // what it is to a token for certain queues
	summary      string
	about        string
	answers      []int        // statuses of success; the first is the usual one
	errors       []task.Code  // beside those that any call can have
	limit        int64        // of the body; maxBody when 0
	request      reflect.Type // of the body in the document, where the handler reads it in steps
	media        string       // of the answer; JSON when empty
	endless      bool         // it goes on until the caller goes: how long it takes tells nothing
}

// answer is what a handler returns instead of an error. A zero Status means
// the first of the route.
type answer[O any] struct {
	Status   int
	Location string
	Body     *O
}

func ok[O any](body O) (answer[O], error)      { return answer[O]{Body: &body}, nil }
func fail[O any](err error) (answer[O], error) { return answer[O]{}, err }

// none is the input of calls without parameters, and an empty object.
type none struct{}

// handle adds a call. Of the input type, fields with the tag path, query or
// header take parameters, and the field Body, if there is one, the request's
// JSON. Unknown parameters are refused.
func handle[I, O any](s *Server, r route, do func(ctx context.Context, in *I) (answer[O], error)) {
	plan := planOf(reflect.TypeFor[I](), r)
	s.document(r, plan, reflect.TypeFor[O]())
	s.serve(r, func(w http.ResponseWriter, req *http.Request) error {
		in := new(I)
		if err := plan.read(req, reflect.ValueOf(in).Elem()); err != nil {
			return err
		}
		if err := s.inScope(req.Context(), r.scope, in); err != nil {
			return err
		}
		out, err := do(req.Context(), in)
		if err != nil {
			return err
		}
		if out.Status == 0 {
			out.Status = r.answers[0]
		}
		if out.Location != "" {
			w.Header().Set("Location", out.Location)
		}
		return write(w, out.Status, out.Body)
	})
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// write sends one JSON value.
func write(w http.ResponseWriter, status int, body any) error {
	buffer := buffers.Get().(*[]byte)
	defer func() {
		if cap(*buffer) <= 1<<20 {
			buffers.Put(buffer)
		}
	}()
	data, err := client.Append((*buffer)[:0], body)
	if err != nil {
		return err
	}
	*buffer = append(data, '\n')
	header := w.Header()
	header["Content-Type"] = jsonType
	header["Cache-Control"] = noStore
	header.Set("Content-Length", strconv.Itoa(len(*buffer)))
	deadline(w, answerTimeout)
	w.WriteHeader(status)
	_, _ = w.Write(*buffer) // the caller is gone; there is no one to tell
	return nil
}

var (
	jsonType = []string{"application/json"}
	noStore  = []string{"no-store"}
)

// deadline bounds the writing of an answer. A writer that knows no deadlines
// is that of a test.
func deadline(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(d))
}

// plan is how an input is read from a request.
type plan struct {
	path, query, header []parameter
	body                []int // index of the field Body, nil without one
	bodyType            reflect.Type
	optional            bool // the body may be absent, or its handler refuses that itself
	needed              bool // it may not be, for the document
	limit               int64
}

type parameter struct {
	name, about string
	index       []int
	field       reflect.StructField
}

func planOf(input reflect.Type, r route) *plan {
	p := &plan{limit: r.limit}
	if p.limit == 0 {
		p.limit = maxBody
	}
	for _, field := range reflect.VisibleFields(input) {
		if field.Name == "Body" {
			p.body, p.bodyType, p.optional = field.Index, field.Type, field.Tag.Get("optional") != ""
			p.needed = field.Tag.Get("optional") != "true"
			if r.request != nil {
				p.bodyType = r.request
			}
		}
		for tag, list := range map[string]*[]parameter{"path": &p.path, "query": &p.query, "header": &p.header} {
			if name := field.Tag.Get(tag); name != "" {
				*list = append(*list, parameter{name, field.Tag.Get("doc"), field.Index, field})
			}
		}
	}
	return p
}

func (p *plan) read(req *http.Request, in reflect.Value) error {
	var wrong []task.Field
	for _, parameter := range p.path {
		wrong = parameter.set(in, req.PathValue(parameter.name), wrong)
	}
	for _, parameter := range p.header {
		if text := req.Header.Get(parameter.name); text != "" {
			wrong = parameter.set(in, text, wrong)
		}
	}
	wrong, err := p.readQuery(req, in, wrong)
	if err != nil {
		return err
	}
	if len(wrong) > 0 {
		return &task.Error{Code: task.CodeInvalid, Message: "the parameters are not valid", Fields: wrong, Hint: fieldsHint}
	}
	if p.body == nil {
		if req.Method == http.MethodGet {
			return nil
		}
		return readBody(req, &none{}, true, p.limit)
	}
	return readBody(req, in.FieldByIndex(p.body).Addr().Interface(), p.optional, p.limit)
}

func (p *plan) readQuery(req *http.Request, in reflect.Value, wrong []task.Field) ([]task.Field, error) {
	if req.URL.RawQuery == "" {
		return wrong, nil
	}
	values, err := parseQuery(req.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	for _, parameter := range p.query {
		switch texts := values[parameter.name]; { // a list takes any number of texts
		case parameter.field.Type.Kind() == reflect.Slice:
			in.FieldByIndex(parameter.index).Set(reflect.ValueOf(texts))
		case len(texts) > 1:
			wrong = append(wrong, task.Field{Path: parameter.name, Message: "is given twice"})
		case len(texts) == 1 && texts[0] == "" && parameter.field.Type.Kind() == reflect.Bool:
			in.FieldByIndex(parameter.index).SetBool(true) // ?verbose
		case len(texts) == 1 && texts[0] != "":
			wrong = parameter.set(in, texts[0], wrong)
		}
		delete(values, parameter.name)
	}
	for name := range values {
		wrong = append(wrong, task.Field{Path: printable(name), Message: "unknown parameter"})
	}
	return wrong, nil
}

// set reads a parameter in the same way as a field of a body.
func (p *parameter) set(in reflect.Value, text string, wrong []task.Field) []task.Field {
	field := in.FieldByIndex(p.index)
	refused := func(message string) []task.Field { return append(wrong, task.Field{Path: p.name, Message: message}) }
	data, isText := []byte(text), reflect.PointerTo(field.Type()).Implements(textType) || field.Kind() == reflect.String
	switch {
	case !utf8.ValidString(text):
		return refused("is not valid UTF-8")
	case isText:
		data, _ = client.Marshal(text)
	}
	found := strictjson.Read(data, field.Addr().Interface(), p.name, bodies)
	if !isText && (text == "null" || strings.ContainsAny(text, " \t\r\n") || len(found) > 0 && found[0].Whole) {
		kind := field.Type()
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		return refused("must be of the kind " + kind.Kind().String() + ", not " + task.Quote(text))
	}
	if len(found) > 0 {
		return refused(found[0].Message)
	}
	return wrong
}

// readBody reads a JSON body into out. Its type must be JSON: a plain form
// in a web page cannot send that to us.
func readBody(req *http.Request, out any, optional bool, limit int64) error {
	if req.ContentLength == 0 && optional {
		return nil
	}
	if err := checkType(req, optional); err != nil {
		return err
	}
	data, err := readAll(req, limit)
	if err != nil {
		return err
	}
	if len(data) == 0 && optional {
		return nil
	}
	return decode(data, out, "")
}

func checkType(req *http.Request, optional bool) error {
	kind := req.Header.Get("Content-Type")
	if kind == "application/json" && req.Header.Get("Content-Encoding") == "" {
		return nil
	}
	if kind == "" && optional && req.ContentLength < 0 {
		return nil
	}
	media, parameters, err := mime.ParseMediaType(kind)
	charset := parameters["charset"]
	if err != nil || media != "application/json" || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return &task.Error{Code: codeMediaType, Message: "the body must be JSON, but its type is " + task.Quote(kind), Hint: "send Content-Type: application/json",
			Fields: []task.Field{{Path: "Content-Type", Message: "must be application/json in UTF-8"}}}
	}
	if encoding := req.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return &task.Error{Code: codeMediaType, Message: "a compressed body is not accepted", Hint: "send it without Content-Encoding",
			Fields: []task.Field{{Path: "Content-Encoding", Message: "must be absent or identity"}}}
	}
	return nil
}

// sizeText writes a limit in the largest unit of which it is a multiple.
func sizeText(limit int64) string {
	if limit < 1<<20 {
		return strconv.FormatInt(limit>>10, 10) + " KiB"
	}
	return strconv.FormatInt(limit>>20, 10) + " MiB"
}
