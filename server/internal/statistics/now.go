// Package statistics is the calls about what there is, and how it went over time.
package statistics

import (
	"cmp"
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/stats"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/store"
)

type statsInput struct {
	By   string `query:"by" doc:"release, or policy_version; release when absent."`
	Type string `query:"type" doc:"Of tasks; all when absent."`
	From string `query:"from" doc:"The earlier side; what was seen first before the later one when absent."`
	To   string `query:"to" doc:"The later side; what was first seen last when absent."`
}

type calls struct {
	stats   inspect.Stats
	queues  inspect.Queues
	letters inspect.Letters
	nodes   inspect.Nodes
}

// Add adds the calls that count.
func Add(to *route.Table, stats inspect.Stats, queues inspect.Queues, letters inspect.Letters, nodes inspect.Nodes) {
	c := &calls{stats, queues, letters, nodes}
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/stats", ID: "get-stats", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "stats",
		Summary: "Get the current state: tasks by queue, dead letters and the load of the nodes", About: "Over all nodes, but for what is in memory: that is of the node that answers.",
	}, c.now)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/stats/compare", ID: "compare-stats", Needs: inspect.PermissionView, Scope: scope.Whole, Tag: "stats",
		Summary: "Compare attempts of two releases or two policy versions",
		About: "By type and number of the attempt: how many there were, how long they ran, how late they started. Over all nodes, those of others until half a minute ago. " +
			"A type without the sides asked for is left out.",
	}, c.compare)
	c.addSeries(to)
}

func (c *calls) now(ctx context.Context, _ *route.None) (*route.Answer[client.Stats], error) {
	queues, err := c.queues.List(ctx)
	if err != nil {
		return nil, err
	}
	counts, err := c.queues.Stats(ctx)
	if err != nil {
		return nil, err
	}
	dead, err := c.letters.Stats(ctx)
	if err != nil {
		return nil, err
	}
	nodes, err := c.nodes.List(ctx)
	if err != nil {
		return nil, err
	}
	backlog, err := c.queues.Backlog(ctx)
	if err != nil {
		return nil, err
	}
	out := client.Stats{
		Queues: []client.QueueStats{}, Dead: client.DeadStats(*dead), AsOf: wire.Time(c.nodes.TopologyAt()),
		Ready: backlog.Due, Scheduled: backlog.Later, OldestDue: client.Duration(backlog.OldestDue),
	}
	for i := range queues {
		queue := &queues[i]
		out.Queues = append(out.Queues, client.QueueStats{Name: queue.Name, Paused: queue.Paused, Counts: *wire.QueueCounts(counts[queue.Name])})
	}
	for i := range nodes {
		if nodes[i].State == store.NodeAlive {
			out.Nodes++
			out.Running += nodes[i].Load.Running
			out.Slots += nodes[i].Load.Slots
		}
	}
	return route.OK(out)
}

func (c *calls) compare(ctx context.Context, in *statsInput) (*route.Answer[client.StatsComparisons], error) {
	found, err := c.stats.Compare(ctx, inspect.ComparisonQuestion{By: inspect.ComparisonBy(in.By), Type: in.Type, From: in.From, To: in.To})
	if err != nil {
		return nil, err
	}
	return route.OK(client.StatsComparisons{By: cmp.Or(in.By, string(inspect.ByRelease)), Comparisons: wire.Each(found, wireComparison)})
}

func wireComparison(c *inspect.Comparison) client.StatsComparison {
	out := client.StatsComparison{Type: c.Type, Attempt: c.Number, From: wireSide(c.From), To: wireSide(c.To)}
	if c.From != nil {
		out.Growth = client.StatsGrowth{
			P50: stats.Growth(c.From.P50, c.To.P50), P99: stats.Growth(c.From.P99, c.To.P99),
			DelayP50: stats.Growth(c.From.DelayP50, c.To.DelayP50), DelayP99: stats.Growth(c.From.DelayP99, c.To.DelayP99),
		}
	}
	return out
}

func wireSide(s *inspect.ComparisonSide) *client.StatsSide {
	if s == nil {
		return nil
	}
	return &client.StatsSide{
		Name: s.Name, Since: client.Time{Time: s.Since}, Count: s.Count, Failed: s.Failed, P50: client.Duration(s.P50), P99: client.Duration(s.P99),
		DelayP50: client.Duration(s.DelayP50), DelayP99: client.Duration(s.DelayP99),
	}
}
