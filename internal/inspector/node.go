package inspector

import (
	"context"
	"slices"

	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// node is the node that is asked, as the nouns see it.
type node struct{ Config }

// started reports whether it runs.
func (n *node) started() bool { return n.Running() == nil }

// refresh lets this node see a change at once. Others, and this one if it
// fails, see it at their next look.
func (n *node) refresh(ctx context.Context) {
	if n.started() {
		_ = n.Control.Refresh(ctx)
		n.Control.Stir(ctx)
	}
}

// topology is what the engine read last, or what the store says where no engine runs.
func (n *node) topology(ctx context.Context) (*store.Topology, error) {
	if read := n.Fleet.Topology(); len(read.Queues) > 0 {
		return read, nil
	}
	return n.Backend.Topology(ctx)
}

// isInternal reports whether a queue holds the engine's own tasks, those of alerts. They
// are nobody's work: what looks at tasks, queues or targets asks here what to leave out.
func isInternal(queue string) bool { return queue == alerts.Queue }

// shownQueue reports whether a queue is one of those, or with nil is one of people's.
func shownQueue(queue string, queues []string) bool {
	if queues != nil {
		return slices.Contains(queues, queue)
	}
	return !isInternal(queue)
}

// leavesOut is the queue whose tasks are left out of what a filter finds, "" for none: who
// names a queue, a type or ids finds those of alerts, too.
func leavesOut(filter *store.Filter) string {
	if filter.Queue == "" && filter.Type == "" && len(filter.IDs) == 0 {
		return alerts.Queue
	}
	return ""
}

// managedByFile refuses to change what the configuration file owns.
func managedByFile(what, name string) error {
	return &task.Error{Code: task.CodeManagedByFile, Message: "the " + what + " " + task.Quote(name) + " is in the configuration file",
		Hint: "change it there: servers read the file again when it changes, or at SIGHUP"}
}
