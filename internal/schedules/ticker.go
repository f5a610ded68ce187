package schedules

import (
	"context"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	// longestNap is how long a ticker sleeps at most: it looks whether the
	// configuration has changed then.
	longestNap = time.Second
	// mostPause is the pause where nothing will be due.
	mostPause = 24 * time.Hour
	// stagger is how much later than the first node each further one looks
	// after a tick, so that they hardly ever race for it.
	stagger     = 250 * time.Millisecond
	mostStagger = 2 * time.Second
	// askEvery is how often the end of a task is asked for that ticks wait for.
	askEvery = time.Second
	// reloadEvery is how often everything is read again, changed or not.
	reloadEvery = time.Minute
	// errorPause is the wait after something has failed.
	errorPause = time.Second
	// callTimeout bounds one look.
	callTimeout = 30 * time.Second
	// mostRead is how many states are read one by one.
	mostRead = 20
	// together is how many schedules go into one transaction.
	together = 100
)

// Backend is what the ticker needs of a store.
type Backend interface {
	Change(ctx context.Context, change store.Change) (*store.Changed, error)
	Objects(ctx context.Context, kind string) ([]store.Object, error)
	Object(ctx context.Context, kind, name string) (*store.Object, error)
	Get(ctx context.Context, id task.ID) (*task.Task, error)
	Known(ctx context.Context, items []store.Insert) ([]bool, error)
	Cancel(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Task, error)
}

// Node is what the ticker needs of the engine beside it.
type Node interface {
	Wake(lanes ...uint16)
	Canceled(id task.ID)
	Topology() *store.Topology
	Node() string
}

// Config is what a ticker is made of. All but Before and Observe is required.
type Config struct {
	Backend Backend
	Node    Node
	// Make makes the task of a tick: with the same id and dedupe key whenever
	// it is asked for the same one.
	Make func(ctx context.Context, s *inspect.Schedule, tick time.Time) (store.Insert, error)
	// Before is called before each look at the schedules.
	Before func(ctx context.Context)
	// Observe is told what happens, from one goroutine. It must not block.
	Observe func(inspect.ScheduleEvent)
	Logger  *slog.Logger
}

// Ticker enqueues the tasks of all schedules as they come due, beside the
// tickers of other nodes.
type Ticker struct {
	Config
	clock *store.Clock

	// What follows is the loop's own.
	entries map[string]*entry
	loaded  int64 // Topology.Config of the last load
	loadAt  time.Time
	ranked  time.Duration // the rank at the last look

	loops background.Loops
}

// entry is a schedule as this node knows it.
type entry struct {
	schedule inspect.Schedule
	times    Times
	hash     string
	since    time.Time // when the definition was made
	state    inspect.ScheduleState
	version  int64 // of the state; 0 where there is none
	stale    bool  // the state must be read again
	tryAt    time.Time
	complain bool // a failure has been told
}

// New makes a ticker. It does nothing before Start.
func New(config Config) *Ticker {
	if config.Observe == nil {
		config.Observe = func(inspect.ScheduleEvent) {}
	}
	if config.Before == nil {
		config.Before = func(context.Context) {}
	}
	return &Ticker{Config: config, clock: store.NewClock(config.Backend), entries: map[string]*entry{}, loaded: -1}
}

// Start begins to tick; ctx bounds nothing of it. Call it once.
func (t *Ticker) Start(ctx context.Context) {
	t.loops.Start(ctx, t.run)
}

// Stop ends the ticking and waits for it, no longer than ctx.
func (t *Ticker) Stop(ctx context.Context) error { return t.loops.Stop(ctx) }

// Once enqueues what is due now, whatever other nodes there are, and returns. It is for
// a ticker that is not started.
func (t *Ticker) Once(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	t.Before(ctx)
	if _, err := t.load(ctx); err != nil {
		return err
	}
	for more := true; more && ctx.Err() == nil; {
		now := t.clock.Now(ctx)
		due, _ := t.due(now, 0)
		more = len(due) > 0 && t.advance(ctx, due, now)
	}
	return ctx.Err()
}

// Now is the store's clock, as far as this node knows it.
func (t *Ticker) Now(ctx context.Context) time.Time { return t.clock.Now(ctx) }

func (t *Ticker) run(ctx context.Context) {
	for background.Nap(ctx, t.runOnce(ctx), longestNap) {
	}
}

// runOnce does what is due and returns how long nothing is.
func (t *Ticker) runOnce(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	t.Before(ctx)
	rank := t.rank()
	if rank != t.ranked { // what others knew, this node may have to do now
		t.ranked, t.loaded = rank, -1
	}
	fresh, err := t.load(ctx)
	if err != nil {
		if ctx.Err() == nil {
			t.Logger.Warn("schedules.unread", "error", err)
		}
		return errorPause
	}
	now := t.clock.Now(ctx)
	later := min(rank*stagger, mostStagger)
	due, next := t.due(now, later)
	if len(due) == 0 {
		return next.Sub(now)
	}
	if later > 0 && !fresh { // most likely the first node has done it
		if len(due) > mostRead {
			t.loaded = -1
			return 0
		}
		for _, e := range due {
			e.stale = true
		}
	}
	if t.advance(ctx, due, now) {
		return 0
	}
	_, next = t.due(now, later)
	return next.Sub(now)
}

// due lists what is due, and tells when to look again.
func (t *Ticker) due(now time.Time, later time.Duration) (due []*entry, next time.Time) {
	next = now.Add(mostPause)
	for _, e := range t.entries {
		switch at := e.dueAt(later); {
		case at.IsZero():
		case at.After(now):
			next = earlier(next, at)
		default:
			due = append(due, e)
		}
	}
	return due, next
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// dueAt is when there is something to do, zero for never.
func (e *entry) dueAt(later time.Duration) (at time.Time) {
	switch {
	case e.state.Definition != e.hash:
		at = e.since
	case len(e.state.Cancel) > 0:
		at = e.since
	case e.state.Paused:
		return at
	case len(e.state.Waiting) > 0:
		at = e.since
	default:
		at = e.state.Next
	}
	if at.IsZero() {
		return at
	}
	if at = at.Add(later); at.Before(e.tryAt) {
		return e.tryAt
	}
	return at
}

// rank is the place of this node among the living ones, from 0.
func (t *Ticker) rank() (rank time.Duration) {
	self := t.Node.Node()
	for _, other := range t.Node.Topology().Nodes {
		if other.State == store.NodeAlive && other.ID < self {
			rank++
		}
	}
	return rank
}

// load reads schedules and states if they may have changed, and reports
// whether it did.
func (t *Ticker) load(ctx context.Context) (read bool, err error) {
	config := t.Node.Topology().Config
	if config == t.loaded && time.Since(t.loadAt) < reloadEvery {
		return false, nil
	}
	definitions, err := t.Backend.Objects(ctx, Kind)
	if err != nil {
		return false, err
	}
	states, err := t.Backend.Objects(ctx, StateKind)
	if err != nil {
		return false, err
	}
	byName := make(map[string]*store.Object, len(states))
	for i := range states {
		byName[states[i].Name] = &states[i]
	}
	entries := make(map[string]*entry, len(definitions))
	for _, object := range definitions {
		e := t.entries[object.Name]
		if hash := Hash(object); e == nil || e.hash != hash {
			if e, err = newEntry(object, hash); err != nil {
				t.Logger.Error("schedule.unreadable", "schedule", object.Name, "error", err)
				continue
			}
		}
		e.take(byName[object.Name])
		entries[object.Name] = e
	}
	t.entries, t.loaded, t.loadAt = entries, config, time.Now()
	return true, nil
}

func newEntry(object store.Object, hash string) (*entry, error) {
	s, err := Parse(object)
	if err != nil {
		return nil, err
	}
	times, err := TimesOf(&s)
	return &entry{schedule: s, times: times, hash: hash, since: object.UpdatedAt}, err
}

// take notes the state that was read; nil for none.
func (e *entry) take(object *store.Object) {
	e.stale = false
	if object == nil {
		e.state, e.version = inspect.ScheduleState{}, 0
		return
	}
	if object.Version == e.version {
		return
	}
	state, err := ParseState(*object)
	if err != nil {
		state = inspect.ScheduleState{} // it begins anew
	}
	e.state, e.version = state, object.Version
}
