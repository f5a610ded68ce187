package membership

import (
	"context"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/topology"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Wake-ups between nodes: after a commit that changed lanes of another node,
// that node is told which, so that it looks at them now and not at its next
// poll. They are advice: never waited for, sent together, dropped on error.
const (
	wakeupEvery = 2 * time.Millisecond // between two wake-ups by the store
	callEvery   = 5 * time.Millisecond // the same by calls, which cost more
	wakeupTime  = time.Second          // limit of one
	wakeupRest  = time.Second          // a node that could not be told is left alone so long
)

// Wakeups tell other nodes what this one has changed. All methods are safe for concurrent
// use, also under a lock of the caller.
type Wakeups struct {
	member *Member

	mu      sync.Mutex
	changes topology.Changes
	told    chan struct{} // there is something
}

// note notes a change.
func (w *Wakeups) note(change func(c *topology.Changes)) {
	w.mu.Lock()
	change(&w.changes)
	w.mu.Unlock()
	signal(w.told)
}

// take takes what there is to tell.
func (w *Wakeups) take() topology.Changes {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.changes
	w.changes = topology.Changes{}
	return c
}

// noteIn puts a key into a set that may not have been made yet.
func noteIn[K comparable](set *map[K]bool, key K) {
	if *set == nil {
		*set = map[K]bool{}
	}
	(*set)[key] = true
}

// ChangedLane notes that rows of another node's lane changed, of which from is the least
// rank; see [store.ChangedLane].
func (w *Wakeups) ChangedLane(lane uint16, from int64) {
	if !w.member.alone.Load() {
		w.note(func(c *topology.Changes) { c.Owner(lane, from) })
	}
}

// Lent notes that a lane has rows that only others can start.
func (w *Wakeups) Lent(lane uint16) {
	if !w.member.alone.Load() {
		w.note(func(c *topology.Changes) { noteIn(&c.Borrowers, lane) })
	}
}

// ChangedLease notes that a task of a lane has ended. If a worker of another node held it,
// that node, which has leased it, looks.
func (w *Wakeups) ChangedLease(holder string, lane uint16) {
	node, worker, _ := task.Runner(holder)
	if worker != "" && !w.member.alone.Load() && node != w.member.ID() {
		w.note(func(c *topology.Changes) { noteIn(&c.Leasers, topology.Leaser{Node: node, Lane: lane}) })
	}
}

// Everything makes other nodes look at queues, lanes and nodes now.
func (w *Wakeups) Everything() {
	if !w.member.alone.Load() {
		w.note(func(c *topology.Changes) { c.Everything = true })
	}
}

// pause is the time between two wake-ups.
func (w *Wakeups) pause() time.Duration {
	if w.member.watched.Load() {
		return wakeupEvery
	}
	return callEvery
}

// telling is the loop that tells other nodes what changed: at once, and then no more
// often than it should.
func (w *Wakeups) telling() {
	calls := newCalls(w.member.running, w.tellOne)
	defer calls.running.Wait()
	var last time.Time
	for {
		select {
		case <-w.member.running.Done():
			return
		case call := <-calls.ended:
			calls.end(call)
			calls.start() // what came up during it
			continue
		case <-w.told:
		}
		if wait := w.pause() - time.Since(last); wait > 0 && !background.Sleep(w.member.running, wait) {
			return
		}
		last = time.Now()
		calls.endAll()
		w.tell(calls)
	}
}

// tell tells what there is by the way that the store offers: its own, or
// a call of each node that is concerned. A store whose watch sees every commit
// needs neither.
func (w *Wakeups) tell(calls *calls) {
	changes, v, self := w.take(), w.member.view.Load(), w.member.ID()
	if v.Alone(self) {
		return
	}
	notifier, notifies := store.As[store.Notifier](w.member.config.Store)
	switch watched := w.member.watched.Load(); {
	case watched && notifies:
		ctx, cancel := context.WithTimeout(w.member.running, wakeupTime)
		defer cancel()
		w.notify(ctx, notifier, changes)
	case !watched && w.member.config.Tell != nil:
		calls.add(v.Audience(changes, self), time.Now())
		calls.start()
	}
}

// notify hands changes to the store.
func (w *Wakeups) notify(ctx context.Context, notifier store.Notifier, c topology.Changes) {
	lanes := c.Lanes()
	if len(lanes) == 0 && !c.Everything {
		return
	}
	began := time.Now()
	err := notifier.Notify(ctx, lanes)
	w.toldOf("notify", len(lanes), began, err)
}

// tellOne makes one call.
func (w *Wakeups) tellOne(ctx context.Context, to *topology.Message) error {
	lanes, began := to.Lanes(), time.Now()
	err := w.member.config.Tell(ctx, *to.Node, lanes)
	w.toldOf("call", len(lanes), began, err)
	return err
}

func (w *Wakeups) toldOf(way string, lanes int, began time.Time, err error) {
	if err != nil && w.member.running.Err() == nil {
		w.member.log.Debug("wakeup.failed", "way", way, "lanes", lanes, "error", err)
	}
	if f := w.member.config.Told; f != nil {
		f(way, lanes, time.Since(began), err)
	}
}

// lastWords tells what changed at the end, when the loops have ended: the node
// has left. Nobody who does not answer is waited for long.
func (w *Wakeups) lastWords(ctx context.Context) {
	if w.member.alone.Load() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, wakeupTime/2)
	defer cancel()
	left := topology.Changes{Everything: true}
	notifier, notifies := store.As[store.Notifier](w.member.config.Store)
	switch {
	case w.member.wasWatched && notifies:
		w.notify(ctx, notifier, left)
	case !w.member.wasWatched && w.member.config.Tell != nil:
		var calls sync.WaitGroup
		for _, to := range w.member.view.Load().Audience(left, w.member.ID()) {
			calls.Go(func() { _ = w.tellOne(ctx, to) }) // the observer was told
		}
		calls.Wait()
	}
}
