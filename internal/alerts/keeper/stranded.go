package keeper

import (
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
)

// stranded are the types of due rows of a queue that no living node can start.
// A row that no node of its queue can start is parked as soon as its lane's owner
// meets it.
func stranded(topology *store.Topology, queue string, marks []store.Entry, now time.Time) (rows []alerts.Stranded) {
	types := map[string]alerts.Stranded{}
	for i := range marks {
		capability := agenda.Capability(&marks[i])
		if marks[i].RunAt > now.UnixMicro() || canStart(topology, queue, capability) {
			continue
		}
		of := alerts.Stranded{Type: marks[i].Type, Requests: capability == agenda.Push, Since: time.UnixMicro(marks[i].RunAt).UTC()}
		if known, seen := types[of.Type]; seen && known.Since.Before(of.Since) {
			of.Since = known.Since
		}
		types[of.Type] = of
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		rows = append(rows, types[name])
	}
	return rows
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
