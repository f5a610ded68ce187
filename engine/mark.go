package engine

import (
	"hash/fnv"

	"github.com/outlast-dev/outlast/store"
)

// A park mark is a hash of the gate that holds a row: rows of one gate are a
// stream of their own on disk and take no place in memory. The mark of a
// type is the one by which nodes that can start the type find such rows.

// gate is what a park mark stands for.
type gate string

const (
	gateKey    gate = "key"
	gateTarget gate = "target"
	gateType   gate = "type"
)

// mark is a park mark that is present in a lane.
type mark struct {
	gate gate
	name string // the key, the target or the capability
}

// number is the mark as stored: never 0.
func (m mark) number() int64 {
	sum := fnv.New64a()
	sum.Write([]byte(m.gate))
	sum.Write([]byte{0})
	sum.Write([]byte(m.name))
	return int64(sum.Sum64() | 1)
}

// capability is what a node must be able to do to start the row: its type,
// or Push for a row with a target of its own.
func capability(row *store.Entry) string {
	if row.Target != row.Type {
		return Push
	}
	return row.Type
}

// markOf tells what the mark of a row stands for; false if it is none that
// this engine would write.
func markOf(row *store.Entry) (mark, bool) {
	for _, m := range [...]mark{{gateType, capability(row)}, {gateKey, row.Key}, {gateTarget, row.Target}} {
		if m.number() == row.Park {
			return m, true
		}
	}
	return mark{}, false
}

// parkRamp is how many entries of a lane are parked at a time, so that the
// marks do not keep the store from other work.
const parkRamp = 256

// excess lists entries of a lane that wait behind a shut gate, beyond a
// quarter of the lane's window, so that they can be parked: those behind the
// head of their key, and ready ones of a target that is full, or that fails
// while it fills the window. The last to start come first, parkRamp at most.
func (n *near) excess(l *lane) []*entry {
	if l.count < n.window() {
		return nil
	}
	byMark, total := map[mark][]*entry{}, 0
	for _, e := range n.known {
		if e.lane == l {
			if m, shut := n.shut(e); shut {
				byMark[m] = append(byMark[m], e)
				total++
			}
		}
	}
	if total <= n.window()/4 {
		return nil
	}
	var out []*entry
	quota := max(1, n.window()/4/len(byMark))
	for m, entries := range byMark {
		if len(entries) <= quota {
			continue
		}
		kept := pile[*entry]{less: func(a, b *entry) bool { return later(m, a, b) }}
		for _, e := range entries {
			n.lift(e)
			kept.push(e)
		}
		for kept.len() > quota && len(out) < parkRamp {
			out = append(out, kept.pop())
		}
		for _, e := range kept.items {
			n.putBack(e, m)
		}
	}
	return out
}

// later orders the entries of one gate so that the last to start come first.
func later(m mark, a, b *entry) bool {
	if m.gate == gateKey {
		return first(b, a)
	}
	return byRank(b, a)
}

func (n *near) putBack(e *entry, m mark) {
	e.index = -1
	if m.gate == gateKey {
		e.where = isBehind
		e.line.behind.push(e)
		return
	}
	e.where = isReady
	e.stream.push(e)
	n.ready++
}

func (n *near) shut(e *entry) (mark, bool) {
	switch e.where {
	case isBehind:
		return mark{gateKey, e.Key}, true
	case isReady:
		t := e.stream.target
		if e.line == nil && (t.full() || t.success < 0.5 && e.stream.count > n.window()/2) {
			return mark{gateTarget, t.name}, true
		}
	}
	return mark{}, false
}
