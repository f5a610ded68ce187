package policy

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/retry"
)

// Type is what holds for the tasks of a type that say nothing else.
type Type struct {
	Policy      string `json:"policy,omitempty" doc:"Name of the policy; before that of the queue."`
	Queue       string `json:"queue,omitempty" doc:"Queue of tasks that name none."`
	MaxAttempts *int   `json:"max_attempts,omitempty" least:"1" most:"1000000" doc:"Attempts, the first included; 1 turns retries off."`
}

// ParseType reads a type from JSON, strictly. The error joins all findings as
// [retry.FieldError] values.
func ParseType(body []byte) (*Type, error) {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil || keys == nil {
		return nil, &retry.FieldError{Message: "an object is wanted", Hint: "such as {policy: notification}"}
	}
	t, problems := &Type{}, []error(nil)
	fields := map[string]struct {
		to   any
		want string
	}{"policy": {&t.Policy, "a text"}, "queue": {&t.Queue, "a text"}, "max_attempts": {&t.MaxAttempts, "a whole number"}}
	known := []string{"policy", "queue", "max_attempts"}
	for key, value := range keys {
		field, ok := fields[key]
		switch {
		case !ok && hints.Nearest(key, known) != "":
			problems = append(problems, &retry.FieldError{Field: key, Message: "unknown key", Hint: "did you mean " + hints.Nearest(key, known) + "?"})
		case !ok:
			problems = append(problems, &retry.FieldError{Field: key, Message: "unknown key", Hint: "known keys are policy, queue, max_attempts"})
		case string(value) == "null" || json.Unmarshal(value, field.to) != nil:
			problems = append(problems, &retry.FieldError{Field: key, Message: field.want + " is wanted"})
		}
	}
	return t, errors.Join(append(problems, t.check()...)...)
}

func (t *Type) check() (problems []error) {
	if t.Queue != "" {
		if err := CheckName(t.Queue); err != nil {
			wrong := *retry.FieldErrors(err)[0]
			wrong.Field = "queue"
			problems = append(problems, &wrong)
		}
	}
	if n := t.MaxAttempts; n != nil && (*n < 1 || *n > maxAttempts) {
		problems = append(problems, &retry.FieldError{Field: "max_attempts", Message: fmt.Sprintf("%d is outside 1 to %d", *n, maxAttempts),
			Hint: "the first attempt counts; 1 turns retries off"})
	}
	return problems
}

const maxAttempts = 1_000_000
