package engine

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Engine is one node. Make it with [New]; all methods are safe for
// concurrent use.
type Engine struct {
	config Config
	log    *slog.Logger
	random retry.Rand
	id     atomic.Pointer[string]
	view   atomic.Pointer[view]

	remote remote                 // guarded by mu
	served atomic.Pointer[served] // what its workers can start

	enqueues *group[*enqueueCall]
	settles  *group[*attempt]
	crew     *crew
	answered answered

	completions *group[*attempt]
	contests    sync.WaitGroup // only the goroutine of completions adds
	contested   chan struct{}  // the places of contests

	mu      sync.Mutex // guards near, runs, bytes, parking, news, dirty, lenders
	near    *near
	runs    int               // attempts that are not settled
	bytes   int               // payloads of the tasks that run
	parking map[task.ID]int64 // park marks that are decided but not yet written; 0 clears one

	news  news
	alone bool // no other node lives

	dirty    map[uint16]bool // lanes to poll
	lenders  map[uint16]bool // lanes of others to look into for rows that this node can start
	dirtyAll bool
	asked    time.Time            // when blocked keys were made to ask by a poll of all lanes
	warned   map[string]time.Time // of types that nobody starts, by queue; the loader's own
	unlike   map[string]string    // nodes that may call other targets; guarded by placing

	strangers map[task.ID]int64 // rows that nobody ran at the last reconcile, by claim; the sweeping loop's own

	borrowed map[borrowing]cursor // where borrowing goes on; the loader's own

	reported []store.Target // what was last said of targets; the beat's own

	seen       map[string]*suspicion                // of other nodes' counters; the balancing loop's own
	orphans    orphans                              // free lanes that nobody takes; the balancing loop's own
	beaten     atomic.Pointer[map[string]time.Time] // when each other living node was first seen with its present counter
	configured struct {                             // by objects; held by placing
		known  bool
		number int64
	}
	placing baton                     // one reader of the topology or taker of lanes at a time
	contact atomic.Pointer[time.Time] // when the last successful raise of the counter was sent
	lag     lag                       // of the store's clock
	lost    atomic.Bool               // no contact with the store: nothing starts
	stops   atomic.Bool               // Stop was called: nothing starts
	halted  bool                      // no attempt may be added any more; guarded by mu
	watched atomic.Bool               // the store tells of changes
	doubted atomic.Int64              // until when to look for rows lost by an unknown outcome, ns

	unsettled unsettled // results that the store does not take

	wake     chan struct{}      // the dispatcher
	load     chan struct{}      // the loader: something ran low, or marks are to be written
	changed  chan struct{}      // the loader: rows may have changed behind our back
	balance  chan struct{}      // the balancer: lanes may have changed
	stirred  chan struct{}      // the balancer: others say so
	doubtful chan struct{}      // the watcher of leases: other nodes may have settled some
	asks     chan chan struct{} // the balancer: look now, and close it then
	told     chan struct{}      // the teller: there is news
	beatAsks chan chan struct{} // the beat: raise the counter now, and close it then

	running      context.Context // ends when the engine stops
	stopRunning  context.CancelFunc
	attempts     context.Context // parent of every attempt's context
	stopAttempts context.CancelCauseFunc
	beats        context.Context // ends just before the node leaves
	stopBeats    context.CancelFunc
	settling     context.Context // ends when nothing more can be settled
	stopSettling context.CancelFunc

	claims     context.Context // ends when the dispatcher is to stop
	stopClaims context.CancelFunc
	dispatched chan struct{} // closed when the dispatcher has returned

	beater   sync.WaitGroup // the beat
	loops    sync.WaitGroup // the other loops
	handlers sync.WaitGroup
	starts   atomic.Bool // Start was called
	started  atomic.Bool // it has joined
	stopOnce sync.Once
	stopErr  error
}

// New checks the configuration and makes an engine that has not started.
func New(config Config) (*Engine, error) {
	if config.Store == nil || config.Registry == nil || config.Node.ID == "" {
		return nil, errors.New("engine: Store, Registry and Node.ID are required")
	}
	config = config.withDefaults()
	e := &Engine{
		config: config, log: config.Logger, random: config.Rand,
		near: newNear(config.NearFuture, config.Slots, config.Share),
		seen: map[string]*suspicion{}, parking: map[task.ID]int64{}, borrowed: map[borrowing]cursor{}, dirty: map[uint16]bool{}, lenders: map[uint16]bool{}, warned: map[string]time.Time{},
		placing: make(baton, 1), wake: make(chan struct{}, 1), load: make(chan struct{}, 1),
		changed: make(chan struct{}, 1), balance: make(chan struct{}, 1), stirred: make(chan struct{}, 1), doubtful: make(chan struct{}, 1), asks: make(chan chan struct{}),
		told: make(chan struct{}, 1), beatAsks: make(chan chan struct{}),
	}
	e.near.random, e.near.local, e.near.polls = config.Rand, config.Registry.CanStart, &e.remote.polls
	e.near.limits, e.near.untested = config.TargetLimit, config.Untested
	e.near.unguarded = config.Unguarded
	e.id.Store(&config.Node.ID)
	e.running, e.stopRunning = context.WithCancel(context.Background())
	e.attempts, e.stopAttempts = context.WithCancelCause(context.Background())
	e.beats, e.stopBeats = context.WithCancel(context.Background())
	e.settling, e.stopSettling = context.WithCancel(context.Background())
	e.crew = newCrew(e.attempt)
	e.claims, e.stopClaims = context.WithCancel(e.running)
	e.dispatched = make(chan struct{})
	e.enqueues = newGroup(groupConfig[*enqueueCall]{
		commit: e.commitEnqueues, weigh: (*enqueueCall).weigh, drop: (*enqueueCall).abandoned,
		most: weight{config.Batch, mostCommitBytes}, queue: weight{mostWaitingRows, mostWaitingBytes},
	})
	e.settles = newGroup(groupConfig[*attempt]{
		commit: e.commitSettles, weigh: (*attempt).weigh, most: weight{config.Batch, mostCommitBytes},
	})
	e.completions = newGroup(groupConfig[*attempt]{
		commit: e.commitCompletions, weigh: (*attempt).weigh, most: weight{config.Batch, mostCommitBytes},
	})
	e.contested = make(chan struct{}, mostContests)
	return e, nil
}

// Start joins the cluster and begins to take lanes and run tasks. It
// returns once the node row is on disk and the topology is known. After an
// error it may be called again.
func (e *Engine) Start(ctx context.Context) error {
	if e.starts.Swap(true) {
		return errors.New("engine: started already")
	}
	if err := e.join(ctx); err != nil {
		e.starts.Store(false)
		return err
	}
	go e.enqueues.run()
	go e.settles.run()
	go e.completions.run()
	e.started.Store(true)
	e.lookAhead(time.Now())
	if err := e.balanceOnce(ctx); err != nil {
		e.log.Warn("lanes.failed", "error", err) // the balancing loop tries again
	}
	e.beater.Go(e.beating)
	e.loop(e.balancing)
	e.loop(e.telling)
	if e.config.EnqueueOnly {
		close(e.dispatched)
	} else {
		e.loop(e.dispatch)
		e.loop(e.loading)
		e.loop(e.sweeping)
		e.loop(e.watchingLeases)
	}
	if waker, ok := store.As[store.Waker](e.config.Store); ok {
		e.loop(func() { e.watch(waker) })
	}
	signal(e.changed) // a look at the lanes, and at those of others
	e.mu.Lock()
	e.stirOthers()
	e.mu.Unlock()
	signal(e.balance)
	return nil
}

func (e *Engine) join(ctx context.Context) error {
	if err := e.Refresh(ctx); err != nil {
		return err
	}
	node := e.config.Node
	now := time.Now()
	node.StartedAt, node.Serves, node.Load.Slots = now, e.serves(e.view.Load()), e.slots()
	e.contact.Store(&now)
	return e.config.Store.Join(ctx, node)
}

func (e *Engine) loop(run func()) {
	e.loops.Add(1)
	go func() {
		defer e.loops.Done()
		run()
	}()
}

// Queue returns the queue as last read, at most about a second old.
func (e *Engine) Queue(name string) (store.Queue, bool) {
	if v := e.view.Load(); v != nil && v.queues[name] != nil {
		return *v.queues[name], true
	}
	return store.Queue{}, false
}

// Topology returns what was read last, at most about a second old; callers
// must not change it.
func (e *Engine) Topology() *store.Topology {
	if v := e.view.Load(); v != nil {
		return v.topology
	}
	return &store.Topology{}
}

// TopologyAt is when [Engine.Topology] was read, zero before that.
func (e *Engine) TopologyAt() time.Time {
	if v := e.view.Load(); v != nil {
		return v.read
	}
	return time.Time{}
}

// Node is this node's id. It changes when the node was found dead.
func (e *Engine) Node() string { return e.node() }

// Stats returns a snapshot.
func (e *Engine) Stats() Stats {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := Stats{
		Node: e.node(), Lost: e.lost.Load() || e.stops.Load(), Lanes: len(e.near.lanes), Waiting: e.near.waiting.len(), Ready: e.near.ready,
		Running: e.runs, Slots: e.config.Slots, Unsettled: e.unsettled.oldest(), Queues: map[string]QueueStats{},
	}
	for _, l := range e.near.lanes {
		q := out.Queues[l.queue.name]
		q.Lanes++
		q.Known += l.count
		out.Queues[l.queue.name] = q
	}
	for name, q := range e.near.queues {
		stats := out.Queues[name]
		stats.Running, stats.Ready = q.running, q.ready()
		out.Queues[name] = stats
	}
	return out
}
