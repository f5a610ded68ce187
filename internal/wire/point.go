package wire

import (
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
)

// Point is what happened during one step.
func Point(p *inspect.Point) client.SeriesPoint {
	out := client.SeriesPoint{At: Time(p.At), Nodes: p.Nodes}
	if p.Nodes == 0 {
		return out
	}
	rate := func(count int) float64 { return float64(count) / p.Counted.Seconds() }
	attempts, failed := rate(p.Attempts), rate(p.Failed)
	out.Finished = &client.SeriesFinished{Succeeded: rate(p.Succeeded), Dead: rate(p.Dead), Canceled: rate(p.Canceled)}
	out.Attempts, out.Failed = &attempts, &failed
	if p.Attempts > 0 {
		share := float64(p.Retries) / float64(p.Attempts)
		out.RetryRate, out.Run, out.Wait = &share, percentiles(p.Run), percentiles(p.Wait)
	}
	if p.Pending != nil {
		out.Backlog = backlog(p)
	}
	return out
}

func percentiles(p inspect.Percentiles) *client.SeriesPercentiles {
	return &client.SeriesPercentiles{P50: client.Duration(p.P50), P95: client.Duration(p.P95), P99: client.Duration(p.P99)}
}

func backlog(p *inspect.Point) *client.SeriesBacklog {
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
