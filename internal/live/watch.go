package live

import (
	"context"
	"slices"
	"strings"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/bulk"
	"github.com/outlast-dev/outlast/internal/dead"
	"github.com/outlast-dev/outlast/store"
)

// watch finds out which objects have changed, on any node: by the audit log, by
// what nodes tell in their rows, and by the operations.
type watch struct {
	live       *Live
	audited    map[string]bool // rows of the audit log that were seen
	nodes      map[string]store.NodeState
	breakers   map[[2]string]string // by node and target
	operations map[string]int64     // versions
}

// The audit log is read in small pages, newest first, until a row is known.
const (
	auditPage  = 20
	auditPages = 5
	mostOps    = 20
)

// kinds are all kinds of objects; alertKinds are those of the audit log that are
// about alerts.
var (
	kinds      = []string{"policy", "queue", "schedule", "alert", "operation", "target", "token"}
	alertKinds = []string{alerts.KindRule, alerts.KindChannel, alerts.KindSilence, "alert"}
)

func (w *watch) look(ctx context.Context, fresh bool) (changed []inspect.ObjectEvent) {
	topology := w.live.engine().Topology()
	changed = append(w.auditLog(ctx), w.nodesOf(topology)...)
	changed = append(changed, w.operationsOf(ctx)...)
	if fresh {
		return nil
	}
	return changed
}

// auditLog tells what its new rows are about.
func (w *watch) auditLog(ctx context.Context) (changed []inspect.ObjectEvent) {
	seen := map[string]bool{}
	page := store.Page{Limit: auditPage}
	for range auditPages {
		rows, next, err := w.live.backend.Audit(ctx, store.AuditFilter{}, page)
		if err != nil {
			return changed
		}
		known := len(w.audited) == 0
		for i := range rows {
			seen[rows[i].ID] = true
			if w.audited[rows[i].ID] {
				known = true
			} else if o, ok := objectOf(rows[i].Subject); ok {
				changed = append(changed, o)
			}
		}
		if known || next == "" {
			w.audited = seen
			return changed
		}
		page.Cursor = next
	}
	w.audited, changed = seen, nil
	for _, kind := range kinds { // too much to tell by name
		changed = append(changed, inspect.ObjectEvent{Kind: kind})
	}
	return changed
}

// objectOf is what the subject of a row is, false for tasks.
func objectOf(subject string) (o inspect.ObjectEvent, ok bool) {
	kind, name, _ := strings.Cut(subject, "/")
	switch {
	case slices.Contains(alertKinds, kind):
		return inspect.ObjectEvent{Kind: "alert", Name: name}, true
	case kind == "dead":
		return inspect.ObjectEvent{Kind: kind}, true
	case kind == "queue":
		return inspect.ObjectEvent{Kind: kind, Name: name, Queue: name}, true
	}
	return inspect.ObjectEvent{Kind: kind, Name: name}, slices.Contains(kinds, kind)
}

// nodesOf compares nodes, and the breakers that they tell of.
func (w *watch) nodesOf(topology *store.Topology) (changed []inspect.ObjectEvent) {
	nodes, breakers := map[string]store.NodeState{}, map[[2]string]string{}
	for i := range topology.Nodes {
		node := &topology.Nodes[i]
		if nodes[node.ID] = node.State; w.nodes[node.ID] != node.State {
			changed = append(changed, inspect.ObjectEvent{Kind: "node", Name: node.ID})
		}
		for t := range node.Targets {
			if node.State != store.NodeAlive || alerts.IsType(node.Targets[t].Name) {
				continue
			}
			key := [2]string{node.ID, node.Targets[t].Name}
			if breakers[key] = node.Targets[t].Breaker.State; w.breakers[key] != breakers[key] {
				changed = append(changed, inspect.ObjectEvent{Kind: "target", Name: key[1]})
			}
		}
	}
	w.nodes, w.breakers = nodes, breakers
	return changed
}

// operationsOf compares the newest operations.
func (w *watch) operationsOf(ctx context.Context) (changed []inspect.ObjectEvent) {
	operations, err := w.live.backend.Operations(ctx, "", mostOps)
	if err != nil {
		return nil
	}
	versions := map[string]int64{}
	for i := range operations {
		o := &operations[i]
		if before, known := w.operations[o.ID]; !known || before != o.Version {
			object := inspect.ObjectEvent{Kind: "operation", Name: o.ID}
			if queues := append(dead.QueuesOf(o), bulk.QueuesOf(o)...); len(queues) == 1 {
				object.Queue = queues[0]
			}
			changed = append(changed, object)
		}
		versions[o.ID] = o.Version
	}
	w.operations = versions
	return changed
}
