package outlast

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/alert"
)

// Backlog is what waits, over all queues but that of alerts.
type Backlog struct {
	// Due are the due tasks in the memory of this node, and those that are set aside on
	// disk, over all nodes, since nobody can start them now: of each queue counted to
	// 10 000. Later are those in its memory that are not due.
	Due, Later int
	OldestDue  time.Duration       // for how long the oldest has been due, over all nodes
	Stranded   map[string][]string // by queue, types that no living node can start: all, where they are fewer than about a hundred
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
		backlog.Due += samples[n].Aside
		backlog.OldestDue = max(backlog.OldestDue, samples[n].OldestDue)
		if len(samples[n].Stranded) > 0 {
			backlog.Stranded[samples[n].Name] = samples[n].Stranded
		}
	}
	return backlog, nil
}

// CriticalAlerts are the aggregates of critical rules that fire and are not over, by
// rule and subject.
func (i *Inspector) CriticalAlerts(ctx context.Context) ([]alert.State, error) {
	return i.client.alerts.Critical(ctx)
}
