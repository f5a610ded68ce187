package agenda

import (
	"time"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/heap"
	"github.com/outlast-dev/outlast/task"
)

// The rows behind a shut gate are parked a few at a time, so that the marks
// do not keep the store from other work.
const parkRamp = 16

// parking decides which entries give room to others and leave memory, marked by the gate
// that holds them, and when the rows behind a gate come back.
type parking struct {
	timeline *timeline
	lanes    *lanes
	keys     *keys
	targets  *guard.Targets
	returns  func(queue, capability string) bool
}

// Surplus is an entry that is to be parked, and the mark of the gate that holds it.
type Surplus struct {
	*Entry
	Mark int64
}

// Excess takes up to parkRamp entries out of memory's structures, so that
// they can be parked: in lanes that have more to read and no room for it,
// those that wait behind a shut gate (of a target, or the head of a key) as far
// as they are more than a quarter of the window.
func (p *parking) Excess(now int64) (out []Surplus) {
	window := p.lanes.window()
	known := map[*Queue][]blocked{} // looked for where a lane is full
	for _, l := range p.lanes.owned {
		if l.count <= window/2 || !l.hungry(p.lanes.horizon) && !l.leaves() {
			continue
		}
		held, ok := known[l.queue]
		if !ok {
			held = blockedOf(l.queue, now)
			known[l.queue] = held
		}
		much := l.behind - window/4
		for _, b := range held {
			much += b.inLane[l]
		}
		much = min(much, parkRamp-len(out))
		for _, b := range held {
			much, out = p.tail(l, b, much, out)
		}
		if much > 0 && l.behind > 0 {
			for _, s := range p.keys.byID {
				if s.id.lane == l.number {
					much, out = p.tail(l, blocked{Heap: &s.behind, gate: gateKey}, much, out)
				}
			}
		}
	}
	return out
}

// blocked is entries behind a gate.
type blocked struct {
	*heap.Heap[*Entry]
	gate   gate
	inLane map[*Lane]int // how many of them
}

// blockedOf lists what is behind the gates of a queue's blocked targets.
func blockedOf(q *Queue, now int64) (all []blocked) {
	for _, c := range q.crowds {
		held := c.target.Blocked(now)
		for of := range guard.Gates(guard.Sets) {
			if c.Due(of) == 0 || !held.Hold(of) {
				continue
			}
			gate := gateTarget
			if !held.WithoutBudget().Hold(of) {
				gate = gateRetry
			}
			for _, s := range c.streams {
				all = append(all, blockedIn(&s.ready[of], gate))
			}
		}
	}
	return all
}

func blockedIn(ready *heap.Heap[*Entry], gate gate) blocked {
	b := blocked{ready, gate, map[*Lane]int{}}
	for i := range b.Len() {
		b.inLane[b.At(i).lane]++
	}
	return b
}

// tail takes up to much of the entries of a lane from the end of a heap, where
// the last to start are, but never the first one of the heap, nor the head of
// a key. It returns how much is left to take.
func (p *parking) tail(l *Lane, b blocked, much int, out []Surplus) (int, []Surplus) {
	for i := b.Len() - 1; i >= 1 && much > 0; i-- {
		e := b.At(i)
		if e.lane == l && (e.sequence == nil || e.where == isBehind) {
			p.timeline.lift(e)
			m := mark{b.gate, e.Target}
			if b.gate == gateKey {
				m.name = e.Key
			}
			number := m.number()
			l.marks[number] = &parked{mark: m}
			out = append(out, Surplus{e, number})
			much--
		}
	}
	return much, out
}

// MostReturned is how many parked rows of one gate come back into memory at a time,
// within a quarter of a lane's window.
const MostReturned = 128

// probe is how many parked rows come back to see whether their gate is open.
const probe = 4

// MayReturn is how many rows with a mark come back now: few where the gate may still be
// shut, of a key of which nothing has run since it was parked, or a target that hangs or
// fails.
func (p *parking) MayReturn(l *Lane, number int64) int {
	most := min(MostReturned, p.lanes.window()/4)
	of := l.marks[number]
	if of == nil {
		return most
	}
	shut := false
	switch of.gate {
	case gateKey:
		s := p.keys.byID[keyID{l.number, of.name}]
		shut = s == nil || s.head != nil && !s.runs()
	case gateTarget, gateRetry:
		shut = p.stillBlocked(of.mark)
	}
	if shut {
		return min(most, probe)
	}
	return most
}

// stillBlocked reports whether a target is blocked at the gate of a mark.
func (p *parking) stillBlocked(m mark) bool {
	t := p.targets.Known(m.name)
	if t == nil {
		return false
	}
	held := t.StillBlocked()
	if m.gate == gateTarget {
		held = held.WithoutBudget()
	}
	return held != 0
}

// Opening is a park mark of a lane whose rows should come back.
type Opening struct {
	Lane *Lane
	Mark int64
}

// Openings lists so many at most of the park marks whose rows should come back, but for
// those of which rows are about to be marked.
func (p *parking) Openings(now int64, most int, marking map[task.ID]int64) (open []Opening) {
	writing := make(map[Opening]bool, len(marking))
	for id, number := range marking {
		writing[Opening{p.lanes.Lane(id.Lane()), number}] = true
	}
	for _, l := range p.lanes.owned {
		for number, of := range l.marks {
			o := Opening{l, number}
			if of.until <= now && !writing[o] && p.opened(l, of.mark) {
				if open = append(open, o); len(open) == most {
					return open
				}
			}
		}
	}
	return open
}

// opened reports whether rows with the mark should come back now.
func (p *parking) opened(l *Lane, m mark) bool {
	switch m.gate {
	case gateKey:
		s := p.keys.byID[keyID{l.number, m.name}]
		return s == nil || s.behind.Len() == 0 && s.head != nil
	case gateTarget, gateRetry:
		few := p.lanes.window() / 8
		if p.stillBlocked(m) {
			few = 2 * probe
		}
		known, retries := l.queue.has(m.name)
		if m.gate == gateRetry {
			known = retries
		}
		return l.count < p.lanes.window() && known < few
	case gateType:
		return p.returns(l.queue.name, m.name)
	}
	return true
}

// comeBack reports whether rows of a lane that were parked are to be read again.
func (p *parking) comeBack(l *Lane, now int64) bool {
	for _, of := range l.marks {
		if of.until <= now && p.opened(l, of.mark) {
			return true
		}
	}
	return false
}

// firstBlocked and longestBlocked bound the wait of a blocked key.
const firstBlocked, longestBlocked = time.Second, 30 * time.Second

// block remembers that the key of an entry is blocked, and returns its mark. The key waits
// twice as long each time.
func (p *parking) block(e *Entry, now int64) int64 {
	number := e.lane.park(mark{gateKey, e.Key})
	of := e.lane.marks[number]
	of.wait = min(max(firstBlocked, 2*of.wait), longestBlocked)
	of.until = now + of.wait.Microseconds()
	return number
}
