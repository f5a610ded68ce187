package client

import (
	"context"
	"net/url"
	"time"
)

// SeriesPercentiles are upper ends of buckets, at most a quarter too high.
type SeriesPercentiles struct {
	P50 Duration `json:"p50" doc:"Half took no longer."`
	P95 Duration `json:"p95" doc:"95 of 100 took no longer."`
	P99 Duration `json:"p99" doc:"99 of 100 took no longer."`
}

// SeriesFinished is how many tasks ended per second.
type SeriesFinished struct {
	Succeeded float64 `json:"succeeded" doc:"Tasks that succeeded."`
	Dead      float64 `json:"dead" doc:"Tasks that died."`
	Canceled  float64 `json:"canceled" doc:"Tasks that were canceled."`
}

// SeriesBacklog is what waited, at most during the step.
type SeriesBacklog struct {
	Pending   int      `json:"pending" doc:"Pending tasks, each queue counted no further than 10000."`
	Due       int      `json:"due" doc:"Those of them that were due in the memory of nodes: at least so many."`
	Waiting   int      `json:"waiting" doc:"The others: their time had not come, or a shut gate held them on disk."`
	OldestDue Duration `json:"oldest_due" doc:"How long the oldest had been due."`
}

// SeriesPoint is what happened during one step. A value that nobody knows is null.
type SeriesPoint struct {
	At        Time               `json:"at" doc:"The beginning of the step."`
	Nodes     int                `json:"nodes" doc:"That counted; 0 is a gap, and everything else is null."`
	Finished  *SeriesFinished    `json:"finished" doc:"Tasks that ended, per second."`
	Attempts  *float64           `json:"attempts" doc:"Attempts that ended, per second."`
	Failed    *float64           `json:"failed" doc:"Those of them that failed, per second."`
	RetryRate *float64           `json:"retry_rate" doc:"Share of the attempts that were not the first of their task; null without attempts."`
	Run       *SeriesPercentiles `json:"run" doc:"How long attempts ran; null without attempts."`
	Wait      *SeriesPercentiles `json:"wait" doc:"From when an attempt was due to its start; null without attempts."`
	Backlog   *SeriesBacklog     `json:"backlog" doc:"Null where nobody looked."`
}

// Series are points over time, the oldest first.
type Series struct {
	From   Time          `json:"from" doc:"The beginning of the first step."`
	To     Time          `json:"to" doc:"The end of the last step."`
	Step   Duration      `json:"step" doc:"Time from one point to the next."`
	Queue  string        `json:"queue" doc:"Empty for all, or all that the token is for."`
	Source string        `json:"source" enum:"all nodes,this node" doc:"Steps below a minute are of the memory of the node that answers."`
	Points []SeriesPoint `json:"points" doc:"The points, the oldest first."`
}

// SeriesQuestion says which points are wanted. The zero value is the last hour.
type SeriesQuestion struct {
	From, To time.Time
	Step     time.Duration
	Queue    string
}

// Series tells what happened over time.
func (c *Client) Series(ctx context.Context, q SeriesQuestion) (*Series, error) {
	query := url.Values{}
	for name, value := range map[string]time.Time{"from": q.From, "to": q.To} {
		if !value.IsZero() {
			query.Set(name, value.UTC().Format(time.RFC3339Nano))
		}
	}
	if q.Step != 0 {
		query.Set("step", q.Step.String())
	}
	if q.Queue != "" {
		query.Set("queue", q.Queue)
	}
	return get[Series](ctx, c, "/v1/stats/series", query)
}
