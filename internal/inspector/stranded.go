package inspector

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

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
