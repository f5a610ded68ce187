package server

import (
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/group"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

type memberInput struct {
	Group string `path:"group" doc:"Name of the group, which need not be made before."`
	ID    string `path:"id" doc:"Id of the member, of its own choice."`
}

type putMemberInput struct {
	memberInput
	Body client.Member
}

func (s *Server) addGroups() {
	handle(s, route{
		method: "PUT", path: "/v1/groups/{group}/workers/{id}", id: "put-member", needs: token.Work, scope: whole, tag: "groups", answers: []int{200},
		summary: "Join a worker group, or beat", about: "To be repeated, three times within ttl at least. Any node can be told.",
	}, func(ctx context.Context, in *putMemberInput) (answer[client.Member], error) {
		m := group.Member{
			Group: in.Group, ID: in.ID, URL: in.Body.URL, Capacity: in.Body.Capacity, Load: in.Body.Load, TTL: group.Duration(in.Body.TTL),
		}
		if err := s.client.PutMember(ctx, m); err != nil {
			return fail[client.Member](err)
		}
		return ok(in.Body)
	})
	handle(s, route{
		method: "DELETE", path: "/v1/groups/{group}/workers/{id}", id: "remove-member", needs: token.Work, scope: whole, tag: "groups", answers: []int{200},
		summary: "Leave a worker group", errors: []task.Code{task.CodeNotFound},
	}, func(ctx context.Context, in *memberInput) (answer[none], error) {
		there, err := s.client.RemoveMember(ctx, in.Group, in.ID)
		if err == nil && !there {
			err = &task.Error{Code: task.CodeNotFound, Message: "the group has no member of this id"}
		}
		if err != nil {
			return fail[none](err)
		}
		return ok(none{})
	})
	handle(s, route{
		method: "GET", path: "/v1/groups", id: "list-groups", needs: token.View, scope: whole, tag: "groups", answers: []int{200},
		summary: "List worker groups", about: "As the node that is asked sees them.",
	}, func(context.Context, *none) (answer[client.Groups], error) {
		views := s.client.Groups()
		out := client.Groups{Groups: make([]client.Group, len(views))}
		for i := range views {
			out.Groups[i] = wireGroup(&views[i])
		}
		return ok(out)
	})
}

func wireGroup(v *group.View) client.Group {
	out := client.Group{
		Name: v.Name, State: v.State(), Members: make([]client.GroupMember, len(v.Members)), Failures: v.Failures, Kind: string(v.Kind),
		LastError: v.Message, NextAt: wireTime(v.Next),
	}
	for i, m := range v.Members {
		out.Members[i] = client.GroupMember{
			ID:     m.ID,
			Member: client.Member{URL: m.URL, Capacity: m.Capacity, Load: m.Load, TTL: client.Duration(m.TTL)},
			Living: m.Living, SeenAt: wireTime(m.Seen), InFlight: m.Flying,
		}
	}
	return out
}
