// Package groups is the calls about worker groups and their members.
package groups

import (
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

type memberInput struct {
	Group string `path:"group" doc:"Name of the group, which need not be made before."`
	ID    string `path:"id" doc:"Id of the member, of its own choice."`
}

type putMemberInput struct {
	memberInput
	Body client.Member
}

// Node knows the members of groups. [outlast.Client] implements it.
type Node interface {
	PutMember(ctx context.Context, m inspect.Member) error
	RemoveMember(ctx context.Context, name, id string) (bool, error)
	Groups() []inspect.Group
}

// Add adds the calls about worker groups.
func Add(to *route.Table, node Node) {
	route.Handle(to, route.Route{
		Method: "PUT", Path: "/v1/groups/{group}/workers/{id}", ID: "put-member", Needs: inspect.PermissionWork, Scope: scope.Whole, Tag: "groups",
		Summary: "Join a worker group, or send a heartbeat", About: "Repeat this at least three times within ttl, on any node.",
	}, func(ctx context.Context, in *putMemberInput) (*route.Answer[client.Member], error) {
		m := inspect.Member{
			Group: in.Group, ID: in.ID, URL: in.Body.URL, Capacity: in.Body.Capacity, Load: in.Body.Load, TTL: retry.Duration(in.Body.TTL),
		}
		if err := node.PutMember(ctx, m); err != nil {
			return nil, err
		}
		return route.OK(in.Body)
	})
	route.Handle(to, route.Route{
		Method: "DELETE", Path: "/v1/groups/{group}/workers/{id}", ID: "remove-member", Needs: inspect.PermissionWork, Scope: scope.Whole, Tag: "groups",
		Summary: "Leave a worker group", About: "For a member that stops. One that only falls silent is a member until its ttl is over.", Errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *memberInput) (*route.Answer[route.None], error) {
		there, err := node.RemoveMember(ctx, in.Group, in.ID)
		if err == nil && !there {
			err = &task.Error{Code: task.CodeNotFound, Message: "the group has no member of this id"}
		}
		if err != nil {
			return nil, err
		}
		return route.OK(route.None{})
	})
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/groups", ID: "list-groups", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "groups",
		Summary: "List worker groups", About: "As the node that answers sees them.",
	}, func(context.Context, *route.None) (*route.Answer[client.Groups], error) {
		return route.OK(client.Groups{Groups: wire.Each(node.Groups(), wireGroup)})
	})
}

func wireGroup(v *inspect.Group) client.Group {
	out := client.Group{
		Name: v.Name, State: v.State(), Members: make([]client.GroupMember, len(v.Members)), Failures: v.Failures, Kind: string(v.Kind),
		LastError: v.Message, NextAt: wire.Time(v.Next),
	}
	for i, m := range v.Members {
		out.Members[i] = client.GroupMember{
			ID:     m.ID,
			Member: client.Member{URL: m.URL, Capacity: m.Capacity, Load: m.Load, TTL: client.Duration(m.TTL)},
			Living: m.Living, SeenAt: wire.Time(m.Seen), InFlight: m.Flying,
		}
	}
	return out
}
