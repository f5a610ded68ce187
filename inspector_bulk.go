package outlast

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/bulk"
	"github.com/outlast-dev/outlast/feed"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Bulk cancels, retries or reschedules many tasks: up to 100 that are named at once,
// with what has become of each in Items; more, and those of a filter, by an operation
// that outlives this node, whose id is returned. It does to each what [Inspector.Cancel],
// [Inspector.RetryNow] or [Inspector.Reschedule] do to one: a task whose state does not
// fit is left alone, and said. A dry run changes nothing, counts and shows a sample.
func (i *Inspector) Bulk(ctx context.Context, request bulk.Request) (bulk.Result, error) {
	var c accept.Complaints
	if request.Action == bulk.Reschedule && !request.RunAt.IsZero() {
		c.Moment("run_at", request.RunAt, time.Now())
		request.RunAt = accept.CeilMicro(request.RunAt)
	}
	if err := c.Err("the time is invalid"); err != nil {
		return bulk.Result{}, err
	}
	if request.Filter != nil {
		if err := checkFilter(request.Filter, nil); err != nil {
			return bulk.Result{}, err
		}
		request.Hidden = leavesOut(request.Filter)
	}
	return i.client.bulk.Do(ctx, request, actor.Audit(ctx, "task."+string(request.Action), ""))
}

// BulkItems is the report of an operation that [Inspector.Bulk] has begun: what has
// become of each of its tasks, in the order in which they go. A page has at most 500,
// and 100 if its limit is 0. Code "not_found" for operations that are unknown or have
// no report any more: it is kept as long as dead letters are, from the end of the
// operation.
func (i *Inspector) BulkItems(ctx context.Context, id string, page store.Page) (items []bulk.Item, next string, err error) {
	return i.client.bulk.Items(ctx, id, page)
}

// steeredTasks tells this node what was done to many tasks.
func (c *Client) steeredTasks(steered []store.Steered) {
	tasks := make([]*task.Task, len(steered))
	for n := range steered {
		tasks[n] = steered[n].Task
	}
	c.engine.Steered(tasks)
	for _, t := range tasks {
		if t.State == task.Pending {
			c.feedAsked(t, feed.Released)
		} else {
			c.toldCanceled(t)
		}
	}
}
