package client

import (
	"context"
	"net/url"
)

// StatsSide is how attempts went under one release or policy version.
type StatsSide struct {
	Name     string   `json:"name" doc:"The release, (none) where it has no name; or the policy and its version: payment@3."`
	Since    Time     `json:"since" doc:"When it was seen first."`
	Count    int      `json:"count" doc:"Attempts."`
	Failed   int      `json:"failed" doc:"Those of them that did not succeed."`
	P50      Duration `json:"p50" doc:"Half of the attempts ran no longer."`
	P99      Duration `json:"p99" doc:"99 of 100 attempts ran no longer."`
	DelayP50 Duration `json:"delay_p50" doc:"Half of the attempts started no later after they were due."`
	DelayP99 Duration `json:"delay_p99" doc:"99 of 100 attempts started no later after they were due."`
}

// StatsGrowth is how many times as long the later side takes: 1.5 is half as long
// again. A value is absent where a side has none.
type StatsGrowth struct {
	P50      float64 `json:"p50,omitzero" doc:"Of the time that half of the attempts ran no longer."`
	P99      float64 `json:"p99,omitzero" doc:"Of the time that 99 of 100 ran no longer."`
	DelayP50 float64 `json:"delay_p50,omitzero" doc:"Of the delay that half of the attempts did not exceed."`
	DelayP99 float64 `json:"delay_p99,omitzero" doc:"Of the delay that 99 of 100 did not exceed."`
}

// StatsComparison is of the attempts of one number of one type.
type StatsComparison struct {
	Type    string      `json:"type" doc:"Type of the tasks."`
	Attempt int         `json:"attempt" doc:"Number of the attempt; 5 stands for all from the fifth on."`
	From    *StatsSide  `json:"from,omitempty" doc:"Absent where there is nothing before."`
	To      *StatsSide  `json:"to" nullable:"false" doc:"The later side."`
	Growth  StatsGrowth `json:"growth" doc:"How many times as long the later side takes: 1.5 is half as long again."`
}

// StatsComparisons are comparisons by type and number of the attempt.
type StatsComparisons struct {
	By          string            `json:"by" enum:"release,policy_version" doc:"What is compared."`
	Comparisons []StatsComparison `json:"comparisons" doc:"By type and number of the attempt."`
}

// StatsQuestion says what is compared. The zero value is the two newest releases of
// every type.
type StatsQuestion struct {
	By       string // release or policy_version
	Type     string
	From, To string
}

// QueueStats is one line of [Stats].
type QueueStats struct {
	Name   string      `json:"name" doc:"Name of the queue."`
	Paused bool        `json:"paused" doc:"Nothing of it starts."`
	Counts QueueCounts `json:"counts" doc:"Each counted no further than 10000."`
}

// Stats is how things stand over all nodes.
type Stats struct {
	Queues    []QueueStats `json:"queues" doc:"By name."`
	Dead      DeadStats    `json:"dead" doc:"Dead letters of all queues."`
	Nodes     int          `json:"nodes" doc:"Living ones."`
	Running   int          `json:"running" doc:"Attempts in progress, at the last beats of the living nodes."`
	Slots     int          `json:"slots" doc:"Attempts at most, of the living nodes."`
	Ready     int          `json:"ready" doc:"Due tasks in the memory of the node that answers, and those of all nodes that are set aside, since nobody can start them now: no living node starts their type, their target is down, their key is blocked. Of each queue counted to 10000."`
	Scheduled int          `json:"scheduled" doc:"Tasks in the memory of the node that answers that are not due."`
	OldestDue Duration     `json:"oldest_due" doc:"For how long the oldest pending task has been due."`
	AsOf      Time         `json:"as_of" doc:"When the node that answers has read the nodes from the store."`
}

// Stats tells how things stand.
func (c *Client) Stats(ctx context.Context) (*Stats, error) {
	return get[Stats](ctx, c, "/v1/stats", nil)
}

// CompareStats compares how attempts went under two releases or policy versions.
func (c *Client) CompareStats(ctx context.Context, q StatsQuestion) (*StatsComparisons, error) {
	query := url.Values{}
	for name, value := range map[string]string{"by": q.By, "type": q.Type, "from": q.From, "to": q.To} {
		if value != "" {
			query.Set(name, value)
		}
	}
	return get[StatsComparisons](ctx, c, "/v1/stats/compare", query)
}
