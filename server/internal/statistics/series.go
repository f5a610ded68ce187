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
		Points: wire.Each(found.Points, wirePoint),
	}
	if found.ThisNode {
		out.Source = "this node"
	}
	return route.OK(out)
}

func wirePoint(p *inspect.Point) client.SeriesPoint {
	out := client.SeriesPoint{At: wire.Time(p.At), Nodes: p.Nodes}
	if p.Nodes == 0 {
		return out
	}
	rate := func(count int) float64 { return float64(count) / p.Counted.Seconds() }
	attempts, failed := rate(p.Attempts), rate(p.Failed)
	out.Finished = &client.SeriesFinished{Succeeded: rate(p.Succeeded), Dead: rate(p.Dead), Canceled: rate(p.Canceled)}
	out.Attempts, out.Failed = &attempts, &failed
	if p.Attempts > 0 {
		share := float64(p.Retries) / float64(p.Attempts)
		out.RetryRate, out.Run, out.Wait = &share, wirePercentiles(p.Run), wirePercentiles(p.Wait)
	}
	if p.Pending != nil {
		out.Backlog = wireBacklog(p)
	}
	return out
}

func wirePercentiles(p inspect.Percentiles) *client.SeriesPercentiles {
	return &client.SeriesPercentiles{P50: client.Duration(p.P50), P95: client.Duration(p.P95), P99: client.Duration(p.P99)}
}

func wireBacklog(p *inspect.Point) *client.SeriesBacklog {
	out := &client.SeriesBacklog{Pending: *p.Pending}
	if p.Due != nil {
		out.Due = min(*p.Due, out.Pending)
	}
	out.Waiting = out.Pending - out.Due
	if p.OldestDue != nil {
		out.OldestDue = client.Duration(*p.OldestDue)
	}
	return out
}
