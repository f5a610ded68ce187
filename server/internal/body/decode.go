package body

import (
	"cmp"
	"errors"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/internal/strictjson"
	"github.com/outlast-dev/outlast/server/internal/problem"
	"github.com/outlast-dev/outlast/task"
)

// whole is the path of complaints about a body as a whole.
const whole = "body"

// Strict is how strictly bodies and parameters are read.
var Strict = &strictjson.Options{Deepest: maxDepth, Null: strictjson.Absent, NoEmpty: true, Known: problem.FieldsHint, Explain: explain}

// explain takes apart what types of the API say of a text.
func explain(err error) (message, hint string) {
	if known, ok := errors.AsType[*task.Error](err); ok {
		return known.Message, known.Hint
	}
	return err.Error(), ""
}

// Decode reads one JSON value into the value that out points to. Paths of complaints
// begin with path.
func Decode(data []byte, out any, path string) error {
	if len(data) == 0 {
		return task.Invalid(cmp.Or(path, whole), "the request body is empty", "send a JSON object")
	}
	found := strictjson.Read(data, out, path, Strict)
	if len(found) == 0 {
		return nil
	}
	if found[0].Whole {
		return task.Invalid(whole, "the request body "+found[0].Message, found[0].Hint)
	}
	wrong, all := &task.Error{Code: task.CodeInvalid, Message: "the request body is not valid"}, hints.List{}
	for _, c := range found[:min(len(found), problem.MostFields)] {
		at := Printable(cmp.Or(c.Path, whole))
		wrong.Fields = append(wrong.Fields, task.Field{Path: at, Message: c.Message})
		all.Add(at, c.Hint)
	}
	wrong.Hint = cmp.Or(all.Text(), problem.FieldsHint)
	return wrong
}

// Printable makes a path that contains a name from outside fit for logs.
func Printable(path string) string {
	quoted := task.Quote(path)
	return quoted[1 : len(quoted)-1]
}
