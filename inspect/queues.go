package inspect

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Queues shows queues, and makes, changes and pauses them.
type Queues interface {
	// List returns all queues by name, but for the one that alerts travel in.
	List(ctx context.Context) ([]store.Queue, error)
	// Put creates a queue or changes one. It takes effect everywhere within
	// about a second; lanes can only be raised. Codes "invalid" with fields, and
	// "managed_by_file" for a queue of the configuration file.
	Put(ctx context.Context, queue store.Queue) (*store.Queue, error)
	// Pause stops the start of further attempts in a queue, or lets them go
	// on; within about a second everywhere. Enqueues are still accepted.
	Pause(ctx context.Context, name string, paused bool) (*store.Queue, error)
	// Stats counts the tasks of every queue, by name.
	Stats(ctx context.Context) (map[string]QueueStats, error)
	// Recent tells by name how fast the tasks of each queue start, and what of them waits, over
	// all nodes. On a client that does not run there is nothing.
	Recent(ctx context.Context) (map[string]QueueRecent, error)
	// Shares are the share keys of a queue, those first of which the most waits, most of them
	// at most: what this node has in memory, which is of its own lanes. On a client that does
	// not run there are none.
	Shares(queue string, most int) QueueShares
	// Gauges are those of the first queues by name, most of them at most. Code "unavailable" on
	// a client that does not run.
	Gauges(ctx context.Context, most int) ([]QueueGauges, error)
	// Backlog measures what waits. Code "unavailable" on a client that does not run.
	Backlog(ctx context.Context) (*Backlog, error)
	// Stranded returns the due tasks that no living node can run, a row for each type of
	// a queue, those first that have been due for longest: 50 at most, and how many rows
	// more there are. With queues, those of these alone. Code "unavailable" on a client that
	// does not run.
	Stranded(ctx context.Context, queues ...string) (rows []Stranded, more int, err error)
}

// QueueStats counts the tasks of a queue.
type QueueStats struct {
	// Over all nodes, from the store, each counted no further than 10 000.
	Pending, Running, Dead int
	// Pending tasks behind keys that are held in mode park: they are not in Pending.
	Parked int
	// What of it is in the memory of this node.
	Lanes, Known, RunningHere int
}

// QueueRecent is how a queue does.
type QueueRecent struct {
	// OldestDue is how long the oldest pending task has been due.
	OldestDue time.Duration
	// Point is what happened in the last five minutes; nil where that is not known.
	Point *Point
}

// QueueShares are share keys of a queue on one node.
type QueueShares struct {
	Node   string
	Shares []QueueShare
	Total  int // share keys of which the node has tasks
}

// QueueShare is what a node has in memory of one share key of a queue.
type QueueShare struct {
	Key     string          // "" for the tasks without one
	Running int             // on this node
	Ready   int             // due and not running
	Known   int             // all, running ones included
	More    bool            // more of them wait on disk
	Held    task.WaitReason // the limit of the key that lets nothing start, if one does
}

// QueueGauges are the numbers of one queue that are worth a series in time, over all
// nodes, each counted to a bound.
type QueueGauges struct {
	Name string
	// Pending, Parked and Running are counted to 10 000; parked tasks are not among the
	// pending.
	Pending, Parked, Running int
	// Blocked are the ordering keys that dead letters block and tasks wait behind, counted
	// to 500.
	Blocked int
	// OldestDue is how long the oldest pending task has been due.
	OldestDue time.Duration
}

// Stranded are due tasks that no living node can run.
type Stranded struct {
	Queue    string
	Type     string    // "" for all of the queue: no living node works on it
	Requests bool      // they are HTTP requests
	Since    time.Time // when the first of them, by order, was due
	Waiting  int       // pending tasks of the type in the queue, counted to 10 000
}

// Backlog is what waits, over all queues but that of alerts.
type Backlog struct {
	// Due are the due tasks in the memory of this node, and those that are set aside on
	// disk, over all nodes, since nobody can start them now: of each queue counted to
	// 10 000. Later are those in its memory that are not due.
	Due, Later int
	OldestDue  time.Duration       // for how long the oldest has been due, over all nodes
	Stranded   map[string][]string // by queue, types that no living node can start: all, where they are fewer than about a hundred
}
