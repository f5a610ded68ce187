package retry

import (
	"encoding/json"
	"errors"
	"sync/atomic"
)

// Condition is an expression over a failure, such as one in CEL. It must be safe
// for concurrent use.
type Condition interface {
	// Holds reports whether the condition holds for the failure, whose category
	// is never empty. What cannot be evaluated does not hold.
	Holds(f Failure) bool
	// String is the expression as it was written.
	String() string
}

// conditions compiles the expressions of policies. This package knows no
// expression language, so that it needs no library.
var conditions atomic.Pointer[func(expression string) (Condition, error)]

// RegisterConditions makes policies accept expressions in [RuleSpec.If], in this
// whole process; without it they are refused. The package policy of this module
// registers CEL when it is imported. The error of compile becomes the message of
// a [FieldError].
func RegisterConditions(compile func(expression string) (Condition, error)) {
	conditions.Store(&compile)
}

// condition compiles an expression; nil, and a finding, if that is not possible.
func condition(f *findings, path, expression string) Condition {
	compile := conditions.Load()
	if compile == nil {
		f.refuse(path, "for instance [network, timeout]; programs that import the package policy take expressions",
			"a list of categories is wanted; nothing here reads expressions")
		return nil
	}
	made, err := (*compile)(expression)
	if err == nil {
		return made
	}
	if field, ok := errors.AsType[*FieldError](err); ok {
		f.refuse(path, field.Hint, "%s", field.Message)
	} else {
		f.refuse(path, "", "%s", err.Error())
	}
	return nil
}

// MarshalJSON writes the form that [ParseSpec] reads, in which when is a list of
// categories or an expression.
func (s RuleSpec) MarshalJSON() ([]byte, error) {
	type fields RuleSpec
	form := struct {
		When any `json:"when"`
		fields
	}{s.When, fields(s)}
	if s.If != "" {
		form.When = s.If
	}
	return json.Marshal(form)
}
