package engine

import (
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Wake tells the engine, and the owners of the lanes, that this process has
// changed rows of them beside the engine: enqueued in a caller's transaction,
// redriven, a key released. Without lanes, anything on this node may have
// changed.
func (e *Engine) Wake(lanes ...uint16) {
	e.mu.Lock()
	for _, lane := range lanes {
		e.changedLane(lane)
	}
	e.mu.Unlock()
	e.Heard(lanes...)
}

// Heard takes a wake-up from elsewhere: others have changed rows of the lanes,
// or, without lanes, anything. It has no other effect than a look at them.
func (e *Engine) Heard(lanes ...uint16) {
	v := e.view.Load()
	e.mu.Lock()
	e.doubtLeases(lanes)
	if len(lanes) == 0 {
		e.dirtyAll = true
		signal(e.stirred)
	}
	found := e.dirtyAll
	for _, lane := range lanes {
		switch self := v.me(e.node()); {
		case e.near.lanes[lane] != nil:
			e.dirty[lane], found = true, true
		case self != nil && (v.borrows(self, lane) || v.lanes[lane] != nil && v.lanes[lane].Owner == self.ID): // it was ours a moment ago
			e.lenders[lane], found = true, true
		}
	}
	e.mu.Unlock()
	if found {
		signal(e.changed)
	}
}

// hints are what a poll is to look at.
type hints struct {
	asked bool            // somebody has said that there is something
	lanes map[uint16]bool // nil for all of this node's
	lend  map[uint16]bool // of others; nil for all
}

// some reports whether the hints leave lanes out.
func (h hints) some() bool { return h.lanes != nil || h.lend != nil }

// hinted returns what the last wake-ups were about, and forgets it. Without any,
// everything is to be looked at.
func (e *Engine) hinted() hints {
	e.mu.Lock()
	defer e.mu.Unlock()
	h, all := hints{true, e.dirty, e.lenders}, e.dirtyAll
	e.dirty, e.lenders, e.dirtyAll = map[uint16]bool{}, map[uint16]bool{}, false
	if asked := len(h.lanes)+len(h.lend) > 0; all || !asked {
		return hints{asked: all || asked}
	}
	return h
}

// longestDeaf bounds the pause between two tries to watch the store.
const longestDeaf = 30 * time.Second

// watch passes on what the store tells of other processes' commits.
func (e *Engine) watch(waker store.Waker) {
	level := slog.LevelWarn
	for pause := e.config.Poll; e.running.Err() == nil; pause = min(2*pause, longestDeaf) {
		began := time.Now()
		e.watched.Store(true)
		err := waker.Watch(e.running, func(lanes []uint16) { e.Heard(lanes...) })
		e.watched.Store(false)
		if e.running.Err() != nil {
			return
		}
		if time.Since(began) > longestDeaf {
			pause, level = e.config.Poll, slog.LevelWarn
		}
		e.log.Log(e.running, level, "watch.ended", "error", err, "again_in", pause)
		level = slog.LevelDebug // it has been said; until it works again
		sleep(e.running, pause)
		e.Heard() // something was missed
	}
}
