package engine

import (
	"hash/fnv"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// A park mark is a hash of the gate that holds a row: rows of one gate are a
// stream of their own on disk and take no place in memory. The mark of a
// type is the one by which nodes that can start the type find such rows.

// gate is what a park mark stands for.
type gate string

const (
	gateKey    gate = "key"
	gateTarget gate = "target"
	gateRetry  gate = "retry" // of a target whose budget is spent
	gateType   gate = "type"
)

// mark is what a park mark stands for.
type mark struct {
	gate gate
	name string // the key, the target or the capability
}

// parked is a park mark that is present in a lane.
type parked struct {
	mark
	until int64         // µs: its rows stay on disk until then, unless something happens to the gate
	wait  time.Duration // how long a blocked key waited the last time
}

// reopen ends the waiting of the lane's parked keys: something happened that
// may have released them.
func (l *lane) reopen() {
	for _, p := range l.marks {
		p.until, p.wait = 0, 0
	}
}

// released ends the waiting of one parked key.
func (l *lane) released(key string) {
	if p := l.marks[mark{gateKey, key}.number()]; p != nil {
		p.until, p.wait = 0, 0
	}
}

// number is the mark as stored: never 0.
func (m mark) number() int64 {
	sum := fnv.New64a()
	sum.Write([]byte(m.gate))
	sum.Write([]byte{0})
	sum.Write([]byte(m.name))
	return int64(sum.Sum64() | 1)
}

// Capability is what a node must be able to do to start the row: its type, also
// where its handler has named the target, or Push for a row with a request.
func Capability(row *store.Entry) string {
	if row.Target != row.Type && !task.IsNamed(row.Target) {
		return Push
	}
	return row.Type
}

// markOf tells what the mark of a row stands for; false if it is none that
// this engine would write. Rows of targets may be marked for one of the abilities.
func markOf(row *store.Entry, abilities []string) (mark, bool) {
	for _, m := range [...]mark{{gateType, Capability(row)}, {gateKey, row.Key}, {gateTarget, row.Target}, {gateRetry, row.Target}} {
		if m.number() == row.Park {
			return m, true
		}
	}
	if Capability(row) == Push {
		for _, ability := range abilities {
			if m := (mark{gateType, ability}); m.number() == row.Park {
				return m, true
			}
		}
	}
	return mark{}, false
}

// The rows behind a shut gate are parked a few at a time, so that the marks
// do not keep the store from other work.
const (
	parkRamp  = 16
	parkEvery = 50 * time.Millisecond
	// hangsAfter is how long a target that holds its whole share of the slots
	// must have ended no attempt for its waiting entries to be parked.
	hangsAfter = time.Second
)

// surplus is an entry that is to be parked, and the gate that holds it.
type surplus struct {
	*entry
	gate gate
}

// excess takes up to parkRamp entries out of memory's structures, so that
// they can be parked: in lanes that have more to read and no room for it,
// those that wait behind a shut gate (of a target, or the head of a key) as far
// as they are more than a quarter of the window.
func (n *near) excess(now int64) (out []surplus) {
	stuck := map[*queue][]stuckPile{} // looked for where a lane is full
	for _, l := range n.lanes {
		if l.count <= n.window()/2 || !l.hungry(n) {
			continue
		}
		piles, known := stuck[l.queue]
		if !known {
			piles = n.stuckPiles(l.queue, now)
			stuck[l.queue] = piles
		}
		much := l.behind - n.window()/4
		for _, p := range piles {
			much += p.inLane[l]
		}
		much = min(much, parkRamp-len(out))
		for _, p := range piles {
			much, out = n.tail(l, p, much, out)
		}
		if much > 0 && l.behind > 0 {
			for _, line := range n.lines {
				if line.id.lane == l.number {
					much, out = n.tail(l, stuckPile{pile: &line.behind, gate: gateKey}, much, out)
				}
			}
		}
	}
	return out
}

// stuckPile is entries behind a gate.
type stuckPile struct {
	*pile[*entry]
	gate   gate
	inLane map[*lane]int // how many of them
}

// stuckPiles lists the piles behind the gates of a queue's stuck targets.
func (n *near) stuckPiles(q *queue, now int64) (piles []stuckPile) {
	for _, s := range q.streams {
		held := n.stuck(s.target, now)
		for of := range s.ready {
			if s.ready[of].len() == 0 || !held.hold(gates(of)) {
				continue
			}
			p := stuckPile{&s.ready[of], gateTarget, map[*lane]int{}}
			if !(held &^ byBudget).hold(gates(of)) {
				p.gate = gateRetry
			}
			for i := range p.items {
				p.inLane[p.items[i].item.lane]++
			}
			piles = append(piles, p)
		}
	}
	return piles
}

// tail takes up to much of the entries of a lane from the end of a pile, where
// the last to start are, but never the first one of the pile, nor the head of
// a key. It returns how much is left to take.
func (n *near) tail(l *lane, p stuckPile, much int, out []surplus) (int, []surplus) {
	for i := p.len() - 1; i >= 1 && much > 0; i-- {
		e := p.items[i].item
		if e.lane == l && (e.line == nil || e.where == isBehind) {
			n.lift(e)
			out = append(out, surplus{e, p.gate})
			much--
		}
	}
	return much, out
}
