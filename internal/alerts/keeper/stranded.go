package keeper

import (
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/store"
)

// stranded are the types of due rows of a queue that no living node can start.
// A row that no node of its queue can start is parked as soon as its lane's owner
// meets it.
func stranded(topology *store.Topology, queue string, marks []store.Entry, now time.Time) []string {
	types := map[string]bool{}
	for i := range marks {
		if marks[i].RunAt <= now.UnixMicro() && !canStart(topology, queue, agenda.Capability(&marks[i])) {
			types[marks[i].Type] = true
		}
	}
	return slices.Sorted(maps.Keys(types))
}

func canStart(topology *store.Topology, queue, able string) bool {
	for i := range topology.Nodes {
		node := &topology.Nodes[i]
		if s, serves := node.Serves[queue]; node.State == store.NodeAlive && serves && s.Can(able) {
			return true
		}
	}
	return false
}
