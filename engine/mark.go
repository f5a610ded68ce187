package engine

import (
	"hash/fnv"
	"time"

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

// The rows behind a shut gate are parked a few at a time, so that the marks
// do not keep the store from other work.
const (
	parkRamp  = 64
	parkEvery = 50 * time.Millisecond
	// hangsAfter is how long a target that holds its whole share of the slots
	// must have ended no attempt for its waiting entries to be parked.
	hangsAfter = time.Second
)

// excess takes up to parkRamp entries out of memory's structures that wait
// behind a shut gate and fill the windows of their lanes, so that they can be
// parked: of a target that hangs or fails, or behind the head of a key, where
// those are more than a quarter of what memory may hold.
func (n *near) excess(now int64) []*entry {
	var out []*entry
	for _, q := range n.order {
		for _, s := range q.streams {
			if s.ready.len() > n.limit/4 && n.stuck(s.target, now) {
				out = n.tail(out, &s.ready)
			}
		}
	}
	if n.behind > n.limit/4 {
		for _, l := range n.lines {
			out = n.tail(out, &l.behind)
		}
	}
	return out
}

// stuck reports whether a target hangs, or fails while others have work here.
func (n *near) stuck(t *target, now int64) bool {
	if t.running >= t.limit && now-t.used > hangsAfter.Microseconds() {
		return true
	}
	return t.seen >= enoughSeen && t.success < 0.5 && len(n.targets) > 1
}

// tail takes entries from the end of a pile, where the last to start are,
// but never its first one, nor the head of a key.
func (n *near) tail(out []*entry, p *pile[*entry]) []*entry {
	lowest := max(1, p.len()-16*parkRamp)
	for i := p.len() - 1; i >= lowest && len(out) < parkRamp; i-- {
		e := p.items[i]
		if e.lane != nil && e.lane.count >= n.window() && (e.line == nil || e.where == isBehind) {
			n.lift(e)
			out = append(out, e)
		}
	}
	return out
}
