package server

import (
	"cmp"
	"encoding"
	"errors"
	"reflect"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/task"
)

// maxComplaints bounds the answer to a request that is wrong all over.
const maxComplaints = 20

// bodyPath is the path of complaints about a body as a whole.
const bodyPath = "body"

// fieldsHint is for complaints that say all there is to say.
const fieldsHint = "the fields and their forms are listed at /openapi.json"

// bodies is how strictly bodies and parameters are read.
var bodies = &strictjson.Options{Deepest: 64, Null: strictjson.Absent, NoEmpty: true, Known: fieldsHint, Explain: explain}

// explain takes apart what types of the API say of a text.
func explain(err error) (message, hint string) {
	if known, ok := errors.AsType[*task.Error](err); ok {
		return known.Message, known.Hint
	}
	return err.Error(), ""
}

// decode reads one JSON value into the value that out points to. Paths of complaints
// begin with path.
func decode(data []byte, out any, path string) error {
	if len(data) == 0 {
		return task.Invalid(cmp.Or(path, bodyPath), "the request body is empty", "send a JSON object")
	}
	found := strictjson.Read(data, out, path, bodies)
	if len(found) == 0 {
		return nil
	}
	if found[0].Whole {
		return task.Invalid(bodyPath, "the request body "+found[0].Message, found[0].Hint)
	}
	wrong, all := &task.Error{Code: task.CodeInvalid, Message: "the request body is not valid"}, hints.List{}
	for _, c := range found[:min(len(found), maxComplaints)] {
		at := printable(cmp.Or(c.Path, bodyPath))
		wrong.Fields = append(wrong.Fields, task.Field{Path: at, Message: c.Message})
		all.Add(at, c.Hint)
	}
	wrong.Hint = cmp.Or(all.Text(), fieldsHint)
	return wrong
}

var textType = reflect.TypeFor[encoding.TextUnmarshaler]()

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// printable makes a path that contains a name from outside fit for logs.
func printable(path string) string {
	quoted := task.Quote(path)
	return quoted[1 : len(quoted)-1]
}
