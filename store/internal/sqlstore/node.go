package sqlstore

import (
	"encoding/json"

	"github.com/outlast-dev/outlast/store"
)

// NodeColumns are what [ScanNode] reads.
const NodeColumns = `id, address, version, "release", embedded, state, counter, serves, started_at, targets, wake_key, running, slots`

// ScanNode reads a node.
func ScanNode(r Row) (store.Node, error) {
	node := store.Node{
		ID: r.Text(0), Address: r.Text(1), Version: r.Text(2), Release: r.Text(3), Embedded: r.Bool(4), State: store.NodeState(r.Text(5)),
		Counter: r.Int(6), StartedAt: r.Time(8), WakeKey: r.Text(10), Load: store.Load{Running: int(r.Int(11)), Slots: int(r.Int(12))},
	}
	for i, value := range map[int]any{7: &node.Serves, 9: &node.Targets} {
		if text := r.Blob(i); text != nil {
			if err := json.Unmarshal(text, value); err != nil {
				return node, err
			}
		}
	}
	return node, nil
}

// Targets is what a node says of targets as it is stored; nil for nothing.
func Targets(targets []store.Target) (any, error) {
	if len(targets) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(targets)
	return string(text), err
}
