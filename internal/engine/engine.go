package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/lease"
	"github.com/outlast-dev/outlast/internal/membership"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Engine is one node. Make it with [New]; all methods are safe for
// concurrent use.
type Engine struct {
	*core
	*enqueuer
	*completer
	*remote
	run        *runner
	dispatcher *dispatcher
	loader     *loader
	recoverer  *recoverer

	loops    sync.WaitGroup // but for those of membership
	starts   atomic.Bool    // Start was called
	stopOnce sync.Once
	stopErr  error
}

// New checks the configuration and makes an engine that has not started.
func New(config Config) (*Engine, error) {
	if config.Store == nil || config.Registry == nil || config.Node.ID == "" {
		return nil, errors.New("engine: Store, Registry and Node.ID are required")
	}
	c := newCore(config.withDefaults())
	end := newSettler(c)
	run := newRunner(c, end)
	dispatcher := newDispatcher(c, run)
	remote := &remote{core: c, run: run, end: end, stop: dispatcher.claims.Done()}
	loader := newLoader(c)
	recoverer := &recoverer{core: c, remote: remote}
	c.build(remote, &host{core: c, loader: loader, recoverer: recoverer})
	return &Engine{
		core: c, enqueuer: newEnqueuer(c), completer: newCompleter(end), remote: remote,
		run: run, dispatcher: dispatcher, loader: loader, recoverer: recoverer,
	}, nil
}

// build makes the memory, and what asks parts of the engine.
func (c *core) build(remote *remote, host *host) {
	c.takers = remote.takes
	config := &c.config
	c.agenda = agenda.New(agenda.Config{
		NearFuture: config.NearFuture, Slots: config.Slots, Share: config.Share, Internal: config.Internal, Rand: config.Rand, Once: (*agenda.Once)(config.Due),
		TargetLimit: config.TargetLimit, Untested: config.Untested, Unguarded: config.Unguarded, Takes: c.takes, Returns: c.returns,
	})
	c.member = membership.New(membership.Config{
		Store: config.Store, Host: host, Node: config.Node, Log: c.log, EnqueueOnly: config.EnqueueOnly, Beat: config.Beat, Pace: config.Pace, Slots: c.slots(),
		Configure: config.Configure, Tell: config.Tell, Watch: func(lanes []store.ChangedLane) { c.HeardFrom(lanes...) }, Pause: config.Poll, Spot: c.spotted,
		Told: config.Observer.Told, Died: config.Observer.NodeDied,
	})
	c.leases = lease.NewKeeper(lease.Config{Log: c.log, Running: c.runningOf, Gone: remote.gone, Idle: c.member.Lost, Alone: c.member.Alone})
}

// Start joins the cluster and begins to take lanes and run tasks. It
// returns once the node row is on disk and the topology is known. After an
// error it may be called again.
func (e *Engine) Start(ctx context.Context) error {
	if e.starts.Swap(true) {
		return errors.New("engine: started already")
	}
	if err := e.member.Join(ctx); err != nil {
		e.starts.Store(false)
		return err
	}
	go e.enqueues.Run()
	go e.settles.Run()
	go e.completions.Run()
	e.end.steps.Run()
	e.started.Store(true)
	e.loader.lookAhead(time.Now())
	e.member.Start(ctx)
	if e.config.EnqueueOnly {
		close(e.dispatcher.dispatched)
	} else {
		e.loops.Go(e.dispatcher.dispatch)
		e.loops.Go(e.loader.loading)
		e.loops.Go(e.recoverer.sweeping)
		e.loops.Go(func() { e.leases.Watch(e.running) })
	}
	signal(e.changed) // a look at the lanes, and at those of others
	return nil
}

// Refresh reads the topology now, after a queue was changed.
func (e *Engine) Refresh(ctx context.Context) error { return e.member.Refresh(ctx) }

// Queue returns the queue as last read, at most about a second old.
func (e *Engine) Queue(name string) (store.Queue, bool) {
	if v := e.member.View(); v != nil && v.Queues[name] != nil {
		return *v.Queues[name], true
	}
	return store.Queue{}, false
}

// Topology returns what was read last, at most about a second old; callers
// must not change it.
func (e *Engine) Topology() *store.Topology {
	if v := e.member.View(); v != nil {
		return v.Topology
	}
	return &store.Topology{}
}

// TopologyAt is when [Engine.Topology] was read, zero before that.
func (e *Engine) TopologyAt() time.Time {
	if v := e.member.View(); v != nil {
		return v.Read
	}
	return time.Time{}
}

// Node is this node's id. It changes when the node was found dead.
func (e *Engine) Node() string { return e.member.ID() }

// Silent is for how long this node has read the same counter of another living
// one; false of itself and where it has not looked.
func (e *Engine) Silent(node string) (time.Duration, bool) { return e.member.SilentFor(node) }

// Workers lists the remote workers that this node knows.
func (e *Engine) Workers(now time.Time) []lease.Worker { return e.leases.Workers(now) }

// Known counts the tasks in memory, running ones included, by the lanes that
// this node owns.
func (e *Engine) Known() map[uint16]int {
	e.lock()
	defer e.unlock()
	known := make(map[uint16]int, len(e.agenda.Lanes()))
	for number, l := range e.agenda.Lanes() {
		known[number] = l.Known()
	}
	return known
}

// Stats returns a snapshot.
func (e *Engine) Stats() Stats {
	e.lock()
	defer e.unlock()
	counts := e.agenda.Counts()
	out := Stats{
		Node: e.member.ID(), Lost: e.member.Lost() || e.member.Leaving(), Lanes: counts.Lanes, Waiting: counts.Waiting, Ready: counts.Ready,
		Running: e.runs, Slots: e.config.Slots, Unsettled: e.unsettled.oldest(), Queues: make(map[string]QueueStats, len(counts.Queues)),
	}
	for name, q := range counts.Queues {
		out.Queues[name] = QueueStats{Lanes: q.Lanes, Known: q.Known, Running: q.Running, Ready: q.Ready}
	}
	return out
}

// Shares counts what this node has of the share keys of a queue; see [agenda.Agenda.Shares].
func (e *Engine) Shares(queue string, most int) (counts []agenda.ShareCounts, total int) {
	e.lock()
	defer e.unlock()
	e.feedback()
	return e.agenda.Shares(queue, time.Now(), most)
}

// ShareHeld is the limit of a share key that holds it up on this node, if one does.
func (e *Engine) ShareHeld(queue, key string) task.WaitReason {
	e.lock()
	defer e.unlock()
	e.feedback()
	return e.agenda.ShareHeld(queue, key, time.Now())
}
