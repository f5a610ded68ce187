package engine

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/lease"
	"github.com/outlast-dev/outlast/internal/membership"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// core is what all parts of an engine share: its memory, under one lock, and the signals
// by which one part makes another look.
type core struct {
	config Config
	log    *slog.Logger
	random retry.Rand
	member *membership.Member
	leases *lease.Keeper
	takers func(queue, capability string) (to agenda.Taker, ok bool) // of what this node cannot start by itself
	lag    lag                                                       // of the store's clock

	mu      sync.Mutex // guards what follows, up to reporting
	agenda  *agenda.Agenda
	runs    int               // attempts that are not settled
	bytes   int               // payloads of the tasks that run
	parking map[task.ID]int64 // park marks that are decided but not yet written; 0 clears one
	letGo   map[task.ID]int64 // rows that nobody runs and that are being released, by claim
	hints   hints             // what the next poll is to look at
	halted  bool              // no attempt may be added any more

	reporting map[*attempt][]*attempt // settled ones of which observers have not heard, by the first

	answered answered     // attempts of which the guards have not heard
	doubted  atomic.Int64 // until when to look for rows lost by an unknown outcome, ns

	wake    chan struct{} // the dispatcher
	load    chan struct{} // the loader: something ran low, or marks are to be written
	changed chan struct{} // the loader: rows may have changed behind our back

	running     context.Context // ends when the engine stops
	stopRunning context.CancelFunc
}

// newCore makes a core that has no agenda and no member yet, see [core.build].
func newCore(config Config) *core {
	c := &core{
		config: config, log: config.Logger, random: config.Rand, parking: map[task.ID]int64{}, letGo: map[task.ID]int64{}, hints: newHints(),
		reporting: map[*attempt][]*attempt{},
		wake:      make(chan struct{}, 1), load: make(chan struct{}, 1), changed: make(chan struct{}, 1),
	}
	c.running, c.stopRunning = context.WithCancel(background.WithPace(context.Background(), config.Pace))
	return c
}

// slots is how many attempts this node runs at most.
func (c *core) slots() int {
	if c.config.EnqueueOnly {
		return 0
	}
	return c.config.Slots
}

// runningOf reads which of a holder's tasks run under its claims.
func (c *core) runningOf(holder string, ids []task.ID) ([]*task.Task, error) {
	ctx, cancel := c.storeContext(storeCall)
	defer cancel()
	return c.config.Store.Running(ctx, holder, ids)
}

// hints are what a poll is to look at. Without any, that is everything.
type hints struct {
	lanes map[uint16]int64 // of this node, each from a rank on
	lend  map[uint16]bool  // of others, for rows that this node can start
	all   bool             // anything may have changed
}

func newHints() hints { return hints{lanes: map[uint16]int64{}, lend: map[uint16]bool{}} }

// lock takes the engine's lock. It is given back by [core.unlock] alone.
func (c *core) lock() { c.mu.Lock() }

// unlock gives the engine's lock back, and tells of breakers that have changed under
// it.
func (c *core) unlock() {
	changes, later := c.agenda.TakeChanges()
	c.mu.Unlock()
	for _, work := range later {
		work()
	}
	for _, change := range changes {
		if change.To == retry.Ramping || change.To == retry.Closed {
			signal(c.load) // what is parked may come back
		}
		if f := c.config.Observer.BreakerChanged; f != nil {
			f(change.Target, change.BreakerChange)
		}
		if change.Also != nil {
			change.Also(change.BreakerChange)
		}
	}
	if len(changes) > 0 {
		signal(c.wake)
	}
}

func (c *core) committed(kind string, rows int, began time.Time) {
	if f := c.config.Observer.Committed; f != nil {
		f(kind, rows, time.Since(began))
	}
}

// doubt notes that an outcome was unknown, or that the store was away: it may have
// lost what it had answered, as a standby that takes over.
func (c *core) doubt() { c.doubted.Store(time.Now().Add(doubtFor).UnixNano()) }

// unknown notes a call whose outcome is unknown, and tells the observer.
func (c *core) unknown(kind string) {
	c.doubt()
	if f := c.config.Observer.Doubted; f != nil {
		f(kind)
	}
}

func (c *core) doubts() bool { return time.Now().UnixNano() < c.doubted.Load() }

// storeContext is for one store call that outlives the engine's stop but not
// its own time.
func (c *core) storeContext(limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(c.running), limit)
}

func micros(t time.Time) int64 { return t.UnixMicro() }

// lag is how far the store's clock is behind this node's, as far as that is
// known, in µs: 0 where it is not. The store alone says what is due; a node
// whose clock is ahead learns so when it is refused, and asks again when the
// store will agree.
type lag struct{ micros atomic.Int64 }

// seen takes a reading of the store's clock that was made between two times of
// this node's: the lag lies between the differences.
func (l *lag) seen(before, after, store time.Time) {
	now := l.micros.Load()
	least, most := before.Sub(store).Microseconds(), after.Sub(store).Microseconds()
	if next := max(0, min(max(now, least), most)); next != now {
		l.micros.Store(next)
	}
}

// known is how far this node's clock is ahead of the store's.
func (l *lag) known() time.Duration { return time.Duration(l.micros.Load()) * time.Microsecond }

// clockPause is the least wait for a store whose clock is behind ours.
const clockPause = 2 * time.Millisecond

// retryAt is when a claim that was refused as too early is tried again: when
// the store will agree, if the lag is known, and after half as long again
// otherwise. Times are µs.
func (l *lag) retryAt(runAt, now int64) int64 {
	return max(runAt+l.micros.Load(), now+max(clockPause.Microseconds(), (now-runAt)/2))
}
