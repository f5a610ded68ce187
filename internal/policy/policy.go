package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
	_ "github.com/outlast-dev/outlast/internal/ruleexpr" // expressions in rules
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Kinds of the objects that this package reads.
const (
	Kind     = "policy"
	KindType = "type"
	// KindSetting is for switches that hold everywhere; see [Retries].
	KindSetting = "setting"
)

// Kinds are all kinds of objects that [NewSet] reads.
var Kinds = []string{Kind, KindType, KindSetting}

// Retries is the name of the setting that turns retries off for all: {"on": false}.
const Retries = "retries"

// ManagedByFile marks objects that the configuration file owns.
const ManagedByFile = "file"

// Default is the name of the policy of tasks for which nothing names one.
const Default = "default"

// MaxBody bounds a policy as it is written, in bytes.
const MaxBody = store.MaxObject

// Policy is a policy with a name. It is immutable.
type Policy struct {
	Name    string
	Version int64 // 0 before it is kept
	// Body is the policy in its one written form: see [Normal].
	Body      json.RawMessage
	Spec      *retry.Spec
	Policy    *retry.Policy   // with name and version
	Fallback  *task.Follow    // nil for none
	Alert     json.RawMessage // an alert.TaskRule; nil for none
	Canary    *Canary         // nil for a version that holds for all tasks
	Managed   string          // [ManagedByFile], or ""
	Actor     string          // who made this version
	UpdatedAt time.Time
}

// Parse checks a policy as it is written in JSON and makes it. The error joins all
// findings as [retry.FieldError] values.
func Parse(name string, body []byte) (*Policy, error) { return parse(name, body, parseCanary) }

// ParseInline is [Parse] for a policy without a name, which comes with a task.
func ParseInline(body []byte) (*Policy, error) { return parse("inline", body, refuseCanary) }

func parse(name string, body []byte, canary canaryReader) (*Policy, error) {
	var problems []error
	if err := CheckName(name); err != nil {
		problems = append(problems, err)
	}
	if len(body) > MaxBody {
		problems = append(problems, &retry.FieldError{Message: fmt.Sprintf("has %d bytes; the limit is %d", len(body), MaxBody), Hint: "leave out rules"})
		return nil, errors.Join(problems...)
	}
	p := &Policy{Name: name}
	spec, err := retry.ParseSpec(body)
	if err != nil {
		return nil, errors.Join(append(problems, err)...)
	}
	p.Spec = spec
	if p.Policy, err = spec.Policy(); err != nil {
		problems = append(problems, err)
	}
	if !absent(spec.Alert) {
		p.Alert = spec.Alert
		problems = append(problems, alertProblems(spec.Alert)...)
	}
	if !absent(spec.Fallback) {
		if p.Fallback, err = parseFallback(spec.Fallback); err != nil {
			problems = append(problems, err)
		}
	}
	if len(spec.Canary) > 0 {
		if p.Canary, err = canary(name, spec.Canary); err != nil {
			problems = append(problems, err)
		} else {
			spec.Canary = p.Canary.written()
		}
	}
	if p.Body, err = Normal(spec); err != nil {
		problems = append(problems, err)
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	p.Policy = p.Policy.Named(name, 0)
	return p, nil
}

// alertProblems is what is wrong with the alert of a policy.
func alertProblems(text json.RawMessage) (problems []error) {
	_, err := alerts.ParseTaskRule(text)
	for _, field := range retry.FieldErrors(err) {
		at := "alert"
		if field.Field != "" {
			at += "." + field.Field
		}
		problems = append(problems, &retry.FieldError{Field: at, Message: field.Message, Hint: field.Hint})
	}
	return problems
}

// Normal is the one written form of a policy: two policies that say the same in
// another order, or with other white space, have the same.
func Normal(spec *retry.Spec) (json.RawMessage, error) { return json.Marshal(spec) }

// Read makes the policy of an object.
func Read(o *store.Object) (*Policy, error) {
	if o.Doubt != nil {
		return nil, fmt.Errorf("policy %s, version %d: %w", task.Quote(o.Name), o.Version, o.Doubt)
	}
	p, err := parse(o.Name, o.Body, readCanary)
	if err != nil {
		return nil, fmt.Errorf("policy %s, version %d: %w", task.Quote(o.Name), o.Version, err)
	}
	p.Version, p.Managed, p.Actor, p.UpdatedAt = o.Version, o.Managed, o.Actor, o.UpdatedAt
	p.Policy = p.Policy.Named(o.Name, o.Version)
	return p, nil
}

// NameHint says what names look like.
const NameHint = "names have 1 to 128 of the characters A-Z a-z 0-9 . _ : -"

// CheckName checks the name of a policy, queue or type. Its error is a
// [retry.FieldError] on "name".
func CheckName(name string) error {
	refused := &retry.FieldError{Field: "name", Hint: NameHint}
	switch {
	case name == "":
		refused.Message = "is required"
	case len(name) > task.MaxName:
		refused.Message = fmt.Sprintf("has %d characters; the limit is %d", len(name), task.MaxName)
	case strings.ContainsFunc(name, notInName):
		refused.Message = task.Quote(name) + " has a character that is not possible"
	default:
		return nil
	}
	return refused
}

func notInName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("._:-", r)
}

// absent reports whether an optional JSON value was left out.
func absent(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
