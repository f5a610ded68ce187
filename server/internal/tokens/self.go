package tokens

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/token"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
)

// Host is the server that answers.
type Host struct {
	Version string
	Store   string        // the kind of it
	Node    func() string // its id
	// Mode and Loss say what an acknowledged task survives.
	Mode, Loss string
}

// AddSelf adds the call about the caller and who answers it.
func AddSelf(to *route.Table, nodes inspect.Nodes, host Host) {
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/self", ID: "get-self", Needs: inspect.PermissionKnown, Scope: scope.Shared, Tag: "tokens",
		Summary: "Get the permissions of the caller, and the node that answers", About: "For programs that offer only what their token may do.",
	}, func(ctx context.Context, _ *route.None) (*route.Answer[client.Self], error) {
		out := caller(ctx)
		out.Server = client.SelfServer{Version: host.Version, Node: host.Node(), Store: host.Store, Time: wire.Time(time.Now())}
		out.Server.Safety.Mode, out.Server.Safety.Loss = host.Mode, host.Loss
		topology, err := nodes.Topology(ctx)
		if err != nil {
			return nil, err
		}
		for i := range topology.Nodes {
			if node := &topology.Nodes[i]; node.ID == out.Server.Node {
				out.Server.Release, out.Server.StartedAt = node.Release, wire.Time(node.StartedAt)
			}
		}
		return route.OK(out)
	})
}

// caller is who calls, and what that may do.
func caller(ctx context.Context) client.Self {
	t := scope.Bearer(ctx)
	if t == nil {
		return client.Self{Open: true, Queues: []string{}, Permissions: permissions(inspect.Admin)}
	}
	return client.Self{
		Role: string(t.Role), Queues: append([]string{}, t.Queues...), Permissions: permissions(t.Role),
		Token: &client.SelfToken{ID: t.ID, Prefix: t.Prefix(), Name: t.Name, ExpiresAt: wire.Time(t.ExpiresAt)},
	}
}

func permissions(role inspect.Role) []string {
	names := []string{}
	for _, p := range token.Permissions {
		if token.May(role, p) {
			names = append(names, string(p))
		}
	}
	return names
}
