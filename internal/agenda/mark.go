package agenda

import (
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

// number is the mark as stored: never 0.
func (m mark) number() int64 { return store.ParkMark(string(m.gate), m.name) }

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

// LeftFor is the capability for which a row was left to other nodes; false if it was
// marked for something else.
func LeftFor(row *store.Entry, abilities []string) (capability string, ok bool) {
	m, known := markOf(row, abilities)
	return m.name, known && m.gate == gateType
}

// Push is the capability of making the HTTP requests of tasks with a target, whatever
// their type. No type can have this name.
const Push = store.Push

// Capability is what a node must be able to do to start the row: its type, also
// where its handler has named the target, or Push for a row with a request.
func Capability(row *store.Entry) string {
	if row.Target != row.Type && !task.IsNamed(row.Target) {
		return Push
	}
	return row.Type
}
