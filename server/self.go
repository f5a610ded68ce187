package server

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/token"
)

func (s *Server) addSelf() {
	handle(s, route{
		method: "GET", path: "/v1/self", id: "get-self", needs: token.Known, scope: shared, tag: "tokens", answers: []int{200},
		summary: "Tell what the caller may do, and who answers",
	}, s.self)
}

func (s *Server) self(ctx context.Context, _ *none) (answer[client.Self], error) {
	out := client.Self{Open: true, Queues: []string{}, Permissions: permissions(token.Admin)}
	if t := bearer(ctx); t != nil {
		out.Open, out.Role, out.Queues, out.Permissions = false, string(t.Role), append(out.Queues, t.Queues...), permissions(t.Role)
		out.Token = &client.SelfToken{ID: t.ID, Prefix: t.Prefix(), Name: t.Name, ExpiresAt: wireTime(t.ExpiresAt)}
	}
	out.Server = client.SelfServer{
		Version: s.api.Info.Version, Node: s.client.Stats().Node, Store: s.store, Time: wireTime(time.Now()),
	}
	out.Server.Safety.Mode, out.Server.Safety.Loss = Safety(s.store)
	topology, err := s.inspect.Nodes.Topology(ctx)
	if err != nil {
		return fail[client.Self](err)
	}
	for i := range topology.Nodes {
		if node := &topology.Nodes[i]; node.ID == out.Server.Node {
			out.Server.Release, out.Server.StartedAt = node.Release, wireTime(node.StartedAt)
		}
	}
	return ok(out)
}

func permissions(role token.Role) []string {
	names := []string{}
	for _, p := range token.Permissions {
		if role.May(p) {
			names = append(names, string(p))
		}
	}
	return names
}

// Safety says what an acknowledged task survives on a kind of store, and what can be
// lost at worst: full is a loss of power, server what the database server is set up for,
// none nothing.
func Safety(store string) (mode, loss string) {
	switch store {
	case "memory":
		return "none", "everything, when the process ends: tasks are kept in memory"
	case "sqlite":
		return "full", "nothing that was acknowledged, as long as the disk keeps what it has synced"
	}
	return "server", "what the settings of the database server and its standbys allow; outlast doctor tells"
}
