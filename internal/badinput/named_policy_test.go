package badinput

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/task"
)

// What no task may carry cannot be put under a name either: not over HTTP, not by
// the library, not from a file of the command line.
func TestNamedPolicies(t *testing.T) {
	for _, row := range policyRows {
		form, wrapped := strings.CutPrefix(row.body, `{"type":"t","retry":`)
		form, closed := strings.CutSuffix(form, "}")
		if !wrapped || !closed || len(form) > 60<<10 {
			continue
		}
		at := strings.TrimPrefix(strings.TrimPrefix(row.at, "retry"), ".")
		t.Run(row.name, func(t *testing.T) {
			if row.name == "nested deeply" { // over HTTP and in Go it is the policy as a whole
				shared.cli(t, form, "policy", "check", "-", "--name", "p").refuses(t, "nested deeper")
				return
			}
			if at == "body" { // only a body is no JSON; YAML reads it as a text
				at = ""
			}
			whole := at
			if whole == "" {
				whole = "policy"
			}
			answer := shared.call(t, http.MethodPut, "/v1/policies/p", form)
			answer.problem(t, row.verdict(), whole, "alert", "body")
			_, _, err := shared.node.Inspector().Policies.Put(t.Context(), inspect.PolicyChange{Name: "p", Form: json.RawMessage(form)})
			if at == "" {
				refusedInGo(t, err, row.verdict(), "")
			} else {
				refusedInGo(t, err, row.verdict(), at)
			}
			if row.name == "3000 unknown keys" { // YAML names the first by the alphabet
				at = ""
			}
			for _, verb := range []string{"check", "apply"} {
				shared.cli(t, form, "policy", verb, "-", "--name", "p").refuses(t, at)
			}
		})
	}
	for _, name := range []string{"a b", "a/b", "\x1b[2J", strings.Repeat("a", 129), "easyjob(30s, 2, 5)"} {
		_, _, err := shared.node.Inspector().Policies.Put(t.Context(), inspect.PolicyChange{Name: name, Form: json.RawMessage(`{}`)})
		refusedInGo(t, err, task.CodeInvalid, "name")
	}
	if _, err := shared.node.Inspector().Policies.Get(t.Context(), "p"); !errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		t.Errorf("a policy was put: %v", err)
	}
}
