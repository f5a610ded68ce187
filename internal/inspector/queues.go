package inspector

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/actor"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Queues is [inspect.Queues].
type Queues struct{ node *node }

// Limits of a queue's settings.
const (
	maxLanes       = 256
	maxConcurrency = 1_000_000
	maxWeight      = 1000
	// mostQueueCounted is where the counts of [inspect.QueueStats] stop.
	mostQueueCounted = 10_000
)

func (qs *Queues) List(ctx context.Context) ([]store.Queue, error) {
	queues, err := qs.node.Backend.Queues(ctx)
	return slices.DeleteFunc(queues, func(q store.Queue) bool { return isInternal(q.Name) }), err
}

func (qs *Queues) Put(ctx context.Context, queue store.Queue) (*store.Queue, error) {
	set, err := qs.node.Policies.Read(ctx)
	if err != nil {
		return nil, err
	}
	if err := checkQueue(&queue, set); err != nil {
		return nil, err
	}
	filed, err := qs.node.Backend.Object(ctx, "queue", queue.Name)
	switch {
	case err == nil && filed.Managed != "":
		return nil, managedByFile("queue", queue.Name)
	case err != nil && !errors.Is(err, &task.Error{Code: task.CodeNotFound}):
		return nil, err
	}
	stored, err := qs.node.Backend.PutQueue(ctx, queue, actor.Audit(ctx, "queue.put", "queue/"+queue.Name))
	if err == nil {
		qs.node.refresh(ctx)
	}
	return stored, err
}

func checkQueue(queue *store.Queue, policies *policy.Set) error {
	c := accept.Complaints{Policies: policies}
	within := func(path string, value, least, most int) {
		if value < least || value > most {
			c.Add(path, strconv.Itoa(value)+" is outside "+strconv.Itoa(least)+" to "+strconv.Itoa(most), "0 means the default")
		}
	}
	c.Name("name", queue.Name)
	within("lanes", queue.Lanes, 0, maxLanes)
	within("concurrency", queue.Concurrency, 0, maxConcurrency)
	within("weight", queue.Weight, 0, maxWeight)
	if queue.MaxPending < 0 {
		c.Add("max_pending", "is negative", "0 is no limit")
	}
	within("shares.concurrency", queue.Shares.Concurrency, 0, maxConcurrency)
	if _, _, err := queue.Shares.Rate.Parse(); err != nil {
		c.Add("shares.rate", task.Quote(string(queue.Shares.Rate))+" is not a rate", "a number up to 1000000, a slash and s, m or h: 50/s")
	}
	switch queue.UnknownType {
	case "", "park", "dead":
	default:
		c.Add("unknown_type", task.Quote(queue.UnknownType)+" is neither park nor dead", "park keeps tasks until something can start them")
	}
	if queue.Policy != "" {
		c.PolicyName("policy", queue.Policy)
	}
	return c.Err("the queue is invalid")
}

func (qs *Queues) Pause(ctx context.Context, name string, paused bool) (*store.Queue, error) {
	action := "queue.resume"
	if paused {
		action = "queue.pause"
	}
	queue, err := qs.node.Backend.PauseQueue(ctx, name, paused, actor.Audit(ctx, action, "queue/"+name))
	if err == nil {
		qs.node.refresh(ctx)
	}
	return queue, err
}

func (qs *Queues) Stats(ctx context.Context) (map[string]inspect.QueueStats, error) {
	queues, err := qs.List(ctx)
	if err != nil {
		return nil, err
	}
	here := qs.node.Memory.Stats().Queues
	all := make(map[string]inspect.QueueStats, len(queues))
	for _, queue := range queues {
		own := here[queue.Name]
		stats := inspect.QueueStats{Lanes: own.Lanes, Known: own.Known, RunningHere: own.Running}
		waits, err := qs.node.Backend.Backlog(ctx, queue.Numbers, mostQueueCounted)
		if err != nil {
			return nil, err
		}
		stats.Pending, stats.Parked = waits.Pending, waits.Parked
		for state, count := range map[task.State]*int{task.Running: &stats.Running, task.Dead: &stats.Dead} {
			filter := store.Filter{Queue: queue.Name, State: state}
			if *count, err = qs.node.Backend.Count(ctx, filter, mostQueueCounted); err != nil {
				return nil, err
			}
		}
		all[queue.Name] = stats
	}
	return all, nil
}

// Recent implements [inspect.Queues].
func (qs *Queues) Recent(ctx context.Context) (map[string]inspect.QueueRecent, error) {
	if !qs.node.started() {
		return nil, nil
	}
	samples, err := qs.node.Alerts.Queues.Look(ctx, time.Now())
	if err != nil {
		return nil, err
	}
	names := make([]string, len(samples))
	for i := range samples {
		names[i] = samples[i].Name
	}
	points, err := qs.node.Series.Recent(ctx, names)
	if err != nil {
		return nil, err
	}
	recent := make(map[string]inspect.QueueRecent, len(samples))
	for i := range samples {
		now := inspect.QueueRecent{OldestDue: samples[i].OldestDue}
		if point, known := points[samples[i].Name]; known {
			now.Point = &point
		}
		recent[samples[i].Name] = now
	}
	return recent, nil
}

// Shares implements [inspect.Queues].
func (qs *Queues) Shares(queue string, most int) inspect.QueueShares {
	if !qs.node.started() {
		return inspect.QueueShares{}
	}
	counts, total := qs.node.Memory.Shares(queue, most)
	out := inspect.QueueShares{Node: qs.node.Fleet.Node(), Total: total, Shares: make([]inspect.QueueShare, len(counts))}
	for i, c := range counts {
		out.Shares[i] = inspect.QueueShare(c)
	}
	return out
}

// mostQueueBlocked is where [inspect.QueueGauges.Blocked] stops.
const mostQueueBlocked = 500

func (qs *Queues) Gauges(ctx context.Context, most int) ([]inspect.QueueGauges, error) {
	if err := qs.node.Running(); err != nil {
		return nil, err
	}
	samples, err := qs.node.Alerts.Queues.Look(ctx, time.Now())
	if err != nil {
		return nil, err
	}
	gauges := make([]inspect.QueueGauges, 0, max(0, min(len(samples), most)))
	for _, sample := range samples[:cap(gauges)] {
		running, err := qs.node.Backend.Count(ctx, store.Filter{Queue: sample.Name, State: task.Running}, mostQueueCounted)
		if err != nil {
			return nil, err
		}
		blocked, _, err := (&Keys{qs.node}).Blocked(ctx, []string{sample.Name}, false, store.Page{Limit: mostQueueBlocked})
		if err != nil {
			return nil, err
		}
		gauges = append(gauges, inspect.QueueGauges{
			Name: sample.Name, Pending: sample.Backlog, Parked: sample.Parked, Running: running, Blocked: len(blocked), OldestDue: sample.OldestDue,
		})
	}
	return gauges, nil
}

func (qs *Queues) Backlog(ctx context.Context) (*inspect.Backlog, error) {
	if err := qs.node.Running(); err != nil {
		return nil, err
	}
	samples, err := qs.node.Alerts.Queues.Look(ctx, time.Now())
	if err != nil {
		return nil, err
	}
	memory := qs.node.Memory.Stats()
	backlog := &inspect.Backlog{Due: memory.Ready, Later: memory.Waiting, Stranded: map[string][]string{}}
	for n := range samples {
		backlog.Due += samples[n].Aside
		backlog.OldestDue = max(backlog.OldestDue, samples[n].OldestDue)
		if len(samples[n].Stranded) > 0 {
			backlog.Stranded[samples[n].Name] = samples[n].StrandedTypes()
		}
	}
	return backlog, nil
}

// mostStranded bounds the rows of what no living node can run, since the tasks of each are
// counted.
const mostStranded = 50

func (qs *Queues) Stranded(ctx context.Context, queues ...string) (rows []inspect.Stranded, more int, err error) {
	if err := qs.node.Running(); err != nil {
		return nil, 0, err
	}
	now := time.Now()
	samples, err := qs.node.Alerts.Queues.Look(ctx, now)
	if err != nil {
		return nil, 0, err
	}
	for i := range samples {
		if shownQueue(samples[i].Name, queues) {
			rows = append(rows, strandedOf(&samples[i], now)...)
		}
	}
	slices.SortStableFunc(rows, func(a, b inspect.Stranded) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.Queue, b.Queue))
	})
	more = max(0, len(rows)-mostStranded)
	rows = rows[:len(rows)-more]
	for i := range rows {
		if rows[i].Waiting, err = qs.node.Backend.Count(ctx, store.Filter{Queue: rows[i].Queue, Type: rows[i].Type, State: task.Pending}, mostQueueCounted); err != nil {
			return nil, 0, err
		}
	}
	return rows, more, nil
}

// strandedOf is what no living node can run of a queue.
func strandedOf(q *alerts.QueueSample, now time.Time) (rows []inspect.Stranded) {
	if !q.Owned && q.OldestDue > 0 {
		return []inspect.Stranded{{Queue: q.Name, Since: now.Add(-q.OldestDue).UTC()}}
	}
	for _, s := range q.Stranded {
		rows = append(rows, inspect.Stranded{Queue: q.Name, Type: s.Type, Requests: s.Requests, Since: s.Since})
	}
	return rows
}
