package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/report"
)

// examineNodes compares what the living servers may call: where they differ, tasks
// are handed on from one that may not to one that may, if that lives.
func (r exam) examineNodes(ctx context.Context, api *client.Client) {
	nodes, err := api.Nodes(ctx, 500)
	switch {
	case err != nil:
		r.Add("nodes", report.Fails, err.Error(), "")
	case nodes.Stale:
		r.Add("nodes", report.Warns, "the server last read them at "+cli.When(nodes.AsOf), "it cannot reach its store; see its log")
	default:
		r.compareNodes(nodes.Nodes)
		r.examineAllowed(nodes.Nodes)
		r.examineServerClock(nodes)
	}
}

func (r exam) compareNodes(nodes []client.Node) {
	first, living := (*client.Node)(nil), 0
	for i := range nodes {
		n := &nodes[i]
		if n.State != "alive" || n.Slots == 0 {
			continue
		}
		living++
		if n.Kind != "server" {
			continue
		}
		if first == nil {
			first = n
		}
		if mine, theirs := strings.Join(cli.MayCall(first), ", "), strings.Join(cli.MayCall(n), ", "); mine != theirs {
			r.Add("nodes", report.Warns, fmt.Sprintf("%s may call [%s], %s [%s]", first.ID, mine, n.ID, theirs),
				"give all servers the same --allow-target and --target-secret-env, unless the difference is intended")
			return
		}
	}
	r.Add("nodes", report.Fine, cli.Plural(living, "node")+" at work", "")
}
