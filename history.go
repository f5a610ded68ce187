package outlast

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/stats"
)

// historyObserver notes what happens to breakers.
func (c *Client) historyObserver() engine.Observer {
	return engine.Observer{BreakerChanged: func(target string, change retry.BreakerChange) {
		if alert.IsType(target) {
			return
		}
		c.history.Add(target, stats.TargetChange{
			At: change.At, Part: "breaker", State: change.To.String(), Was: change.From.String(), Reason: change.Cause, Until: change.Until.UTC(),
		})
	}}
}

// spentBudgets are when the targets of this node whose retries must wait have their
// next token.
func (c *Client) spentBudgets() map[string]time.Time {
	spent := map[string]time.Time{}
	for _, target := range c.engine.Troubled() {
		if target.Waiting.Budget > 0 && !alert.IsType(target.Name) {
			spent[target.Name] = target.Budget.Until
		}
	}
	return spent
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
