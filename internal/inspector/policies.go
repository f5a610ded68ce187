package inspector

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Policies is [inspect.Policies].
type Policies struct{ node *node }

func (ps *Policies) List(ctx context.Context) ([]inspect.NamedPolicy, error) {
	objects, err := ps.node.Backend.Objects(ctx, policy.Kind)
	if err != nil {
		return nil, err
	}
	kept := map[string]bool{}
	var all []inspect.NamedPolicy
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
	slices.SortFunc(all, func(a, b inspect.NamedPolicy) int { return strings.Compare(a.Name, b.Name) })
	users, err := ps.users(ctx)
	for n := range all {
		all[n].UsedBy = users[all[n].Name]
	}
	return all, err
}

func (ps *Policies) RetriesOn() bool { return !ps.node.Policies.Set().Off() }

// namedOf is a policy as it is kept.
func namedOf(o *store.Object) inspect.NamedPolicy {
	named := inspect.NamedPolicy{Name: o.Name, Source: inspect.PolicyAPI, Version: o.Version, Form: o.Body, Actor: o.Actor, UpdatedAt: o.UpdatedAt}
	if o.Managed == policy.ManagedByFile {
		named.Source = inspect.PolicyFile
	}
	_, named.Preset = retry.DescribePreset(o.Name)
	if len(o.Body) == 0 {
		named.Form = nil
		return named
	}
	if read, err := policy.Read(o); err == nil {
		named.Policy = read.Policy
		if c := read.Canary; c != nil {
			named.Form = read.Body
			named.Canary = &inspect.PolicyCanary{Share: c.Share, BaseVersion: c.Base.Version, Base: c.Base.Body}
		}
	}
	return named
}

func presetOf(name string) (*inspect.NamedPolicy, error) {
	made, err := retry.Preset(name)
	if err != nil {
		return nil, err
	}
	spec, _ := made.Spec()
	form, err := policy.Normal(spec)
	return &inspect.NamedPolicy{Name: name, Source: inspect.PolicyPreset, Version: 1, Form: form, Policy: made, Preset: true}, err
}

func (ps *Policies) Get(ctx context.Context, name string) (*inspect.NamedPolicy, error) {
	named, err := ps.one(ctx, name)
	if err != nil {
		return nil, err
	}
	users, err := ps.users(ctx)
	named.UsedBy = users[name]
	return named, err
}

func (ps *Policies) one(ctx context.Context, name string) (*inspect.NamedPolicy, error) {
	o, err := ps.node.Backend.Object(ctx, policy.Kind, name)
	switch {
	case err == nil:
		named := namedOf(o)
		return &named, nil
	case !errors.Is(err, &task.Error{Code: task.CodeNotFound}) && policy.CheckName(name) == nil:
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

// users are the queues and types that name policies, by the policy's name.
func (ps *Policies) users(ctx context.Context) (map[string][]string, error) {
	queues, err := ps.node.Backend.Queues(ctx)
	if err != nil {
		return nil, err
	}
	users := map[string][]string{}
	for n := range queues {
		users[queues[n].Policy] = append(users[queues[n].Policy], "queue/"+queues[n].Name)
	}
	types, err := ps.node.Backend.Objects(ctx, policy.KindType)
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

func (ps *Policies) Versions(ctx context.Context, name string) ([]inspect.NamedPolicy, error) {
	if policy.CheckName(name) == nil {
		objects, err := ps.node.Backend.ObjectVersions(ctx, policy.Kind, name, store.MostVersions)
		if err != nil {
			return nil, err
		}
		versions := make([]inspect.NamedPolicy, len(objects))
		for n := range objects {
			versions[n] = namedOf(&objects[n])
		}
		if len(versions) > 0 {
			return versions, nil
		}
	}
	preset, err := ps.one(ctx, name)
	if err != nil {
		return nil, err
	}
	return []inspect.NamedPolicy{*preset}, nil
}
