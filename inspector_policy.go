package outlast

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Policies lists the policies that were put and the presets, by name. A policy
// that was put under the name of a preset stands in its place.
func (i *Inspector) Policies(ctx context.Context) ([]policy.Named, error) {
	objects, err := i.client.backend.Objects(ctx, policy.Kind)
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	var all []policy.Named
	for n := range objects {
		kept[objects[n].Name] = true
		all = append(all, namedOf(&objects[n]))
	}
	for _, name := range retry.Presets() {
		if kept[name] {
			continue
		}
		preset, err := presetOf(name)
		if err != nil {
			return nil, err
		}
		all = append(all, *preset)
	}
	slices.SortFunc(all, func(a, b policy.Named) int { return strings.Compare(a.Name, b.Name) })
	users, err := i.policyUsers(ctx)
	for n := range all {
		all[n].UsedBy = users[all[n].Name]
	}
	return all, err
}

// RetriesOn is false where the configuration has turned retries off for all tasks,
// as far as this node knows.
func (i *Inspector) RetriesOn() bool { return !i.client.registry.set.Load().Off() }

// namedOf is a policy as it is kept.
func namedOf(o *store.Object) policy.Named {
	named := policy.Named{Name: o.Name, Source: policy.API, Version: o.Version, Form: o.Body, Actor: o.Actor, UpdatedAt: o.UpdatedAt}
	if o.Managed == policy.ManagedByFile {
		named.Source = policy.File
	}
	_, named.Preset = retry.DescribePreset(o.Name)
	if len(o.Body) == 0 {
		named.Form = nil
		return named
	}
	if read, err := policy.Read(o); err == nil {
		named.Policy = read.Policy
		if named.Canary = read.Canary; read.Canary != nil {
			named.Form = read.Body
		}
	}
	return named
}

func presetOf(name string) (*policy.Named, error) {
	made, err := retry.Preset(name)
	if err != nil {
		return nil, err
	}
	spec, _ := made.Spec()
	form, err := policy.Normal(spec)
	return &policy.Named{Name: name, Source: policy.Preset, Version: 1, Form: form, Policy: made, Preset: true}, err
}

// Policy returns one policy, also one such as "easyjob(30s, 2, 5)". Code
// "not_found".
func (i *Inspector) Policy(ctx context.Context, name string) (*policy.Named, error) {
	named, err := i.policy(ctx, name)
	if err != nil {
		return nil, err
	}
	users, err := i.policyUsers(ctx)
	named.UsedBy = users[name]
	return named, err
}

func (i *Inspector) policy(ctx context.Context, name string) (*policy.Named, error) {
	o, err := i.client.backend.Object(ctx, policy.Kind, name)
	switch {
	case err == nil:
		named := namedOf(o)
		return &named, nil
	case !errors.Is(err, &Error{Code: task.CodeNotFound}) && policy.CheckName(name) == nil:
		return nil, err
	}
	named, err := presetOf(name)
	if err != nil {
		missing := task.NotFound("policy", name)
		if fields := retry.FieldErrors(err); len(fields) > 0 {
			missing.Hint = cmp.Or(fields[0].Hint, fields[0].Error())
		}
		return nil, missing
	}
	return named, nil
}

// policyUsers are the queues and types that name policies, by the policy's name.
func (i *Inspector) policyUsers(ctx context.Context) (map[string][]string, error) {
	queues, err := i.client.backend.Queues(ctx)
	if err != nil {
		return nil, err
	}
	users := map[string][]string{}
	for n := range queues {
		users[queues[n].Policy] = append(users[queues[n].Policy], "queue/"+queues[n].Name)
	}
	types, err := i.client.backend.Objects(ctx, policy.KindType)
	if err != nil {
		return nil, err
	}
	for n := range types {
		if of, err := policy.ParseType(types[n].Body); err == nil {
			users[of.Policy] = append(users[of.Policy], "type/"+types[n].Name)
		}
	}
	return users, nil
}

// PolicyVersions lists what is kept of a policy's versions, the newest first: the
// last 100. A deleted policy has them still. Code "not_found" if there are none.
func (i *Inspector) PolicyVersions(ctx context.Context, name string) ([]policy.Named, error) {
	if policy.CheckName(name) == nil {
		objects, err := i.client.backend.ObjectVersions(ctx, policy.Kind, name, store.MostVersions)
		if err != nil {
			return nil, err
		}
		versions := make([]policy.Named, len(objects))
		for n := range objects {
			versions[n] = namedOf(&objects[n])
		}
		if len(versions) > 0 {
			return versions, nil
		}
	}
	preset, err := i.policy(ctx, name)
	if err != nil {
		return nil, err
	}
	return []policy.Named{*preset}, nil
}

// PutPolicy creates a policy or changes it; changed is false if it says what it
// said before, which makes no new version. It holds on every node within about a
// second: for attempts that begin, and for what follows those that fail.
//
// Codes "invalid" with fields, "conflict" for another version, "managed_by_file".
func (i *Inspector) PutPolicy(ctx context.Context, change policy.Change) (named *policy.Named, changed bool, err error) {
	if change, err = i.shownPolicy(ctx, change); err != nil {
		return nil, false, err
	}
	made, err := policy.Parse(change.Name, change.Form)
	if err := policyErr(err); err != nil {
		return nil, false, err
	}
	if err := i.client.checkPolicy(ctx, made); err != nil {
		return nil, false, err
	}
	return i.changePolicy(ctx, &change, "policy.put", func(before *store.Object) (json.RawMessage, error) {
		if before != nil && string(policy.Written(before)) == string(made.Body) {
			return before.Body, nil
		}
		body, err := made.Over(before)
		return body, policyErr(err)
	})
}

// shownPolicy is a change whose form is complete again where headers were hidden from who
// has it: from the policy as it is, which must not change meanwhile.
func (i *Inspector) shownPolicy(ctx context.Context, change policy.Change) (policy.Change, error) {
	if !bytes.Contains(change.Form, []byte(task.Hidden)) {
		return change, nil
	}
	before, err := i.before(ctx, &change)
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

// checkPolicy checks the names that a policy takes from elsewhere. It may name itself.
func (c *Client) checkPolicy(ctx context.Context, made *policy.Policy) error {
	wrong := accept.Complaints{Channel: c.channelFor(ctx), Calls: c.callsOf(ctx)}
	if !absent(made.Alert) {
		wrong.Alert("alert", made.Alert)
	}
	if follow := made.Fallback; follow != nil {
		if follow.Queue != "" {
			c.queueOf(ctx, &wrong, "fallback.queue", follow.Queue)
		}
		if follow.HTTP != nil {
			wrong.CallableText("fallback.target.url", cmp.Or(follow.Queue, task.DefaultQueue), follow.HTTP.URL)
		}
		if follow.Policy != "" && follow.Policy != made.Name {
			kept, err := c.readPolicies(ctx)
			if err != nil {
				return err
			}
			wrong.Policies = kept
			wrong.PolicyName("fallback.policy", follow.Policy)
		}
	}
	return wrong.Err("the policy is invalid")
}

// changePolicy puts the body that follows from what is kept; the same one makes no
// new version.
func (i *Inspector) changePolicy(ctx context.Context, change *policy.Change, action string, body func(before *store.Object) (json.RawMessage, error)) (named *policy.Named, changed bool, err error) {
	for range conflictTries {
		before, err := i.before(ctx, change)
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
		done, err := i.client.backend.Change(ctx, store.Change{Put: []store.Object{o}, Audit: []store.Audit{row}})
		if err == nil {
			i.refresh(ctx)
			stored := namedOf(&done.Put[0])
			return &stored, true, nil
		}
		if !errors.Is(err, &Error{Code: task.CodeConflict}) || change.Version != nil {
			return nil, false, err
		}
	}
	return nil, false, &Error{Code: task.CodeConflict, Message: "the policy is being changed by others", Hint: "try again"}
}

// conflictTries is how often a change without a version meets another one before
// it gives up.
const conflictTries = 5

// before is the policy that is to be changed, nil if there is none.
func (i *Inspector) before(ctx context.Context, change *policy.Change) (*store.Object, error) {
	o, err := i.client.backend.Object(ctx, policy.Kind, change.Name)
	if errors.Is(err, &Error{Code: task.CodeNotFound}) {
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
		return nil, &Error{Code: task.CodeConflict, Message: fmt.Sprintf("the policy %s has version %d, not %d", task.Quote(change.Name), version, *change.Version),
			Hint: "look at what was changed, and put yours on top of it"}
	}
	return o, nil
}

// managedByFile refuses to change what the configuration file owns.
func managedByFile(what, name string) error {
	return &Error{Code: task.CodeManagedByFile, Message: "the " + what + " " + task.Quote(name) + " is in the configuration file",
		Hint: "change it there: servers read the file again when it changes, or at SIGHUP"}
}

// DeletePolicy deletes a policy; its versions are kept. Tasks that name it have
// the preset of the name then, if there is one, else what their type, their queue or
// the default says. Codes "not_found", "managed_by_file", and "conflict" for
// another version and for a policy that a queue or type names.
func (i *Inspector) DeletePolicy(ctx context.Context, change policy.Change) error {
	o, err := i.before(ctx, &change)
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
		all, err := i.policyUsers(ctx)
		if err != nil {
			return err
		}
		if users := all[change.Name]; len(users) > 0 {
			return &Error{Code: task.CodeConflict, Message: "the policy is named by " + strings.Join(users, ", "), Hint: "let them name another one first"}
		}
	}
	if change.DryRun {
		return nil
	}
	row := actor.Audit(ctx, "policy.delete", "policy/"+change.Name)
	o.Actor, row.Before = row.Actor, o.Body
	_, err = i.client.backend.Change(ctx, store.Change{Delete: []store.Object{*o}, Audit: []store.Audit{row}})
	if err == nil {
		i.refresh(ctx)
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
