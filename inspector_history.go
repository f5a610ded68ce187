package outlast

import (
	"context"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/stats"
	"github.com/outlast-dev/outlast/task"
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

// TargetHistory returns what happened to a target's breaker and budget on all nodes,
// the newest first: the last 500 changes, written about two seconds after they
// happened. A target to which nothing has happened has none; code "not_found" where
// nobody knows it either.
func (i *Inspector) TargetHistory(ctx context.Context, name string) ([]stats.TargetChange, error) {
	changes, err := stats.ReadHistory(ctx, i.client.backend, name)
	if errors.Is(err, &Error{Code: task.CodeNotFound}) {
		_, err = i.Target(ctx, name)
	}
	return changes, err
}
