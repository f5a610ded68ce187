package inspector

import (
	"context"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/stats"
	"github.com/outlast-dev/outlast/task"
)

// Stats is [inspect.Stats].
type Stats struct{ node *node }

func (st *Stats) Compare(ctx context.Context, q inspect.ComparisonQuestion) ([]inspect.Comparison, error) {
	var wrong accept.Complaints
	if q.By != "" && q.By != inspect.ByRelease && q.By != inspect.ByPolicyVersion {
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

func (st *Stats) Series(ctx context.Context, q inspect.SeriesQuestion) (*inspect.Points, error) {
	if err := st.node.Running(); err != nil {
		return stats.ReadSeries(ctx, st.node.Backend, q)
	}
	return st.node.Series.Read(ctx, q)
}
