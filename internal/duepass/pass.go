package duepass

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/store"
)

// pass is one call.
type pass struct {
	Due
	*Passes
	until time.Time

	mu     sync.Mutex
	counts engine.DueCounts
}

// work makes a node that works what is due and leaves.
func (p *pass) work(ctx context.Context) error {
	config := p.config.Make()
	config.Registry = &registry{p.config.Registry, p}
	config.EnqueueOnly, config.Due = false, &engine.Due{Types: p.Types, Since: p.Since, Until: p.until, Limit: p.Limit, Apart: alerts.Queue}
	config.Node.Address, config.Node.WakeKey = "", ""
	if len(p.Types) == 0 {
		config.Due.Types = nil
	}
	node, err := engine.New(config)
	if err != nil {
		return err
	}
	if err := node.Start(ctx); err != nil {
		return err
	}
	err = node.WorkDue(ctx)
	stopped := node.Stop(context.WithoutCancel(ctx))
	p.counts.Started = node.TakenDue()
	return background.Join(err, stopped)
}

// follow waits until the client's own loops have worked what was due.
func (p *pass) follow(ctx context.Context) error {
	last, moved := progress{}, time.Now()
	for p.ended() < p.Limit {
		began := time.Now()
		now, err := p.look(ctx)
		pause := max(between, restful*time.Since(began))
		switch {
		case err != nil:
			return err
		case now.left == 0 && now.running == 0:
			return nil
		case now != last || now.running > 0:
			last, moved = now, time.Now()
		case time.Since(moved) >= patience:
			return nil
		}
		if !background.Sleep(ctx, pause) {
			return ctx.Err()
		}
	}
	return nil
}

const (
	between  = 50 * time.Millisecond
	restful  = 10 // times as long as a look: what waits may be much
	patience = time.Second
)

// progress is how far a client's own loops have come.
type progress struct{ left, running, ended int }

func (p *pass) look(ctx context.Context) (progress, error) {
	left, err := p.left(ctx, p.Limit)
	running := p.config.Engine.Underway(p.matches)
	return progress{left, running, p.ended()}, err
}

// matches reports whether a task is one of those that are due.
func (p *pass) matches(queue, taskType string, runAt time.Time) bool {
	return p.serves(queue) && !runAt.After(p.until) && !runAt.Before(p.Since) && (len(p.Types) == 0 || slices.Contains(p.Types, taskType))
}

// serves reports whether the tasks of a queue are counted.
func (p *pass) serves(queue string) bool {
	return queue != alerts.Queue && (len(p.Queues) == 0 || slices.Contains(p.Queues, queue))
}

// settled counts how an attempt ended while the pass is under way.
func (p *pass) settled(o *engine.Outcome) {
	if t := o.Settlement.Task; !p.matches(t.Queue, t.Type, t.RunAt) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts.Add(o)
}

func (p *pass) ended() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.counts.Ended()
}

// registry is what a pass may run: what the client has, also where that runs nothing
// by itself, in the queues that are asked for.
type registry struct {
	Registry
	pass *pass
}

// Serves implements [engine.Registry].
func (r *registry) Serves(queue string) (s store.Serving, served bool) {
	if queue != alerts.Queue && !r.pass.serves(queue) {
		return s, false
	}
	return r.Serving(), true
}

// CanStart implements [engine.Registry].
func (r *registry) CanStart(capability string) bool { return r.Starts(capability) }
