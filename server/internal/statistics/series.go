package statistics

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
)

type seriesInput struct {
	From  client.Time     `query:"from" doc:"An hour before to when absent."`
	To    client.Time     `query:"to" doc:"Now when absent."`
	Step  client.Duration `query:"step" doc:"Whole minutes, or 10s to 50s; chosen when absent, so that there are at most 240 points. At most 1500 points."`
	Queue string          `query:"queue" doc:"All when absent, or all that the token is for."`
}

func (c *calls) addSeries(to *route.Table) {
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/stats/series", ID: "get-series", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "stats",
		Summary: "Get the history: ended tasks, attempts, retry rate, durations and backlog",
		About: "Over all nodes, kept by the minute for two days; a node tells within ten seconds after the minute. Steps below a minute are what the node that answers remembers of the last hour. " +
			"Where nobody counted, a point has no nodes and null for everything.",
	}, c.series)
}

func (c *calls) series(ctx context.Context, in *seriesInput) (*route.Answer[client.Series], error) {
	queues, err := scope.Within(ctx, in.Queue)
	if err != nil {
		return nil, err
	}
	found, err := c.stats.Series(ctx, inspect.SeriesQuestion{From: in.From.Time, To: in.To.Time, Step: time.Duration(in.Step), Queues: queues})
	if err != nil {
		return nil, err
	}
	out := client.Series{
		From: wire.Time(found.From), To: wire.Time(found.To), Step: client.Duration(found.Step), Queue: in.Queue, Source: "all nodes",
		Points: wire.Each(found.Points, wire.Point),
	}
	if found.ThisNode {
		out.Source = "this node"
	}
	return route.OK(out)
}
