package keeper

import (
	"slices"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/expr"
	"github.com/outlast-dev/outlast/store"
)

// First reports whether this node is the one that measures for all: of the living ones
// that deliver alerts, and among them rather of those that read conditions, the one with
// the smallest id. Where two do it for a moment, the compare-and-set of the states lets
// one tell.
func (m *Measures) First() bool {
	own, reads := m.Node.Node(), expr.Linked()
	for _, node := range m.Node.Topology().Nodes {
		serving, delivers := node.Serves[alerts.Queue]
		if node.State != store.NodeAlive || node.ID == own || !delivers {
			continue
		}
		others := slices.Contains(serving.Types, alerts.TypeConditions)
		if others && !reads || others == reads && node.ID < own {
			return false
		}
	}
	return true
}

// alone reports whether no other node lives.
func (m *Measures) alone() bool {
	for _, node := range m.Node.Topology().Nodes {
		if node.State == store.NodeAlive && node.ID != m.Node.Node() {
			return false
		}
	}
	return true
}
