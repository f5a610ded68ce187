package server

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/stats"
	"github.com/outlast-dev/outlast/token"
)

type seriesInput struct {
	From  client.Time     `query:"from" doc:"An hour before to when absent."`
	To    client.Time     `query:"to" doc:"Now when absent."`
	Step  client.Duration `query:"step" doc:"Whole minutes, or 10s to 50s; chosen when absent, so that there are at most 240 points. At most 1500 points."`
	Queue string          `query:"queue" doc:"All when absent, or all that the token is for."`
}

func (s *Server) addSeries() {
	handle(s, route{
		method: "GET", path: "/v1/stats/series", id: "get-series", needs: token.View, scope: filtered, tag: "stats", answers: []int{200},
		summary: "What happened over time: tasks that ended, attempts, retry rate, times and backlog",
		about: "Over all nodes, kept by the minute for two days; a node tells within ten seconds after the minute. Steps below a minute are what the node that answers remembers of the last hour. " +
			"Where nobody counted, a point has no nodes and null for everything.",
	}, s.series)
}

func (s *Server) series(ctx context.Context, in *seriesInput) (answer[client.Series], error) {
	queues, err := scopedQueues(ctx, in.Queue)
	if err != nil {
		return fail[client.Series](err)
	}
	found, err := s.inspect.Stats.Series(ctx, stats.SeriesQuestion{From: in.From.Time, To: in.To.Time, Step: time.Duration(in.Step), Queues: queues})
	if err != nil {
		return fail[client.Series](err)
	}
	out := client.Series{
		From: wireTime(found.From), To: wireTime(found.To), Step: client.Duration(found.Step), Queue: in.Queue, Source: "all nodes",
		Points: make([]client.SeriesPoint, len(found.Points)),
	}
	if found.ThisNode {
		out.Source = "this node"
	}
	for i := range found.Points {
		out.Points[i] = wirePoint(&found.Points[i])
	}
	return ok(out)
}

func wirePoint(p *stats.Point) client.SeriesPoint {
	out := client.SeriesPoint{At: wireTime(p.At), Nodes: p.Nodes}
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

func wirePercentiles(p stats.Percentiles) *client.SeriesPercentiles {
	return &client.SeriesPercentiles{P50: client.Duration(p.P50), P95: client.Duration(p.P95), P99: client.Duration(p.P99)}
}

func wireBacklog(p *stats.Point) *client.SeriesBacklog {
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
