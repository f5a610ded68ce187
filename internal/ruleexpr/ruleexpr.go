// Package ruleexpr makes [retry.Spec.Policy] accept expressions in rules: it says what they
// are about, and package cel reads them. It does so when it is imported.
package ruleexpr

import (
	"strconv"
	"strings"

	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// variable is a name that the expressions of rules can use.
type variable struct {
	Name string
	Type string // string or int
	Doc  string
	of   func(f *retry.Failure) any
}

var variables = []variable{
	{"category", "string", "category of the failure, such as timeout", func(f *retry.Failure) any { return string(f.Verdict.Category) }},
	{"effect", "string", "whether the call has had an effect: not_sent, maybe or done", func(f *retry.Failure) any { return string(f.Verdict.Effect) }},
	{"status", "int", "HTTP status, 0 if the failure has none", func(f *retry.Failure) any { return status(f.Verdict.Code) }},
	{"code", "string", "HTTP status, SQLSTATE, errno name or the like, empty for none", func(f *retry.Failure) any { return f.Verdict.Code }},
	{"type", "string", "class of the error, such as *net.OpError", func(f *retry.Failure) any { return f.Verdict.Type }},
	{"message", "string", "text of the error, at most 16 KiB", func(f *retry.Failure) any { return message(f.Err) }},
	{"attempt", "int", "number of the attempt that failed, from 1", func(f *retry.Failure) any { return int64(f.Attempt) }},
}

// language is the conditions over the variables.
var language = func() *expr.Language {
	l := &expr.Language{Hint: `a list of categories, or CEL such as category == "timeout" && attempt < 3`}
	for i := range variables {
		l.Variables = append(l.Variables, expr.Variable{Name: variables[i].Name, Type: variables[i].Type})
	}
	return l
}()

func init() { retry.RegisterConditions(Compile) }

// expression is a compiled condition.
type expression struct{ *expr.Condition }

// Compile reads a condition in CEL over the variables of rules, within the limits of package
// expr. The error is a [retry.FieldError] without a field.
func Compile(text string) (retry.Condition, error) {
	condition, err := language.Compile(text)
	if err != nil {
		return nil, err
	}
	return expression{condition}, nil
}

// Holds implements [retry.Condition]. What cannot be evaluated does not hold.
func (e expression) Holds(f retry.Failure) bool {
	holds, err := e.Condition.Holds(func(name string) (any, bool) {
		for i := range variables {
			if variables[i].Name == name {
				return variables[i].of(&f), true
			}
		}
		return nil, false
	})
	return err == nil && holds
}

// status is a code that is an HTTP status, else 0.
func status(code string) int64 {
	if len(code) != 3 {
		return 0
	}
	number, err := strconv.ParseInt(code, 10, 64)
	if err != nil || number < 100 {
		return 0
	}
	return number
}

func message(err error) string {
	if err == nil {
		return ""
	}
	text := err.Error()
	return strings.ToValidUTF8(text[:min(len(text), task.MaxErrorText)], "\uFFFD")
}
