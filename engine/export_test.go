package engine

import (
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Planned is what a node does about lanes, by the topology that it has read.
type Planned struct {
	Take, Spare []store.LaneEpoch
	Surplus     map[string]int
}

// Blink is what a stop of the whole process does to the engine's time: the last
// contact with the store is d longer ago. The timers have not fired yet.
func (e *Engine) Blink(d time.Duration) {
	at := e.contact.Load().Add(-d)
	e.contact.Store(&at)
}

// Plan works out what a node should do about lanes.
func Plan(t *store.Topology, self string) Planned {
	p := newView(t).plan(self)
	return Planned{p.take, p.spare, p.surplus}
}

// LimitShare is a node's part of a queue's limit, -1 for none.
func LimitShare(t *store.Topology, queue, node string) int {
	v := newView(t)
	return v.limitShare(v.queues[queue], node)
}

// Kill ends the engine as a kill of its process would: nothing is settled,
// nothing is given back, nobody is told.
func (e *Engine) Kill() {
	e.stops.Store(true)
	e.lost.Store(true)
	e.stopClaims()
	e.mu.Lock()
	e.halted = true
	e.mu.Unlock()
	e.stopRunning()
	e.stopBeats()
	e.beater.Wait()
	e.loops.Wait()
	e.stopSettling()
	e.mu.Lock()
	for a := range e.near.attempts {
		a.settled.Store(true)
	}
	e.mu.Unlock()
	e.crew.dismiss()
	e.stopAttempts(ErrLost)
	e.enqueues.close()
	e.closeSettles()
	e.stopOnce.Do(func() {})
}
