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
	parkRamp  = 16
	parkEvery = 50 * time.Millisecond
	// hangsAfter is how long a target that holds its whole share of the slots
	// must have ended no attempt for its waiting entries to be parked.
	hangsAfter = time.Second
)

// excess takes up to parkRamp entries out of memory's structures, so that
// they can be parked: in lanes that have more to read and no room for it,
// those that wait behind a shut gate (a target that hangs or fails, the head
// of a key) as far as they are more than a quarter of the window.
func (n *near) excess(now int64) []*entry {
	var out []*entry
	for _, l := range n.lanes {
		if l.count <= n.window()/2 || !l.hungry(n) {
			continue
		}
		streams, stuck := n.stuckStreams(l, now)
		surplus := min(stuck+l.behind-n.window()/4, parkRamp-len(out))
		for _, s := range streams {
			surplus, out = n.tail(l, &s.ready, surplus, out)
		}
		if surplus > 0 && l.behind > 0 {
			for _, line := range n.lines {
				if line.id.lane == l.number {
					surplus, out = n.tail(l, &line.behind, surplus, out)
				}
			}
		}
	}
	return out
}

// stuckStreams lists the streams of stuck targets with ready entries of the
// lane, and how many those are.
func (n *near) stuckStreams(l *lane, now int64) (streams []*stream, entries int) {
	for _, s := range l.queue.streams {
		if count := s.inLane[l]; count > 0 && n.stuck(s.target, now) {
			streams = append(streams, s)
			entries += count
		}
	}
	return streams, entries
}

// stuck reports whether a target hangs, or fails while others have work here.
func (n *near) stuck(t *target, now int64) bool {
	if t.running >= t.limit && now-t.used > hangsAfter.Microseconds() {
		return true
	}
	return t.seen >= enoughSeen && t.success < 0.5 && len(n.targets) > 1
}

// tail takes up to surplus entries of a lane from the end of a pile, where
// the last to start are, but never the first one of the pile, nor the head of
// a key. It returns the surplus that is left.
func (n *near) tail(l *lane, p *pile[*entry], surplus int, out []*entry) (int, []*entry) {
	for i := p.len() - 1; i >= 1 && surplus > 0; i-- {
		e := p.items[i]
		if e.lane == l && (e.line == nil || e.where == isBehind) {
			n.lift(e)
			out = append(out, e)
			surplus--
		}
	}
	return surplus, out
}
