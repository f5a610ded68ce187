package keeper

import (
	"testing"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/store"
)

// oneOfNodes is the node m among others.
type oneOfNodes struct {
	loneNode
	others []store.Node
}

func (n *oneOfNodes) Topology() *store.Topology { return &store.Topology{Nodes: n.others} }
func (n *oneOfNodes) Node() string              { return "m" }

// Whoever measures for all delivers alerts, so nodes that only enqueue do not, and reads
// conditions, if any of the nodes does: the rules that it cannot read would hold for nobody.
func TestWhoMeasures(t *testing.T) {
	t.Parallel()
	node := func(id string, state store.NodeState, types ...string) store.Node {
		n := store.Node{ID: id, State: state}
		if len(types) > 0 {
			n.Serves = map[string]store.Serving{alerts.Queue: {Types: types}}
		}
		return n
	}
	reads := expr.Linked()
	for name, c := range map[string]struct {
		other store.Node
		first bool
	}{
		"one that only enqueues":          {node("a", store.NodeAlive), true},
		"a dead one":                      {node("a", store.NodeDead, alerts.TypeRaise, alerts.TypeConditions), true},
		"an earlier one with conditions":  {node("a", store.NodeAlive, alerts.TypeRaise, alerts.TypeConditions), false},
		"an earlier one without":          {node("a", store.NodeAlive, alerts.TypeRaise), reads},
		"a later one with conditions":     {node("z", store.NodeAlive, alerts.TypeRaise, alerts.TypeConditions), reads},
		"a later one without conditions":  {node("z", store.NodeAlive, alerts.TypeRaise), true},
		"the same, as the store knows it": {node("m", store.NodeAlive, alerts.TypeRaise, alerts.TypeConditions), true},
	} {
		m := &Measures{ledger: &ledger{Node: &oneOfNodes{others: []store.Node{c.other}}}}
		if first := m.First(); first != c.first {
			t.Errorf("beside %s it measures: %v", name, first)
		}
	}
}
