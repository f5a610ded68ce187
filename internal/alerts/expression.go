package alerts

import (
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Expression is a compiled condition. It is safe for concurrent use.
type Expression struct {
	holds func(values map[string]any) (bool, error)
}

// languages are the conditions over the variables that a kind of rule sets.
var languages = func() map[alert.On]*expr.Language {
	all := map[alert.On]*expr.Language{}
	for _, on := range append([]alert.On{alert.OnTask}, ons...) {
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

// Compile reads a condition in CEL over the variables that a kind of rule sets, within
// the limits of package cel, which the program has to import: without it, those of the
// built-in rules can be read and no others. The error is a [retry.FieldError] without a
// field.
func Compile(on alert.On, text string) (*Expression, error) {
	language, known := languages[on]
	if !known {
		return nil, &retry.FieldError{Message: task.Quote(string(on)) + " is nothing that a rule can look at", Hint: "one of " + onList()}
	}
	if holds := builtinCondition(on, text); holds != nil {
		return inGo(holds), nil
	}
	condition, err := language.Compile(text)
	if err != nil {
		return nil, err
	}
	return &Expression{func(values map[string]any) (bool, error) { return condition.Holds(expr.In(values)) }}, nil
}

// Holds evaluates the condition. An error says that it cannot be told, such as
// a missing key of a map, a division by zero or the cost limit.
func (e *Expression) Holds(values map[string]any) (bool, error) { return e.holds(values) }

// inGo is a condition of this package, which needs no language.
func inGo(holds func(v values) bool) *Expression {
	return &Expression{func(v map[string]any) (bool, error) { return holds(v), nil }}
}

// values are those of variables, as conditions in Go read them.
type values map[string]any

func (v values) text(name string) string        { text, _ := v[name].(string); return text }
func (v values) number(name string) int         { number, _ := v[name].(int); return number }
func (v values) double(name string) float64     { double, _ := v[name].(float64); return double }
func (v values) truth(name string) bool         { truth, _ := v[name].(bool); return truth }
func (v values) span(name string) time.Duration { span, _ := v[name].(time.Duration); return span }
