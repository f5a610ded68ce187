package route

import (
	"encoding"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/server/internal/body"
	"github.com/outlast-dev/outlast/server/internal/problem"
	"github.com/outlast-dev/outlast/task"
)

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

func planOf(input reflect.Type, r *Route) *plan {
	p := &plan{limit: r.Limit}
	if p.limit == 0 {
		p.limit = body.Max
	}
	for _, field := range reflect.VisibleFields(input) {
		if field.Name == "Body" {
			p.body, p.bodyType, p.optional = field.Index, field.Type, field.Tag.Get("optional") != ""
			p.needed = field.Tag.Get("optional") != "true"
			if r.Request != nil {
				p.bodyType = r.Request
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
		return &task.Error{Code: task.CodeInvalid, Message: "the parameters are not valid", Fields: wrong, Hint: problem.FieldsHint}
	}
	if p.body == nil {
		if req.Method == http.MethodGet {
			return nil
		}
		return body.Read(req, &None{}, true, p.limit)
	}
	return body.Read(req, in.FieldByIndex(p.body).Addr().Interface(), p.optional, p.limit)
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
		wrong = append(wrong, task.Field{Path: body.Printable(name), Message: "unknown parameter"})
	}
	return wrong, nil
}

func parseQuery(raw string) (url.Values, error) {
	values, err := url.ParseQuery(raw)
	if err != nil {
		return nil, task.Invalid("query", "the query of the URL is not well formed", "percent-encode names and values, and separate pairs by &")
	}
	return values, nil
}

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

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
	found := strictjson.Read(data, field.Addr().Interface(), p.name, body.Strict)
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
