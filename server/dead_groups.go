package server

import (
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/dead"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
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

func (s *Server) addDeadGroups() {
	handle(s, route{
		method: "GET", path: "/v1/dead/groups", id: "group-dead", needs: token.View, scope: filtered, tag: "dead letters", answers: []int{200},
		summary: "Group dead letters by the fingerprint of their last error, most first",
		about:   "With a filter, and for trends, the newest 4 000 letters are looked at, 1 000 with a type or a fingerprint; for a token for certain queues, 4 000 of each of them.",
	}, s.deadGroups)
	handle(s, route{
		method: "GET", path: "/v1/dead/groups/{fingerprint}", id: "get-dead-group", needs: token.View, scope: filtered, tag: "dead letters", answers: []int{200},
		summary: "Get a group of dead letters: when, why and where they died, and the error of the example", errors: []task.Code{task.CodeNotFound},
		about: "The newest 1 000 letters of the group are looked at; for a token for certain queues, those of the group among the newest 4 000 of each of them.",
	}, s.deadGroup)
}

func (s *Server) deadGroups(ctx context.Context, in *groupsInput) (answer[client.DeadGroups], error) {
	page, err := pageOf(in.Limit, "")
	if err != nil {
		return fail[client.DeadGroups](err)
	}
	if page.Limit == 0 {
		page.Limit = 100
	}
	filter, err := in.scoped(ctx)
	if err != nil {
		return fail[client.DeadGroups](err)
	}
	groups, err := s.inspect.Letters.Groups(ctx, filter, page.Limit)
	if err != nil {
		return fail[client.DeadGroups](err)
	}
	var trends map[string]*dead.Trend
	if in.Trend {
		if trends, err = s.inspect.Letters.Trends(ctx, filter); err != nil {
			return fail[client.DeadGroups](err)
		}
	}
	out := client.DeadGroups{Groups: make([]client.DeadGroup, len(groups))}
	for i := range groups {
		out.Groups[i] = wireDeadGroup(&groups[i])
		out.Groups[i].Trend = wireTrend(trends[groups[i].Fingerprint])
	}
	return ok(out)
}

func (s *Server) deadGroup(ctx context.Context, in *groupInput) (answer[client.DeadGroup], error) {
	if in.Fingerprint != "" && in.Fingerprint != in.Of {
		return fail[client.DeadGroup](task.Invalid("fingerprint", "is given twice", "the path has it"))
	}
	filter, err := in.scoped(ctx)
	if err != nil {
		return fail[client.DeadGroup](err)
	}
	group, err := s.inspect.Letters.Group(ctx, in.Of, filter)
	if err != nil {
		return fail[client.DeadGroup](err)
	}
	filter.Fingerprint = in.Of
	trends, err := s.inspect.Letters.Trends(ctx, filter)
	if err != nil {
		return fail[client.DeadGroup](err)
	}
	out := wireDeadGroup(group)
	out.Trend = wireTrend(trends[in.Of])
	if example, err := s.inspect.Tasks.Get(ctx, group.Example); err == nil { // else it went away meanwhile
		out.Error = wireFailure(example.LastError)
	}
	return ok(out)
}

func wireDeadGroup(g *store.DeadGroup) client.DeadGroup {
	return client.DeadGroup{
		Fingerprint: g.Fingerprint, Count: g.Count, Type: g.Type, Reason: string(g.Reason), Category: g.Category, Message: g.Message,
		FirstSeen: wireTime(g.FirstSeen), LastSeen: wireTime(g.LastSeen), Example: g.Example,
	}
}

func wireTrend(t *dead.Trend) *client.DeadTrend {
	if t == nil {
		return nil
	}
	return &client.DeadTrend{
		Since: wireTime(t.Since), Hours: t.Hours[:], Before: t.Before, Counted: t.Counted, ByReason: t.ByReason, ByTarget: t.ByTarget, ByRelease: t.ByRelease,
	}
}
