package inspect

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Workers shows the remote workers: programs that ask nodes for tasks.
type Workers interface {
	// List returns the workers that living nodes know, by name, and how many these
	// left out, since each tells others of 200 at most. The asked node knows its own as
	// they are, and those of others as they were up to ten seconds ago. With queues, it
	// tells of these alone, and not how many tasks a worker has in hand.
	List(ctx context.Context, queues ...string) (workers []WorkerView, more int, err error)
}

// WorkerView is a remote worker as people look at it.
type WorkerView struct {
	Name    string   `json:"name"`
	Release string   `json:"release,omitempty"`
	Queues  []string `json:"queues"`
	// Types that it can start; nil is every one but HTTP requests.
	Types []string `json:"types,omitempty"`
	// Nodes are those that it asks, or has asked for what it has in hand.
	Nodes []string `json:"-"`
	// Since is when the first of them heard of it; after a minute of silence that begins anew.
	Since time.Time `json:"since"`
	// LastPoll is when it waited for tasks last, and Waiting says that it does now.
	LastPoll time.Time `json:"last_poll"`
	Waiting  bool      `json:"waiting,omitempty"`
	// InHand is how many tasks it runs of those that living nodes have given it, and Leases
	// are the first of them, at most 20, the earliest end first.
	InHand int           `json:"in_hand,omitempty"`
	Leases []WorkerLease `json:"leases,omitempty"`
}

// WorkerLease is a task that a remote worker runs.
type WorkerLease struct {
	Task  task.ID `json:"task"`
	Claim int64   `json:"claim"`
	Type  string  `json:"type"`
	Queue string  `json:"queue"`
	// Until is the end of the lease, zero where another node than the one that gave it may
	// have extended it.
	Until time.Time `json:"until,omitzero"`
}
