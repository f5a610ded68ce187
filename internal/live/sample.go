package live

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// What is counted for those who listen: so many queues, and of each so many tasks that run.
const (
	mostQueues  = 100
	mostRunning = 10_000
)

// stats counts at a cost that does not grow with the backlog.
func (l *Live) stats(ctx context.Context) (*inspect.EventStats, error) {
	now := time.Now()
	letters, err := l.backend.DeadStats(ctx)
	if err != nil {
		return nil, err
	}
	samples, err := l.alerts.Queues.Look(ctx, now)
	if err != nil {
		return nil, err
	}
	memory := l.engine().Stats()
	counted := &inspect.EventStats{At: now.UTC(), Dead: letters.Total, Ready: memory.Ready, Waiting: memory.Waiting}
	for _, sample := range samples[:min(len(samples), mostQueues)] {
		running, err := l.backend.Count(ctx, store.Filter{Queue: sample.Name, State: task.Running}, mostRunning)
		if err != nil {
			return nil, err
		}
		counted.Ready += sample.Aside
		counted.Queues = append(counted.Queues, inspect.EventQueue{Name: sample.Name, Paused: sample.Paused, Pending: sample.Backlog, Running: running, OldestDue: sample.OldestDue})
	}
	for _, node := range l.engine().Topology().Nodes {
		if node.State == store.NodeAlive && !node.Gone {
			counted.Nodes++
			counted.Slots += node.Load.Slots
		}
	}
	return counted, nil
}
