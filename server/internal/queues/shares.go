package queues

import (
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
)

type sharesInput struct {
	scope.QueueName
	Limit *int `query:"limit" doc:"Share keys, 1 to 500, 100 when absent."`
}

func (c *calls) addShares(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/queues/{name}/shares", ID: "list-queue-shares", Needs: inspect.PermissionView, Scope: scope.ByQueue, Tag: "queues",
		Summary: "List the share keys of a queue, largest backlog first",
		About:   "Covers what the node that answers has in memory, for its own lanes. Share keys take turns, so one with a backlog does not delay the others.",
		Errors:  []task.Code{task.CodeNotFound},
	}, c.shares)
}

func (c *calls) shares(ctx context.Context, in *sharesInput) (*route.Answer[client.QueueShares], error) {
	most, err := query.Most(in.Limit)
	if err != nil {
		return nil, err
	}
	if queue, err := c.find(ctx, in.Name); err != nil || queue == nil {
		if err == nil {
			err = scope.NoQueue(in.Name)
		}
		return nil, err
	}
	found := c.queues.Shares(in.Name, most)
	out := client.QueueShares{Queue: in.Name, Node: found.Node, Total: found.Total, Shares: make([]client.QueueShare, len(found.Shares))}
	for i := range found.Shares {
		s := &found.Shares[i]
		out.Shares[i] = client.QueueShare{
			ShareKey: s.Key, Running: s.Running, Ready: s.Ready, Known: s.Known, More: s.More, Waiting: string(s.Held.Why), Next: wire.Time(s.Held.Until),
		}
	}
	return route.OK(out)
}
