package dead

import (
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Node is what the housekeeping needs to know of the engine beside it.
type Node interface {
	Wake(lanes ...uint16)
	Topology() *store.Topology
	Node() string
}

// firstAlive reports whether this node is the one that does what one node is
// enough for.
func firstAlive(node Node) bool { return node.Topology().First(node.Node()) }

// wakeReleased tells the owners of the lanes in which keys were released with
// the letters.
func wakeReleased(node Node, letters []*task.Task) {
	var keyed []task.ID
	for _, letter := range letters {
		if letter.Key != "" {
			keyed = append(keyed, letter.ID)
		}
	}
	if len(keyed) > 0 {
		node.Wake(lanesOf(keyed)...)
	}
}

func lanesOf(ids []task.ID) []uint16 {
	seen := make(map[uint16]bool)
	var lanes []uint16
	for _, id := range ids {
		if lane := id.Lane(); !seen[lane] {
			seen[lane] = true
			lanes = append(lanes, lane)
		}
	}
	return lanes
}
