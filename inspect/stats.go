package inspect

import (
	"context"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/stats"
	"github.com/outlast-dev/outlast/task"
)

// Stats shows how attempts went, and what happened over time.
type Stats struct{ node *node }

// Compare compares how attempts went under two releases or two versions of a
// policy, by type and number of the attempt, over all nodes: see package stats. Code
// "invalid" for another question.
func (st *Stats) Compare(ctx context.Context, q stats.Question) ([]stats.Comparison, error) {
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
	if err := st.node.Running(); err != nil {
		return stats.Compare(ctx, st.node.Backend, q)
	}
	return st.node.Stats.Compare(ctx, q)
}

// Series tells what happened over time, over all nodes that have told the database,
// which they do every minute; with a step below a minute what this node remembers of
// the last hour. Points are kept for two days. Where nobody counted, a point has no
// nodes. Code "invalid" for another question.
func (st *Stats) Series(ctx context.Context, q stats.SeriesQuestion) (*stats.Points, error) {
	if err := st.node.Running(); err != nil {
		return stats.ReadSeries(ctx, st.node.Backend, q)
	}
	return st.node.Series.Read(ctx, q)
}
