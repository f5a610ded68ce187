package alert

import (
	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// MaxExpression is the longest expression, in bytes.
const MaxExpression = expr.MaxText

// Expression is a compiled condition. It is safe for concurrent use.
type Expression struct{ condition *expr.Condition }

// languages are the conditions over the variables that a kind of rule sets.
var languages = func() map[On]*expr.Language {
	all := map[On]*expr.Language{}
	for _, on := range append([]On{OnTask}, ons...) {
		l := &expr.Language{Where: "on " + string(on), Hint: `write it in CEL, such as attempt > 1 && category == "timeout"`}
		for i := range variables {
			if v := &variables[i]; v.on(on) {
				l.Variables = append(l.Variables, expr.Variable{Name: v.Name, Type: v.Type})
			}
		}
		all[on] = l
	}
	return all
}()

// Compile reads a condition in CEL over the variables that a kind of rule
// sets, within the limits of package expr. The error is a [retry.FieldError]
// without a field.
func Compile(on On, text string) (*Expression, error) {
	language, known := languages[on]
	if !known {
		return nil, &retry.FieldError{Message: task.Quote(string(on)) + " is nothing that a rule can look at", Hint: "one of " + onList()}
	}
	condition, err := language.Compile(text)
	if err != nil {
		return nil, err
	}
	return &Expression{condition}, nil
}

// Holds evaluates the condition. An error says that it cannot be told, such as
// a missing key of a map, a division by zero or the cost limit.
func (e *Expression) Holds(values map[string]any) (bool, error) {
	return e.condition.Holds(expr.In(values))
}
