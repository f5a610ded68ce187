package outlast

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/stats"
	"github.com/outlast-dev/outlast/task"
)

// CompareStats compares how attempts went under two releases or two versions of a
// policy, by type and number of the attempt, over all nodes: see package stats. Code
// "invalid" for another question.
func (i *Inspector) CompareStats(ctx context.Context, q stats.Question) ([]stats.Comparison, error) {
	var wrong accept.Complaints
	if q.By != "" && q.By != stats.ByRelease && q.By != stats.ByPolicyVersion {
		wrong.Add("by", task.Quote(string(q.By))+" is none of release, policy_version", "")
	}
	if q.From != "" && q.From == q.To {
		wrong.Add("to", "is the same as from", "name two, or none for the two newest")
	}
	if err := wrong.Err("the comparison is not valid"); err != nil {
		return nil, err
	}
	if err := i.client.running(); err != nil {
		return stats.Compare(ctx, i.client.backend, q)
	}
	return i.client.stats.Compare(ctx, q)
}

// backlog measures what waits, by queue: in the memory of this node, and on one node
// of all also in the store.
func (c *Client) backlog(ctx context.Context) map[string]stats.Backlog {
	waits := map[string]stats.Backlog{}
	for name, queue := range c.engine.Stats().Queues {
		if !isInternal(name) {
			waits[name] = stats.Backlog{Due: queue.Ready}
		}
	}
	if !c.engine.Topology().First(c.engine.Node()) {
		return waits
	}
	queues, err := c.alerts.Queues(ctx, time.Now())
	if err != nil {
		return waits // nobody has counted it in this minute, which shows
	}
	for i := range queues {
		q := &queues[i]
		waits[q.Name] = stats.Backlog{Due: waits[q.Name].Due + q.Aside, Pending: &q.Backlog, OldestDue: &q.OldestDue}
	}
	return waits
}

// Series tells what happened over time, over all nodes that have told the database,
// which they do every minute; with a step below a minute what this node remembers of
// the last hour. Points are kept for two days. Where nobody counted, a point has no
// nodes. Code "invalid" for another question.
func (i *Inspector) Series(ctx context.Context, q stats.SeriesQuestion) (*stats.Points, error) {
	if err := i.client.running(); err != nil {
		return stats.ReadSeries(ctx, i.client.backend, q)
	}
	return i.client.series.Read(ctx, q)
}
