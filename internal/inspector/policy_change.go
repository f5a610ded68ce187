package inspector

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func (ps *Policies) Put(ctx context.Context, change inspect.PolicyChange) (named *inspect.NamedPolicy, changed bool, err error) {
	if change, err = ps.shown(ctx, change); err != nil {
		return nil, false, err
	}
	made, err := policy.Parse(change.Name, change.Form)
	if err := policyErr(err); err != nil {
		return nil, false, err
	}
	if err := ps.node.Policies.Check(ctx, made); err != nil {
		return nil, false, err
	}
	return ps.change(ctx, &change, "policy.put", func(before *store.Object) (json.RawMessage, error) {
		if before != nil && string(policy.Written(before)) == string(made.Body) {
			return before.Body, nil
		}
		body, err := made.Over(before)
		return body, policyErr(err)
	})
}

// shown is a change whose form is complete again where headers were hidden from who
// has it: from the policy as it is, which must not change meanwhile.
func (ps *Policies) shown(ctx context.Context, change inspect.PolicyChange) (inspect.PolicyChange, error) {
	if !bytes.Contains(change.Form, []byte(task.Hidden)) {
		return change, nil
	}
	before, err := ps.before(ctx, &change)
	if err != nil {
		return change, err
	}
	var form []byte
	if before != nil {
		form, change.Version = namedOf(before).Form, &before.Version
	}
	change.Form, err = task.KeepJSON(change.Form, form)
	return change, err
}

// change puts the body that follows from what is kept; the same one makes no
// new version.
func (ps *Policies) change(ctx context.Context, change *inspect.PolicyChange, action string, body func(before *store.Object) (json.RawMessage, error)) (named *inspect.NamedPolicy, changed bool, err error) {
	for range conflictTries {
		before, err := ps.before(ctx, change)
		if err != nil {
			return nil, false, err
		}
		row := actor.Audit(ctx, action, "policy/"+change.Name)
		o := store.Object{Kind: policy.Kind, Name: change.Name, Actor: row.Actor}
		if o.Body, err = body(before); err != nil {
			return nil, false, err
		}
		row.After = o.Body
		if before != nil {
			o.Version, row.Before = before.Version, before.Body
			if string(before.Body) == string(o.Body) {
				same := namedOf(before)
				return &same, false, nil
			}
		}
		if change.DryRun {
			o.Version++
			next := namedOf(&o)
			return &next, true, nil
		}
		done, err := ps.node.Backend.Change(ctx, store.Change{Put: []store.Object{o}, Audit: []store.Audit{row}})
		if err == nil {
			ps.node.refresh(ctx)
			stored := namedOf(&done.Put[0])
			return &stored, true, nil
		}
		if !errors.Is(err, &task.Error{Code: task.CodeConflict}) || change.Version != nil {
			return nil, false, err
		}
	}
	return nil, false, &task.Error{Code: task.CodeConflict, Message: "the policy is being changed by others", Hint: "try again"}
}

// conflictTries is how often a change without a version meets another one before
// it gives up.
const conflictTries = 5

// before is the policy that is to be changed, nil if there is none.
func (ps *Policies) before(ctx context.Context, change *inspect.PolicyChange) (*store.Object, error) {
	o, err := ps.node.Backend.Object(ctx, policy.Kind, change.Name)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		o, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	version := int64(0)
	if o != nil {
		version = o.Version
		if o.Managed != "" {
			return nil, managedByFile("policy", change.Name)
		}
	}
	if change.Version != nil && *change.Version != version {
		return nil, &task.Error{Code: task.CodeConflict, Message: fmt.Sprintf("the policy %s has version %d, not %d", task.Quote(change.Name), version, *change.Version),
			Hint: "look at what was changed, and put yours on top of it"}
	}
	return o, nil
}

func (ps *Policies) Delete(ctx context.Context, change inspect.PolicyChange) error {
	o, err := ps.before(ctx, &change)
	if err != nil {
		return err
	}
	_, preset := retry.DescribePreset(change.Name)
	if o == nil {
		missing := task.NotFound("policy", change.Name)
		if preset {
			missing.Hint = "it is a preset, and these cannot be deleted"
		}
		return missing
	}
	if !preset {
		all, err := ps.users(ctx)
		if err != nil {
			return err
		}
		if users := all[change.Name]; len(users) > 0 {
			return &task.Error{Code: task.CodeConflict, Message: "the policy is named by " + strings.Join(users, ", "), Hint: "let them name another one first"}
		}
	}
	if change.DryRun {
		return nil
	}
	row := actor.Audit(ctx, "policy.delete", "policy/"+change.Name)
	o.Actor, row.Before = row.Actor, o.Body
	_, err = ps.node.Backend.Change(ctx, store.Change{Delete: []store.Object{*o}, Audit: []store.Audit{row}})
	if err == nil {
		ps.node.refresh(ctx)
	}
	return err
}

// policyErr turns the findings about a policy into an error of the API.
func policyErr(err error) error {
	if err == nil {
		return nil
	}
	var c accept.Complaints
	for _, field := range retry.FieldErrors(err) {
		path := task.Quote(cmp.Or(field.Field, "policy")) // it can end with the name of an unknown key
		c.Add(path[1:len(path)-1], field.Message, field.Hint)
	}
	if len(c.Fields) == 0 {
		return err
	}
	return c.Err("the policy is invalid")
}

func (ps *Policies) Promote(ctx context.Context, change inspect.PolicyChange) (*inspect.NamedPolicy, error) {
	return ps.endCanary(ctx, change, "policy.promote", policy.Promoted)
}

func (ps *Policies) Abort(ctx context.Context, change inspect.PolicyChange) (*inspect.NamedPolicy, error) {
	return ps.endCanary(ctx, change, "policy.abort", policy.Aborted)
}

func (ps *Policies) endCanary(ctx context.Context, change inspect.PolicyChange, action string, body func(*store.Object) (json.RawMessage, error)) (*inspect.NamedPolicy, error) {
	named, _, err := ps.change(ctx, &change, action, func(before *store.Object) (json.RawMessage, error) {
		if before == nil {
			missing := task.NotFound("policy", change.Name)
			if _, preset := retry.DescribePreset(change.Name); preset {
				missing.Hint = "it is a preset, of which there are no versions"
			}
			return nil, missing
		}
		made, err := body(before)
		if errors.Is(err, policy.ErrNoCanary) {
			return nil, &task.Error{Code: task.CodeConflict, Message: "no canary of the policy " + task.Quote(change.Name) + " runs", Hint: "put a version with canary first, such as \"10%\""}
		}
		return made, err
	})
	return named, err
}
