package engine

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Liveness without wall clocks: a node raises its counter, and is dead when
// another has read the same counter often and long enough by its own
// monotonic clock. A store that cannot be reached kills nobody.
const (
	deadReads = 5               // successive reads of the same counter
	deadAfter = 5 * time.Second // over at least this time
	lostAfter = 4 * time.Second // without a raise, a node stops acting
)

// beating is the loop that raises this node's counter. A timer of its own
// declares the node lost, since a raise may hang.
func (e *Engine) beating() {
	ticker := time.NewTicker(e.config.Beat)
	defer ticker.Stop()
	silence := time.AfterFunc(lostAfter, func() { e.lose("no contact with the store") })
	defer silence.Stop()
	for {
		var asked chan struct{}
		select {
		case <-e.beats.Done():
			return
		case <-ticker.C:
		case asked = <-e.beatAsks:
		}
		e.beatOrRejoin(silence)
		if asked != nil {
			close(asked)
		}
	}
}

// beatOrRejoin raises the counter, or returns under a new id; either puts off
// the silence.
func (e *Engine) beatOrRejoin(silence *time.Timer) {
	sent := time.Now()
	err := e.beatOnce()
	if errors.Is(err, store.ErrNodeDead) {
		e.lose("marked dead")
		err = e.rejoin()
	}
	if err != nil {
		if e.beats.Err() == nil { // else the node leaves: it needs no beat any more
			e.log.Warn("beat.failed", "error", err)
			e.doubt()
		}
		return
	}
	if left := lostAfter - time.Since(sent); left > 0 {
		e.contact.Store(&sent)
		silence.Reset(left)
		e.found()
	}
}

func (e *Engine) beatOnce() error {
	ctx, cancel := context.WithTimeout(e.beats, lostAfter)
	defer cancel()
	e.mu.Lock()
	running := e.runs
	e.mu.Unlock()
	report := store.Report{Serves: e.serves(e.view.Load()), Load: store.Load{Running: running, Slots: e.slots()}}
	targets := e.Troubled()
	if !slices.Equal(targets, e.reported) {
		report.Targets = targets
	}
	canceled, err := e.config.Store.Beat(ctx, e.node(), report)
	if err == nil {
		e.reported = targets
	}
	for _, id := range canceled {
		e.mu.Lock()
		entry := e.near.known[id]
		runs := entry != nil && entry.attempt != nil
		e.mu.Unlock()
		if runs {
			e.Canceled(id)
		}
	}
	return err
}

// slots is how many attempts this node runs at most.
func (e *Engine) slots() int {
	if e.config.EnqueueOnly {
		return 0
	}
	return e.config.Slots
}

// serves is what this node tells others that it can start, of the queues in a
// view, which may be nil.
func (e *Engine) serves(v *view) store.Serves {
	out := store.Serves{}
	if e.config.EnqueueOnly || v == nil {
		return out
	}
	now, remotes := time.Now(), e.remotes()
	for name := range v.queues {
		types, serves := e.config.Registry.Serves(name)
		of, remote := remotes[name]
		if types, serves = learnServed(types, serves, of, remote); !serves {
			continue
		}
		switch {
		case e.stops.Load():
			types = []string{Leaving}
		case !e.config.Node.Embedded && types != nil && slices.Contains(e.config.Queues, name):
			types = append(slices.Clip(types), owning)
		}
		if types != nil && remote && !e.stops.Load() {
			types = append(slices.Clip(types), e.wants(name, now)...)
		}
		if types != nil && v.goesRound(v.queues[name]) && e.runsOf(name) {
			types = append(slices.Clip(types), holding)
		}
		out[name] = types
	}
	return out
}

// runsOf reports whether tasks of a queue run on this node.
func (e *Engine) runsOf(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	q := e.near.queues[name]
	return q != nil && q.running > 0
}

// lose stops claiming and cancels running attempts: others may be about to
// run these tasks.
func (e *Engine) lose(why string) {
	e.mu.Lock()
	before := e.lost.Swap(true) // under the lock, so that no attempt starts and is missed here
	if !before {
		for a := range e.near.attempts {
			if a.lease == nil { // what is leased is the worker's
				a.ctx.cancel(ErrLost)
			}
		}
	}
	e.mu.Unlock()
	if !before {
		e.log.Error("node.lost", "node", e.node(), "why", why)
	}
}

// silent reports whether this node has not raised its counter for so long that
// others may have taken its place. The timer that declares it lost says the
// same, but after a stop of the whole process others may run before it.
func (e *Engine) silent() bool { return time.Since(*e.contact.Load()) >= lostAfter }

// found ends the state of being lost: the node is alive, its rows are its
// own still.
func (e *Engine) found() {
	if e.lost.Swap(false) {
		e.doubt()
		signal(e.wake)
		signal(e.balance)
	}
}

// rejoin returns under a new id.
func (e *Engine) rejoin() error {
	old, node := e.node(), e.config.Node
	node.ID += "~" + randomSuffix()
	node.Serves, node.Targets, node.Load.Slots = e.serves(e.view.Load()), e.Troubled(), e.slots()
	ctx, cancel := context.WithTimeout(e.beats, storeCall)
	defer cancel()
	if err := e.config.Store.Join(ctx, node); err != nil {
		return err
	}
	e.reported = node.Targets
	e.mu.Lock()
	e.id.Store(&node.ID)
	for _, l := range e.near.lanes {
		e.disown(l)
	}
	e.mu.Unlock()
	e.log.Warn("node.rejoined", "old", old, "new", node.ID)
	if f := e.config.Observer.NodeDied; f != nil {
		f(old, node.ID)
	}
	return nil
}

// bury marks a node dead, unless it has raised its counter.
func (e *Engine) bury(ctx context.Context, n *store.Node) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, storeCall)
	defer cancel()
	return e.config.Store.Bury(ctx, n.ID, n.Counter)
}

func randomSuffix() string {
	var bits [4]byte
	_, _ = rand.Read(bits[:]) // never fails: crypto/rand documents that
	return hex.EncodeToString(bits[:])
}

// suspicion is what this node has seen of another's counter.
type suspicion struct {
	counter int64
	reads   int
	since   time.Time
	read    time.Time // last
}

// blinked is the time without a read after which what was seen before says
// nothing: this process was stopped, or the store could not be reached by
// anybody.
const blinked = deadAfter / 2

// judge marks nodes dead whose counter has stood still, or of which the
// store knows that their process has ended.
func (e *Engine) judge(ctx context.Context) error {
	now, seen := time.Now(), map[string]*suspicion{}
	died := false
	for i := range e.view.Load().topology.Nodes {
		n := &e.view.Load().topology.Nodes[i]
		if n.State != store.NodeAlive || n.ID == e.node() {
			continue
		}
		s := e.seen[n.ID]
		if s == nil || s.counter != n.Counter || now.Sub(s.read) >= blinked {
			s = &suspicion{counter: n.Counter, since: now}
		}
		s.reads++
		s.read = now
		seen[n.ID] = s
		if !n.Gone && (s.reads < deadReads || now.Sub(s.since) < deadAfter) {
			continue
		}
		buried, err := e.bury(ctx, n)
		if err != nil {
			return err
		}
		if buried {
			died = true
			e.log.Warn("node.dead", "node", n.ID, "process_gone", n.Gone)
		}
	}
	beaten := make(map[string]time.Time, len(seen))
	for id, s := range seen {
		beaten[id] = s.since
	}
	e.seen = seen
	e.beaten.Store(&beaten)
	if !died {
		return nil
	}
	e.mu.Lock()
	e.stirOthers()
	e.mu.Unlock()
	e.sweepAll()
	return e.Refresh(ctx)
}
