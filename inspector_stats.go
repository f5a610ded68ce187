package outlast

import (
	"context"

	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/stats"
	"github.com/outlast-dev/outlast/task"
)

// counted counts an attempt by the release of its node or worker and the policy's version.
func (c *Client) counted(o engine.Outcome) {
	s := o.Settlement
	if s.Unstarted || s.Outcome == task.OutcomeReleased {
		return
	}
	a := stats.Attempt{
		Type: s.Task.Type, Number: s.Task.Attempt, Failed: s.Outcome != task.OutcomeSucceeded,
		Run: s.EndedAt.Sub(s.StartedAt), Delay: max(0, s.StartedAt.Sub(s.Task.RunAt)),
	}
	_, _, a.Release = task.Runner(s.Task.Node)
	if p := o.Policy; p != nil && p.Version() > 0 {
		a.Policy, a.Version = p.Name(), p.Version()
	}
	c.stats.Add(&a)
}

// CompareStats compares how attempts went under two releases or two versions of a
// policy, by type and number of the attempt, over all nodes: see package stats. Code
// "invalid" for another question.
func (i *Inspector) CompareStats(ctx context.Context, q stats.Question) ([]stats.Comparison, error) {
	var wrong complaints
	if q.By != "" && q.By != stats.ByRelease && q.By != stats.ByPolicyVersion {
		wrong.add("by", task.Quote(string(q.By))+" is none of release, policy_version", "")
	}
	if q.From != "" && q.From == q.To {
		wrong.add("to", "is the same as from", "name two, or none for the two newest")
	}
	if err := wrong.err("the comparison is not valid"); err != nil {
		return nil, err
	}
	if err := i.client.running(); err != nil {
		return stats.Compare(ctx, i.client.backend, q)
	}
	return i.client.stats.Compare(ctx, q)
}
