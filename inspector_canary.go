package outlast

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// PromotePolicy lets the version of a policy that is tried on a share of the tasks
// hold for all of them: a new version with the same content. Form of the change does
// not matter.
//
// Codes "not_found", "managed_by_file", and "conflict" for another version and where
// no canary runs.
func (i *Inspector) PromotePolicy(ctx context.Context, change policy.Change) (*policy.Named, error) {
	return i.endCanary(ctx, change, "policy.promote", policy.Promoted)
}

// AbortPolicy lets the version before a canary hold for all tasks again: a new
// version with the content of that one. Errors are those of [Inspector.PromotePolicy].
func (i *Inspector) AbortPolicy(ctx context.Context, change policy.Change) (*policy.Named, error) {
	return i.endCanary(ctx, change, "policy.abort", policy.Aborted)
}

func (i *Inspector) endCanary(ctx context.Context, change policy.Change, action string, body func(*store.Object) (json.RawMessage, error)) (*policy.Named, error) {
	named, _, err := i.changePolicy(ctx, &change, action, func(before *store.Object) (json.RawMessage, error) {
		if before == nil {
			missing := task.NotFound("policy", change.Name)
			if _, preset := retry.DescribePreset(change.Name); preset {
				missing.Hint = "it is a preset, of which there are no versions"
			}
			return nil, missing
		}
		made, err := body(before)
		if errors.Is(err, policy.ErrNoCanary) {
			return nil, &Error{Code: task.CodeConflict, Message: "no canary of the policy " + task.Quote(change.Name) + " runs", Hint: "put a version with canary first, such as \"10%\""}
		}
		return made, err
	})
	return named, err
}
