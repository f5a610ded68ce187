package outlast

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/bulk"
	"github.com/outlast-dev/outlast/dead"
	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/feed"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/stats"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Feed is what happens, as it happens: see package feed. The changes of tasks in it are
// those of this node.
func (c *Client) Feed() *feed.Feed { return c.feed }

func (c *Client) makeFeed() {
	watch := &liveWatch{client: c}
	c.feed = feed.New(feed.Config{Look: watch.look, Sample: c.liveStats})
}

// feedObserver tells the feed what the engine does. It costs nothing while nobody
// listens.
func (c *Client) feedObserver() engine.Observer {
	return engine.Observer{
		AttemptStarted: func(t *task.Task, _ time.Duration) {
			if c.feed.Listening() {
				c.tellFeed(t, feed.Task{State: task.Running, What: feed.Started, ChangedAt: time.Now()})
			}
		},
		Settled: func(o engine.Outcome) {
			if c.feed.Listening() {
				c.feedSettled(&o)
			}
		},
		Recovered: func(r store.Recovered) {
			if c.feed.Listening() {
				c.feed.Task(feedRecovered(&r))
			}
		},
		BreakerChanged: func(target string, _ retry.BreakerChange) {
			if c.feed.Listening() && !alert.IsType(target) {
				c.feed.Object(feed.Object{Kind: "target", Name: target})
			}
		},
	}
}

// tellFeed completes a change by what the task is.
func (c *Client) tellFeed(t *task.Task, change feed.Task) {
	change.ID, change.Type, change.Queue, change.Target, change.Key, change.Attempt = t.ID, t.Type, t.Queue, t.Target, t.Key, t.Attempt
	change.ChangedAt = change.ChangedAt.UTC()
	c.feed.Task(change)
}

var feedWords = map[task.Outcome]feed.What{
	task.OutcomeSucceeded: feed.Succeeded, task.OutcomeFailed: feed.Failed, task.OutcomeSnoozed: feed.Snoozed,
	task.OutcomeReleased: feed.Released, task.OutcomeDead: feed.Dead, task.OutcomeCanceled: feed.Canceled,
}

// feedSent tells the feed that an alert went through a channel, or did not.
func feedSent(f *feed.Feed, o *engine.Outcome) {
	if t := o.Settlement.Task; isInternal(t.Queue) {
		if channel, sends := strings.CutPrefix(t.Type, alert.SendType("")); sends {
			f.Object(feed.Object{Kind: "alert", Name: channel})
		}
	}
}

func (c *Client) feedSettled(o *engine.Outcome) {
	s := o.Settlement
	change := feed.Task{State: o.State, What: feedWords[s.Outcome], Reason: s.DeadReason, ChangedAt: s.EndedAt}
	switch o.State {
	case task.Pending:
		change.NextAt = s.RunAt.UTC()
	case task.Dead:
		change.What = feed.Dead
	case task.Canceled: // where a cancel request met a failure
		change.What = feed.Canceled
	}
	if f := s.Failure; f != nil {
		change.Category, change.Code = f.Category, f.Code
	}
	c.tellFeed(s.Task, change)
}

func feedRecovered(r *store.Recovered) feed.Task {
	change := feed.Task{
		ID: r.ID, Type: r.Type, Queue: r.Queue, Target: r.Entry.Target, Key: r.Entry.Key, State: task.Pending, Attempt: r.Attempt,
		What: feed.Crashed, ChangedAt: time.Now().UTC(),
	}
	switch {
	case r.Canceled:
		change.State, change.What = task.Canceled, feed.Canceled
	case r.Cause == "node left":
		change.What = feed.Released
	}
	return change
}

// feedEnqueued tells the feed of tasks that were accepted.
func (c *Client) feedEnqueued(receipts ...Receipt) {
	if !c.feed.Listening() {
		return
	}
	for i := range receipts {
		if r := &receipts[i]; r.Err == nil && !r.Existing {
			c.tellFeed(r.Task, feed.Task{State: task.Pending, What: feed.Enqueued, NextAt: r.Task.RunAt, ChangedAt: r.Task.CreatedAt})
		}
	}
}

// feedAsked tells the feed what an operator has done with a task.
func (c *Client) feedAsked(t *task.Task, what feed.What) {
	if !c.feed.Listening() || isInternal(t.Queue) {
		return
	}
	change := feed.Task{State: t.State, What: what, ChangedAt: time.Now()}
	if t.State == task.Pending {
		change.NextAt = t.RunAt.UTC()
	}
	c.tellFeed(t, change)
}

// mostLiveQueues are counted for those who listen.
const mostLiveQueues = 100

// liveStats counts at a cost that does not grow with the backlog.
func (c *Client) liveStats(ctx context.Context) (*feed.Stats, error) {
	now := time.Now()
	letters, err := c.backend.DeadStats(ctx)
	if err != nil {
		return nil, err
	}
	samples, err := c.alerts.Queues(ctx, now)
	if err != nil {
		return nil, err
	}
	memory := c.engine.Stats()
	stats := &feed.Stats{At: now.UTC(), Dead: letters.Total, Ready: memory.Ready, Waiting: memory.Waiting}
	slices.SortFunc(samples, func(a, b alert.QueueSample) int { return cmp.Compare(a.Name, b.Name) })
	for _, sample := range samples[:min(len(samples), mostLiveQueues)] {
		running, err := c.backend.Count(ctx, store.Filter{Queue: sample.Name, State: task.Running}, mostRunning)
		if err != nil {
			return nil, err
		}
		stats.Ready += sample.Aside
		stats.Queues = append(stats.Queues, feed.Queue{Name: sample.Name, Paused: sample.Paused, Pending: sample.Backlog, Running: running, OldestDue: sample.OldestDue})
	}
	for _, node := range c.engine.Topology().Nodes {
		if node.State == store.NodeAlive && !node.Gone {
			stats.Nodes++
			stats.Slots += node.Load.Slots
		}
	}
	return stats, nil
}

// liveWatch finds out which objects have changed, on any node: by the audit log, by
// what nodes tell in their rows, and by the operations.
type liveWatch struct {
	client     *Client
	audited    map[string]bool // rows of the audit log that were seen
	nodes      map[string]store.NodeState
	breakers   map[[2]string]string // by node and target
	operations map[string]int64     // versions
}

// The audit log is read in small pages, newest first, until a row is known.
const (
	auditPage  = 20
	auditPages = 5
	mostOps    = 20
)

// liveKinds are all kinds of objects; alertKinds are those of the audit log that are
// about alerts.
var (
	liveKinds  = []string{"policy", "queue", "schedule", "alert", "operation", "target", "token"}
	alertKinds = []string{alert.KindRule, alert.KindChannel, alert.KindSilence, "alert"}
)

func (w *liveWatch) look(ctx context.Context, fresh bool) (changed []feed.Object) {
	topology := w.client.engine.Topology()
	changed = append(w.auditLog(ctx), w.nodesOf(topology)...)
	changed = append(changed, w.operationsOf(ctx)...)
	if fresh {
		return nil
	}
	return changed
}

// auditLog tells what its new rows are about.
func (w *liveWatch) auditLog(ctx context.Context) (changed []feed.Object) {
	seen := map[string]bool{}
	page := store.Page{Limit: auditPage}
	for range auditPages {
		rows, next, err := w.client.backend.Audit(ctx, store.AuditFilter{}, page)
		if err != nil {
			return changed
		}
		known := len(w.audited) == 0
		for i := range rows {
			seen[rows[i].ID] = true
			if w.audited[rows[i].ID] {
				known = true
			} else if o, ok := liveObject(rows[i].Subject); ok {
				changed = append(changed, o)
			}
		}
		if known || next == "" {
			w.audited = seen
			return changed
		}
		page.Cursor = next
	}
	w.audited, changed = seen, nil
	for _, kind := range liveKinds { // too much to tell by name
		changed = append(changed, feed.Object{Kind: kind})
	}
	return changed
}

// liveObject is what the subject of a row is, false for tasks.
func liveObject(subject string) (o feed.Object, ok bool) {
	kind, name, _ := strings.Cut(subject, "/")
	switch {
	case slices.Contains(alertKinds, kind):
		return feed.Object{Kind: "alert", Name: name}, true
	case kind == "dead":
		return feed.Object{Kind: kind}, true
	case kind == "queue":
		return feed.Object{Kind: kind, Name: name, Queue: name}, true
	}
	return feed.Object{Kind: kind, Name: name}, slices.Contains(liveKinds, kind)
}

// nodesOf compares nodes, and the breakers that they tell of.
func (w *liveWatch) nodesOf(topology *store.Topology) (changed []feed.Object) {
	nodes, breakers := map[string]store.NodeState{}, map[[2]string]string{}
	for i := range topology.Nodes {
		node := &topology.Nodes[i]
		if nodes[node.ID] = node.State; w.nodes[node.ID] != node.State {
			changed = append(changed, feed.Object{Kind: "node", Name: node.ID})
		}
		for t := range node.Targets {
			if node.State != store.NodeAlive || alert.IsType(node.Targets[t].Name) {
				continue
			}
			key := [2]string{node.ID, node.Targets[t].Name}
			if breakers[key] = node.Targets[t].Breaker.State; w.breakers[key] != breakers[key] {
				changed = append(changed, feed.Object{Kind: "target", Name: key[1]})
			}
		}
	}
	w.nodes, w.breakers = nodes, breakers
	return changed
}

// operationsOf compares the newest operations.
func (w *liveWatch) operationsOf(ctx context.Context) (changed []feed.Object) {
	operations, err := w.client.backend.Operations(ctx, "", mostOps)
	if err != nil {
		return nil
	}
	versions := map[string]int64{}
	for i := range operations {
		o := &operations[i]
		if before, known := w.operations[o.ID]; !known || before != o.Version {
			object := feed.Object{Kind: "operation", Name: o.ID}
			if queues := append(dead.QueuesOf(o), bulk.QueuesOf(o)...); len(queues) == 1 {
				object.Queue = queues[0]
			}
			changed = append(changed, object)
		}
		versions[o.ID] = o.Version
	}
	w.operations = versions
	return changed
}

// toldCanceled lets those know who wait for a task that an operator has canceled. One
// that was only asked to end is told of when it does.
func (c *Client) toldCanceled(t *task.Task) {
	if !t.State.Final() {
		return
	}
	c.waiters.tell(t.ID)
	if !isInternal(t.Queue) {
		c.series.Add(&stats.Event{Queue: t.Queue, State: t.State})
	}
	c.feedAsked(t, feed.Canceled)
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
