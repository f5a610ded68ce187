package policy

import (
	"errors"
	"fmt"

	"github.com/outlast-dev/outlast/internal/findings"
	"github.com/outlast-dev/outlast/internal/strictjson"
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
	t := &Type{}
	read := findings.Object(body, t, strictjson.Refused)
	return t, errors.Join(append([]error{read}, t.check()...)...)
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
