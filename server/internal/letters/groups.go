package letters

import (
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

type groupsInput struct {
	deadQuery
	Limit *int `query:"limit" doc:"Groups, 1 to 500, 100 when absent."`
	Trend bool `query:"trend" doc:"With when, why and where the letters died."`
}

type groupInput struct {
	deadQuery
	Of string `path:"fingerprint" doc:"Fingerprint of the last error."`
}

func (c *calls) addGroups(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/dead/groups", ID: "group-dead", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "dead letters",
		Summary: "Group dead letters by the fingerprint of their last error, largest group first",
		About:   "With a filter, and for trends, the newest 4 000 letters are looked at, 1 000 with a type or a fingerprint; for a token for certain queues, 4 000 of each of them.",
	}, c.groups)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/dead/groups/{fingerprint}", ID: "get-dead-group", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "dead letters",
		Summary: "Get a group of dead letters: when, why and where they died, and the error of the example", Errors: []task.Code{task.CodeNotFound},
		About: "The newest 1 000 letters of the group are looked at; for a token for certain queues, those of the group among the newest 4 000 of each of them.",
	}, c.group)
}

func (c *calls) groups(ctx context.Context, in *groupsInput) (*route.Answer[client.DeadGroups], error) {
	most, err := query.Most(in.Limit)
	if err != nil {
		return nil, err
	}
	filter, err := in.scoped(ctx)
	if err != nil {
		return nil, err
	}
	groups, err := c.letters.Groups(ctx, filter, most)
	if err != nil {
		return nil, err
	}
	var trends map[string]*inspect.Trend
	if in.Trend {
		if trends, err = c.letters.Trends(ctx, filter); err != nil {
			return nil, err
		}
	}
	out := client.DeadGroups{Groups: make([]client.DeadGroup, len(groups))}
	for i := range groups {
		out.Groups[i] = wireDeadGroup(&groups[i])
		out.Groups[i].Trend = wireTrend(trends[groups[i].Fingerprint])
	}
	return route.OK(out)
}

func (c *calls) group(ctx context.Context, in *groupInput) (*route.Answer[client.DeadGroup], error) {
	if in.Fingerprint != "" && in.Fingerprint != in.Of {
		return nil, task.Invalid("fingerprint", "is given twice", "the path has it")
	}
	filter, err := in.scoped(ctx)
	if err != nil {
		return nil, err
	}
	group, err := c.letters.Group(ctx, in.Of, filter)
	if err != nil {
		return nil, err
	}
	filter.Fingerprint = in.Of
	trends, err := c.letters.Trends(ctx, filter)
	if err != nil {
		return nil, err
	}
	out := wireDeadGroup(group)
	out.Trend = wireTrend(trends[in.Of])
	if example, err := c.tasks.Row(ctx, group.Example); err == nil { // else it went away meanwhile
		out.Error = wire.Failure(example.LastError)
	}
	return route.OK(out)
}

func wireDeadGroup(g *store.DeadGroup) client.DeadGroup {
	return client.DeadGroup{
		Fingerprint: g.Fingerprint, Count: g.Count, Type: g.Type, Reason: string(g.Reason), Category: g.Category, Message: g.Message,
		FirstSeen: wire.Time(g.FirstSeen), LastSeen: wire.Time(g.LastSeen), Example: g.Example,
	}
}

func wireTrend(t *inspect.Trend) *client.DeadTrend {
	if t == nil {
		return nil
	}
	return &client.DeadTrend{
		Since: wire.Time(t.Since), Hours: t.Hours[:], Before: t.Before, Counted: t.Counted, ByReason: t.ByReason, ByTarget: t.ByTarget, ByRelease: t.ByRelease,
	}
}
