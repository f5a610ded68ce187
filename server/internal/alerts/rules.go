package alerts

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

func (c *calls) addRules(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/alerts/rules", ID: "list-alert-rules", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "alerts", Summary: "List alert rules, including the built-in ones", About: "With the variables that their conditions can use.",
	}, func(ctx context.Context, _ *route.None) (*route.Answer[client.AlertRules], error) {
		rules, err := c.alerts.Rules.List(ctx)
		if err != nil {
			return nil, err
		}
		return route.OK(client.AlertRules{Rules: wire.Each(rules, wireRule), Variables: wireVariables()})
	})
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/alerts/rules/{name}", ID: "get-alert-rule", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "alerts", Summary: "Get an alert rule", About: "With whether it holds on the node that is asked.",
		Errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *name) (*route.Answer[client.AlertRule], error) {
		return route.As(wireRule)(c.alerts.Rules.Get(ctx, in.Name))
	})
	route.Handle(to, route.Route{
		Method: "PUT", Path: "/v1/alerts/rules/{name}", ID: "put-alert-rule", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "alerts", Limit: maxBody,
		Summary: "Create or replace an alert rule, including a built-in one", About: variablesText(), Request: reflect.TypeFor[alert.Rule](),
		Errors: []task.Code{task.CodeManagedByFile},
	}, func(ctx context.Context, in *putInput) (*route.Answer[client.AlertRule], error) {
		rule, err := alerts.ParseRule(in.Body)
		if err != nil {
			return nil, refusedFields("the rule is invalid", err)
		}
		if rule.Name, err = oneName(rule.Name, in.Name); err != nil {
			return nil, err
		}
		return route.As(wireRule)(c.alerts.Rules.Put(ctx, *rule))
	})
	route.Handle(to, route.Route{
		Method: "DELETE", Path: "/v1/alerts/rules/{name}", ID: "delete-alert-rule", Needs: inspect.PermissionAdminister, Scope: scope.Whole, Tag: "alerts",
		Summary: "Delete an alert rule; a built-in rule of that name applies again", About: "One that the configuration file owns is refused.", Errors: []task.Code{task.CodeNotFound, task.CodeManagedByFile},
	}, func(ctx context.Context, in *name) (*route.Answer[route.None], error) {
		if err := c.alerts.Rules.Delete(ctx, in.Name); err != nil {
			return nil, err
		}
		return route.OK(route.None{})
	})
}

// variablesText is the list of the variables for the document.
func variablesText() string {
	text := "Conditions are in CEL, of at most 2 KiB, without comprehensions. Their variables, and for which `on` each is set:\n"
	for _, v := range alerts.Variables() {
		text += "\n- `" + v.Name + "` (" + v.Type + "): " + v.Doc + ". "
		for i, on := range v.On {
			if i > 0 {
				text += ", "
			}
			text += "`" + string(on) + "`"
		}
	}
	return text
}

func wireVariables() (out []client.AlertVariable) {
	for _, v := range alerts.Variables() {
		made := client.AlertVariable{Name: v.Name, Type: v.Type, Doc: v.Doc}
		for _, on := range v.On {
			made.On = append(made.On, string(on))
		}
		out = append(out, made)
	}
	return out
}

func wireRule(r *alert.RuleView) client.AlertRule {
	body, _ := json.Marshal(r.Rule) // it has been read from JSON
	return client.AlertRule{
		Name: r.Name, Rule: client.PlainJSON(body), Builtin: r.Builtin, Replaces: r.Replaces, Managed: r.Managed, Actor: r.Actor, Version: r.Version,
		UpdatedAt: wire.Time(r.UpdatedAt), Problem: r.Problem,
	}
}
