package outlast

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Backlog is what waits, over all queues but that of alerts.
type Backlog struct {
	// Due are the due tasks in the memory of this node, and all pending ones that no
	// living node can start: of more than 20 types of a queue, at least so many. Later are those in its memory that are not due.
	Due, Later int
	OldestDue  time.Duration       // for how long the oldest has been due, over all nodes
	Stranded   map[string][]string // by queue, the types that no living node can start
}

// Backlog measures what waits. Code "invalid" on a client that does not run.
func (i *Inspector) Backlog(ctx context.Context) (*Backlog, error) {
	if err := i.client.running(); err != nil {
		return nil, err
	}
	samples, err := i.client.alerts.Queues(ctx, time.Now())
	if err != nil {
		return nil, err
	}
	memory := i.client.engine.Stats()
	backlog := &Backlog{Due: memory.Ready, Later: memory.Waiting, Stranded: map[string][]string{}}
	for n := range samples {
		stuck, err := i.client.stranded(ctx, &samples[n])
		if err != nil {
			return nil, err
		}
		backlog.Due += stuck
		backlog.OldestDue = max(backlog.OldestDue, samples[n].OldestDue)
		if len(samples[n].Stranded) > 0 {
			backlog.Stranded[samples[n].Name] = samples[n].Stranded
		}
	}
	return backlog, nil
}

// mostStranded is how many types of a queue are counted one by one.
const mostStranded = 20

// stranded counts the pending tasks of a queue that no living node can start. No node
// has them in its memory. Types are what callers make of them: of those beyond
// mostStranded, one task each is known, and not more is asked.
func (c *Client) stranded(ctx context.Context, of *alert.QueueSample) (total int, err error) {
	for _, taskType := range of.Stranded[:min(len(of.Stranded), mostStranded)] {
		count, err := c.backend.Count(ctx, store.Filter{Queue: of.Name, Type: taskType, State: task.Pending}, mostRunning)
		if err != nil {
			return 0, err
		}
		total += count
	}
	total += max(0, len(of.Stranded)-mostStranded)
	return min(total, of.Backlog), nil
}

// CriticalAlerts are the aggregates of critical rules that fire and are not over, by
// rule and subject.
func (i *Inspector) CriticalAlerts(ctx context.Context) ([]alert.State, error) {
	return i.client.alerts.Critical(ctx)
}
