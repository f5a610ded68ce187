package inspect

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Nodes shows who there is, and who owns what.
type Nodes interface {
	// TopologyAt is when the node has read what [Nodes.List] and
	// [Nodes.Lanes] tell: about a second ago, longer ago while the store does not
	// answer, and now where no engine runs.
	TopologyAt() time.Time
	// List returns the nodes, living ones first, then those that left or died
	// within the last hour; among these the youngest first. With queues, they tell of these
	// alone, and not how many tasks run there and whom they call.
	List(ctx context.Context, queues ...string) ([]NodeView, error)
	// Lanes returns a page of lanes by number, at most limit of them (1 to 500, 100
	// when 0), from the one after the given number on, and whether there are more.
	// Those of alerts are listed when asked for by their queue. Code "not_found" for
	// a queue or node that is not there.
	Lanes(ctx context.Context, filter LaneFilter, after, limit int) (lanes []LaneView, more bool, err error)
	// Topology returns who there is and who owns what, as read within the last
	// second. Callers must not change it.
	Topology(ctx context.Context) (*store.Topology, error)
}

// NodeStats is a snapshot of the memory of one node.
type NodeStats struct {
	Node    string
	Lost    bool // without contact to the store, or stopping: nothing starts
	Lanes   int
	Waiting int // tasks in memory that are not due
	Ready   int // tasks in memory that are due
	Running int
	Slots   int // attempts at most
	// UnsettledSince is when the oldest of the results that the store has not taken yet was
	// handed in first, zero if there is none; UnsettledErr is the error of the last time.
	UnsettledSince time.Time
	UnsettledErr   error
	Queues         map[string]QueueMemory
}

// QueueMemory counts one queue's part of the memory of a node.
type QueueMemory struct {
	Lanes   int
	Known   int // tasks in memory, running ones included
	Ready   int // tasks in memory that are due
	Running int
}

// NodeView is a node as people look at it.
type NodeView struct {
	ID, Address, Version, Release string
	Embedded                      bool // an application with the library inside, not a server
	State                         store.NodeState
	StartedAt                     time.Time
	Self                          bool // the node that was asked
	Lanes                         int  // that it owns
	Load                          store.Load
	// Silent is for how long the asked node has read the same counter of a
	// living one; nil where it does not judge others (of itself, before the
	// start, of a node that only enqueues). A node is dead after 5 s.
	Silent *time.Duration
	// Queues that it takes part in, and Types that it can start in them; a nil
	// list of types is every one, and [store.Push] the requests of tasks with a
	// target.
	Queues, Types []string
	// AllowTargets are the address ranges that it may call beside public ones, and
	// Signs the hosts that it has a secret for.
	AllowTargets, Signs []string
	// Leaving says that it stops, and starts nothing more.
	Leaving bool
}

// LaneView is a lane as people look at it.
type LaneView struct {
	store.Lane
	OwnerState store.NodeState // of the owner; "" without one
	// Known is how many tasks of the lane are in memory, running ones included;
	// nil where another node than the asked one owns it.
	Known *int
}

// LaneFilter selects lanes; zero fields do not filter. With Queues, others are as if
// there were none.
type LaneFilter struct {
	Queue, Node string
	Queues      []string
}
