// Package membership keeps a node among the others. It raises the node's counter and
// judges theirs, reads the topology, takes lanes up to the node's share and gives back
// what is beyond it, and tells other nodes what this one has changed. What a lane's tasks
// are, and who runs them, is its [Host]'s affair.
package membership

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/topology"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// storeCall is the limit of one call of the store, leaveTime that of the last ones.
const (
	storeCall = 10 * time.Second
	leaveTime = time.Second
)

// Host is who works in the lanes. Its methods are called by one loop or another, without
// any lock of the member, and may ask the store.
type Host interface {
	// Serves is what the node can start of the queues in a view.
	Serves(v *topology.View) store.Serves
	// Report is how many attempts run, and which targets there is something to tell of.
	Report() (running int, targets []store.Target)
	// CancelRequested hands on tasks that somebody wants canceled.
	CancelRequested(ids []task.ID)
	// Lost stops all attempts: others may be about to run these tasks. Mark, which must be
	// called while nothing can start, says whether that is news. Found says that the node is
	// alive after all, and its rows are its own still.
	Lost(mark func() (news bool))
	Found()
	// Rejoined forgets all lanes: the node was found dead, and rename, which must be
	// called while nothing can start, gives it another id.
	Rejoined(rename func())
	// Apply brings memory in line with the topology. It is never called twice at once,
	// nor beside Taken and Freed.
	Apply(before, now *topology.View)
	// Taken puts lanes into memory that are the node's from now on; Freed forgets lanes
	// that it has given back.
	Taken(lanes []store.LaneEpoch)
	Freed(lanes []store.LaneEpoch)
	// ToGive are lanes that can be given back: as many of each queue as asked for, or, of
	// nil, all in which nothing runs that binds them.
	ToGive(surplus map[string]int) []store.LaneEpoch
	// Died is told when other nodes were found dead: what they ran is to be recovered.
	Died()
	// Doubt is told of calls that may have had an effect or not.
	Doubt()
}

// Config is what a member is made of.
type Config struct {
	Store       store.Store
	Host        Host
	Node        store.Node // as it joins, but for what the host serves
	Log         *slog.Logger
	EnqueueOnly bool // it takes no lanes
	Beat        time.Duration
	Pace        *background.Pace // of the loops, nil for that of programs
	Slots       int

	// Configure and Tell are those of the engine's configuration.
	Configure func(ctx context.Context) error
	Tell      func(ctx context.Context, node store.Node, lanes []uint16) error
	// Watch hands on what the store tells of other processes' commits: lanes, or nothing
	// for anything. Pause is how long it is left alone at first when it fails.
	Watch func(lanes []store.ChangedLane)
	Pause time.Duration
	// Spot hands on in which lanes others have inserted tasks, on a store that can see no more.
	Spot func(lanes []uint16)
	Told func(way string, lanes int, took time.Duration, err error) // may be nil
	Died func(old, new string)                                      // the same
}

// Member is a node among the others. All methods are safe for concurrent use.
type Member struct {
	config   Config
	log      *slog.Logger
	id       atomic.Pointer[string]
	view     atomic.Pointer[topology.View]
	liveness liveness
	beat     beat
	Wakeups  Wakeups
	unowned  unowned // the balancing loop's own
	configs  configs // held by placing

	placing baton                     // one reader of the topology or taker of lanes at a time
	contact atomic.Pointer[time.Time] // when the last successful raise of the counter was sent
	lost    atomic.Bool               // no contact with the store: nothing starts
	leaving atomic.Bool               // nothing starts any more
	watched atomic.Bool               // the store tells of changes
	alone   atomic.Bool               // no other node lives

	balance chan struct{}      // lanes may have changed
	stirred chan struct{}      // the same, others say so
	asks    chan chan struct{} // the balancer: look now, and close it then

	running     context.Context // ends when the loops are to end
	stopRunning context.CancelFunc
	loops       sync.WaitGroup
	wasWatched  bool // when the loops were stopped
}

// New makes a member that has not joined.
func New(config Config) *Member {
	m := &Member{
		config: config, log: config.Log, liveness: liveness{seen: map[string]*suspicion{}}, placing: make(baton, 1),
		balance: make(chan struct{}, 1), stirred: make(chan struct{}, 1), asks: make(chan chan struct{}),
	}
	m.beat.member, m.beat.asks, m.Wakeups.member, m.Wakeups.told = m, make(chan chan struct{}), m, make(chan struct{}, 1)
	m.id.Store(&config.Node.ID)
	m.running, m.stopRunning = context.WithCancel(background.WithPace(context.Background(), config.Pace))
	m.beat.context, m.beat.stop = context.WithCancel(background.WithPace(context.Background(), config.Pace))
	return m
}

// Join reads the topology and puts the node's row on disk. After an error it may be
// called again.
func (m *Member) Join(ctx context.Context) error {
	if err := m.Refresh(ctx); err != nil {
		return err
	}
	node := m.config.Node
	now := time.Now()
	node.StartedAt, node.Serves, node.Load.Slots = now, m.config.Host.Serves(m.view.Load()), m.config.Slots
	m.Contacted(now)
	return m.config.Store.Join(ctx, node)
}

// Start takes lanes, and begins the loops.
func (m *Member) Start(ctx context.Context) {
	if err := m.balanceOnce(ctx); err != nil {
		m.log.Warn("lanes.failed", "error", err) // the balancing loop tries again
	}
	m.beat.loop.Go(m.beat.run)
	m.loops.Go(m.balancing)
	m.loops.Go(m.Wakeups.telling)
	if waker, ok := store.As[store.Waker](m.config.Store); ok {
		m.loops.Go(func() { m.watch(waker) })
	} else if spotter, ok := store.As[store.Spotter](m.config.Store); ok && !m.config.EnqueueOnly {
		m.loops.Go(func() { m.spot(spotter) })
	}
	m.Wakeups.Everything()
	m.Balance()
}

// Leaving says that the node starts nothing more, and has begun to stop.
func (m *Member) Leaving() bool { return m.leaving.Load() }

// SetLeaving makes the node one that leaves.
func (m *Member) SetLeaving() { m.leaving.Store(true) }

// Retire tells others that this node will own nothing more, and gives its
// lanes back; those with a running keyed task when that has ended.
// A stop in a hurry takes that time too: others get the lanes at once then.
func (m *Member) Retire(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	m.ask(ctx, m.beat.asks) // first, so that those who see free lanes may take them
	if err := m.giveAllBack(ctx); err != nil {
		m.log.Warn("lanes.failed", "error", err)
	}
}

// StopLoops ends all loops but the beat.
func (m *Member) StopLoops() {
	m.wasWatched = m.watched.Load()
	m.stopRunning()
	m.loops.Wait()
}

// StopBeat ends the beat.
func (m *Member) StopBeat() {
	m.beat.stop()
	m.beat.loop.Wait()
}

// Leave gives back the lanes that are left, now that nothing runs any more, and takes
// the node out of the living ones. A server cuts connections that it held for idle: so it
// says so once more where the first word was lost.
func (m *Member) Leave(ctx context.Context) error {
	m.giveRest(ctx)
	leave, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveTime)
	defer cancel()
	err := m.config.Store.Leave(leave, m.ID())
	if err != nil && leave.Err() == nil {
		err = m.config.Store.Leave(leave, m.ID())
	}
	m.Wakeups.lastWords(context.WithoutCancel(ctx))
	return err
}

// ID is the node's id. It changes when the node was found dead.
func (m *Member) ID() string { return *m.id.Load() }

// View is the topology as read last, at most about a second ago; nil before that.
func (m *Member) View() *topology.View { return m.view.Load() }

// Lost reports whether the node has no contact with the store.
func (m *Member) Lost() bool { return m.lost.Load() }

// Alone reports whether no other node lives.
func (m *Member) Alone() bool { return m.alone.Load() }

// Watched reports whether the store tells of changes.
func (m *Member) Watched() bool { return m.watched.Load() }

// HearsAll reports whether the store tells of every commit of others, also of
// those that nobody sends a wake-up for, inside transactions of callers.
func (m *Member) HearsAll() bool {
	_, sends := store.As[store.Notifier](m.config.Store)
	return m.watched.Load() && !sends
}

// Contact is when the last successful raise of the counter was sent, and Contacted
// notes one.
func (m *Member) Contact() time.Time       { return *m.contact.Load() }
func (m *Member) Contacted(sent time.Time) { m.contact.Store(&sent) }

// Silent reports whether this node has not raised its counter for so long that
// others may have taken its place. The timer that declares it lost says the
// same, but after a stop of the whole process others may run before it.
func (m *Member) Silent() bool { return time.Since(m.Contact()) >= m.lostAfter() }

// lostAfter is for how long a node acts without a raise of its counter.
func (m *Member) lostAfter() time.Duration { return lostAfter + m.config.Pace.Rare() }

// Stir makes all nodes look at queues, lanes and nodes now, and tells others
// what this node serves: an operator changed a queue. It returns when this
// node has looked and has taken the lanes that it should, after a second, or
// when ctx ends.
func (m *Member) Stir(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, wakeupTime)
	defer cancel()
	m.ask(ctx, m.beat.asks)
	m.Wakeups.Everything()
	m.ask(ctx, m.asks)
}

// ask makes a loop do its work now, and waits until it has, as long as ctx.
func (m *Member) ask(ctx context.Context, loop chan chan struct{}) {
	done := make(chan struct{})
	select {
	case loop <- done:
	case <-ctx.Done():
		return
	case <-m.running.Done():
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	case <-m.running.Done():
	}
}

// signal wakes the reader of a channel of one place.
func signal(to chan struct{}) {
	select {
	case to <- struct{}{}:
	default:
	}
}
