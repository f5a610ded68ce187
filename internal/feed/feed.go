package feed

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/inspect"
)

// The measures of a feed.
const (
	Every      = 250 * time.Millisecond // a page
	statsEvery = time.Second
	mostPage   = 8192   // changes of tasks in a page; of more, the newest
	mostTasks  = 32_768 // in all pages that are kept
	mostPages  = int(time.Minute / Every)
	linger     = 15 * time.Second // changes are kept so long for a listener that comes back
	sampleTime = 5 * time.Second  // limit of one look at the store
	sampleCost = 20               // looks are so many times as far apart as they take, at least
)

// Config is what a feed is made of. Both functions ask the store, are never called at
// the same time, and only while somebody listens.
type Config struct {
	// Look returns the objects that have changed since it was called before; fresh says
	// that nothing is to be told of what was before.
	Look func(ctx context.Context, fresh bool) []inspect.ObjectEvent
	// Sample counts. Counts is not its business.
	Sample func(ctx context.Context) (*inspect.EventStats, error)
}

// Feed is that of one node. Make it with [New]; it is safe for concurrent use. Its two
// goroutines run while somebody listens, and a few seconds longer.
type Feed struct {
	config    Config
	name      string // of this process, in positions
	listening atomic.Bool

	mu        sync.Mutex
	listeners int
	idleSince time.Time
	closed    bool
	stop      context.CancelFunc // of the goroutines, nil while there are none
	window    window
	pages     []*inspect.EventPage
	kept      int    // changes of tasks in pages
	last      uint64 // page that was turned
	lost      uint64 // the last that is not kept any more
	stats     *inspect.EventStats
	counts    map[string]map[inspect.EventKind]int
	updated   chan struct{}
	ended     chan struct{}
	running   sync.WaitGroup
}

// New makes a feed.
func New(config Config) *Feed {
	return &Feed{
		config: config, name: strconv.FormatUint(rand.Uint64()|1<<63, 36), //nolint:gosec // a name, no secret
		updated: make(chan struct{}), ended: make(chan struct{}),
	}
}

// Listening reports whether it is worth telling anything.
func (f *Feed) Listening() bool { return f.listening.Load() }

// Task takes a change of a task. Ask [Feed.Listening] before making one.
func (f *Feed) Task(t inspect.TaskEvent) {
	if !f.Listening() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stop == nil {
		return
	}
	f.window.add(t)
	of := f.counts[t.Queue]
	if of == nil {
		of = map[inspect.EventKind]int{}
		f.counts[t.Queue] = of
	}
	of[t.What]++
}

// Object takes a change of an object that the node itself has seen.
func (f *Feed) Object(o inspect.ObjectEvent) {
	if !f.Listening() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stop != nil {
		f.window.object(o)
	}
}

// Close ends all listeners, and waits for the goroutines. Idempotent.
func (f *Feed) Close() {
	f.mu.Lock()
	if !f.closed {
		f.closed = true
		close(f.ended)
	}
	if f.stop != nil {
		f.stop()
	}
	f.mu.Unlock()
	f.running.Wait()
}

// begin starts the goroutines. The lock must be held.
func (f *Feed) begin() {
	if f.stop != nil || f.closed {
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	f.stop, f.window, f.counts, f.stats = stop, window{}, map[string]map[inspect.EventKind]int{}, nil
	f.listening.Store(true)
	f.running.Go(func() { f.turnPages(ctx) })
}

// turnPages makes pages, beside the goroutine that looks at the store: the next one
// begins when this one is over.
func (f *Feed) turnPages(ctx context.Context) {
	var sampling sync.WaitGroup
	sampling.Go(func() { f.sample(ctx) })
	ticker := time.NewTicker(Every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			sampling.Wait()
			f.end()
			return
		case now := <-ticker.C:
			f.turn(now)
		}
	}
}

// end forgets everything: what happens from now on is not known.
func (f *Feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listening.Store(false)
	f.last++ // whoever comes back has missed something
	f.lost = f.last
	f.pages, f.kept, f.window, f.counts, f.stats, f.stop = nil, 0, window{}, nil, nil, nil
	if f.listeners > 0 {
		f.begin() // somebody came meanwhile
	}
}

// turn makes a page of what was gathered.
func (f *Feed) turn(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.listeners == 0 && now.Sub(f.idleSince) >= linger {
		f.stop()
		return
	}
	f.last++ // also of a page that is empty: positions are time, and tell nothing of what happens
	page := f.window.take()
	if page == nil {
		return
	}
	page.Number, page.At = f.last, now.UTC()
	f.pages, f.kept = append(f.pages, page), f.kept+len(page.Tasks)
	for len(f.pages) > mostPages || f.kept > mostTasks && len(f.pages) > 1 {
		f.kept -= len(f.pages[0].Tasks)
		f.lost = f.pages[0].Number
		f.pages[0] = nil
		f.pages = f.pages[1:]
	}
	f.tell()
}

// tell wakes all listeners. The lock must be held.
func (f *Feed) tell() {
	close(f.updated)
	f.updated = make(chan struct{})
}

// sample looks at the store for all listeners.
func (f *Feed) sample(ctx context.Context) {
	fresh := true
	for {
		began := time.Now()
		if f.heard() {
			f.sampleOnce(ctx, fresh)
			fresh = false
		}
		timer := time.NewTimer(max(statsEvery-time.Since(began), (sampleCost-1)*time.Since(began)))
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// heard reports whether anybody listens right now.
func (f *Feed) heard() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.listeners > 0
}

func (f *Feed) sampleOnce(ctx context.Context, fresh bool) {
	ctx, cancel := context.WithTimeout(ctx, sampleTime)
	defer cancel()
	objects := f.config.Look(ctx, fresh)
	stats, err := f.config.Sample(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stop == nil {
		return
	}
	for _, o := range objects {
		f.window.object(o)
	}
	if err != nil {
		return // the next is a second away
	}
	stats.Counts, f.counts = f.counts, map[string]map[inspect.EventKind]int{}
	if before := f.stats; before != nil && before.Dead != stats.Dead {
		f.window.object(inspect.ObjectEvent{Kind: "dead"})
	}
	f.stats = stats
	f.tell()
}
