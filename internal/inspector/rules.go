package inspector

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/task"
)

// AlertRules is [inspect.AlertRules].
type AlertRules struct{ node *node }

func (rs *AlertRules) List(ctx context.Context) ([]alert.RuleView, error) {
	objects, err := rs.node.Backend.Objects(ctx, alerts.KindRule)
	if err != nil {
		return nil, err
	}
	all := map[string]alert.RuleView{}
	for _, rule := range alerts.Builtin(rs.node.DeadBacklog) {
		all[rule.Name] = alert.RuleView{Rule: rule, Builtin: true}
	}
	for n := range objects {
		o := &objects[n]
		made := alert.RuleView{Replaces: all[o.Name].Builtin, Managed: o.Managed, Actor: o.Actor, Version: o.Version, UpdatedAt: o.UpdatedAt}
		if rule, err := alerts.ParseRule(o.Body); o.Doubt != nil {
			made.Problem = o.Doubt.Error()
		} else if err != nil {
			made.Problem = err.Error()
		} else {
			made.Rule = *rule
		}
		made.Name = o.Name
		all[o.Name] = made
	}
	out := make([]alert.RuleView, 0, len(all))
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out = append(out, all[name])
	}
	return out, nil
}

func (rs *AlertRules) Get(ctx context.Context, name string) (*alert.RuleView, error) {
	rules, err := rs.List(ctx)
	if err != nil {
		return nil, err
	}
	for n := range rules {
		if rules[n].Name == name {
			return &rules[n], nil
		}
	}
	return nil, task.NotFound("alert rule", name)
}

func (rs *AlertRules) Put(ctx context.Context, rule alert.Rule) (*alert.RuleView, error) {
	var c accept.Complaints
	c.FieldErrs(alerts.CheckRule(&rule))
	known, err := (&AlertChannels{rs.node}).names(ctx)
	if err != nil {
		return nil, err
	}
	for n, name := range rule.Channels {
		if !known[name] {
			c.Add(fmt.Sprintf("channels[%d]", n), "there is no channel "+task.Quote(name), alerts.ChannelHint(name, known))
		}
	}
	if err := c.Err("the rule is invalid"); err != nil {
		return nil, err
	}
	if err := (&alertObjects{rs.node}).put(ctx, alerts.KindRule, rule.Name, rule); err != nil {
		return nil, err
	}
	return rs.Get(ctx, rule.Name)
}

func (rs *AlertRules) Delete(ctx context.Context, name string) error {
	return (&alertObjects{rs.node}).delete(ctx, alerts.KindRule, "alert rule", name)
}
