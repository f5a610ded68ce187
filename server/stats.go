package server

import (
	"cmp"
	"context"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/stats"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/token"
)

type statsInput struct {
	By   string `query:"by" doc:"release, or policy_version; release when absent."`
	Type string `query:"type" doc:"Of tasks; all when absent."`
	From string `query:"from" doc:"The earlier side; what was seen first before the later one when absent."`
	To   string `query:"to" doc:"The later side; what was first seen last when absent."`
}

func (s *Server) addStats() {
	handle(s, route{
		method: "GET", path: "/v1/stats", id: "get-stats", needs: token.View, scope: whole, tag: "stats", answers: []int{200},
		summary: "Tell how things stand: tasks by queue, dead letters, and how busy the nodes are",
	}, s.stats)
	handle(s, route{
		method: "GET", path: "/v1/stats/compare", id: "compare-stats", needs: token.View, scope: whole, tag: "stats", answers: []int{200},
		summary: "Compare how attempts went under two releases, or two versions of a policy",
		about: "By type and number of the attempt: how many there were, how long they ran, how late they started. Over all nodes, those of others until half a minute ago. " +
			"A type without the sides asked for is left out.",
	}, s.compareStats)
}

func (s *Server) stats(ctx context.Context, _ *none) (answer[client.Stats], error) {
	queues, err := s.listQueues(ctx, &none{})
	if err != nil {
		return fail[client.Stats](err)
	}
	dead, err := s.inspect.Letters.Stats(ctx)
	if err != nil {
		return fail[client.Stats](err)
	}
	nodes, err := s.inspect.Nodes.List(ctx)
	if err != nil {
		return fail[client.Stats](err)
	}
	backlog, err := s.inspect.Queues.Backlog(ctx)
	if err != nil {
		return fail[client.Stats](err)
	}
	out := client.Stats{
		Queues: []client.QueueStats{}, Dead: client.DeadStats(*dead), AsOf: wireTime(s.inspect.Nodes.TopologyAt()),
		Ready: backlog.Due, Scheduled: backlog.Later, OldestDue: client.Duration(backlog.OldestDue),
	}
	for _, queue := range queues.Body.Queues {
		out.Queues = append(out.Queues, client.QueueStats{Name: queue.Name, Paused: queue.Paused, Counts: *queue.Counts})
	}
	for i := range nodes {
		if nodes[i].State == store.NodeAlive {
			out.Nodes++
			out.Running += nodes[i].Load.Running
			out.Slots += nodes[i].Load.Slots
		}
	}
	return ok(out)
}

func (s *Server) compareStats(ctx context.Context, in *statsInput) (answer[client.StatsComparisons], error) {
	found, err := s.inspect.Stats.Compare(ctx, stats.Question{By: stats.By(in.By), Type: in.Type, From: in.From, To: in.To})
	if err != nil {
		return fail[client.StatsComparisons](err)
	}
	out := client.StatsComparisons{By: cmp.Or(in.By, string(stats.ByRelease)), Comparisons: make([]client.StatsComparison, len(found))}
	for i := range found {
		out.Comparisons[i] = wireComparison(&found[i])
	}
	return ok(out)
}

func wireComparison(c *stats.Comparison) client.StatsComparison {
	out := client.StatsComparison{Type: c.Type, Attempt: c.Number, From: wireSide(c.From), To: wireSide(c.To)}
	if c.From != nil {
		out.Growth = client.StatsGrowth{
			P50: stats.Growth(c.From.P50, c.To.P50), P99: stats.Growth(c.From.P99, c.To.P99),
			DelayP50: stats.Growth(c.From.DelayP50, c.To.DelayP50), DelayP99: stats.Growth(c.From.DelayP99, c.To.DelayP99),
		}
	}
	return out
}

func wireSide(s *stats.Side) *client.StatsSide {
	if s == nil {
		return nil
	}
	return &client.StatsSide{
		Name: s.Name, Since: client.Time{Time: s.Since}, Count: s.Count, Failed: s.Failed, P50: client.Duration(s.P50), P99: client.Duration(s.P99),
		DelayP50: client.Duration(s.DelayP50), DelayP99: client.Duration(s.DelayP99),
	}
}
