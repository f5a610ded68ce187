package inspect

import (
	"time"

	"github.com/outlast-dev/outlast/task"
)

// Events tells what happens, as it happens: what becomes of tasks on this node, which
// objects change, and how things stand. The last minute is kept.
type Events interface {
	// Listen begins to listen: after a position of this or an earlier listener, or from now
	// on if that is "". It reports false where what came after the position is not there any
	// more, and it begins now. Close the listener.
	Listen(after string) (l EventListener, resumed bool)
}

// EventListener reads events at its own pace. It is for one goroutine; Close may
// be called from any, and more than once.
type EventListener interface {
	// Read returns the pages since the last call, oldest first, how many pages at most were
	// dropped before them because the listener was too slow, and the stats, nil if there are no
	// newer ones. Until the channel is closed there is no more. Nobody may change what it
	// returns.
	Read() (pages []*EventPage, dropped int, stats *EventStats, more <-chan struct{})
	// Ended is closed when the client has stopped.
	Ended() <-chan struct{}
	// Position is where the listener has read to.
	Position() string
	// Close ends the listening.
	Close()
}

// EventKind is what has become of a task.
type EventKind string

// What becomes of tasks.
const (
	EventEnqueued  EventKind = "enqueued"
	EventStarted   EventKind = "started"
	EventSucceeded EventKind = "succeeded"
	EventFailed    EventKind = "failed" // and runs again
	EventDead      EventKind = "dead"
	EventCanceled  EventKind = "canceled"
	EventSnoozed   EventKind = "snoozed"
	EventReleased  EventKind = "released" // given back at no cost, or made to run at another time
	EventCrashed   EventKind = "crashed"  // its process died, or its lease ran out
)

// TaskEvent is a change of a task. It has no payload and no text of an error: they may be
// private.
type TaskEvent struct {
	ID        task.ID
	Type      string
	Queue     string
	Target    string
	Key       string
	State     task.State
	Attempt   int
	What      EventKind
	Category  string // of the failure
	Code      string
	Reason    task.DeadReason
	NextAt    time.Time // the next run, zero for none
	ChangedAt time.Time
}

// ObjectEvent is a change of something that is no task. Without a name it is any of its
// kind.
type ObjectEvent struct {
	Kind  string // policy, queue, schedule, alert, operation, target, node, token or dead
	Name  string
	Queue string // that it belongs to, "" for none
}

// EventPage is what has happened within a quarter of a second.
type EventPage struct {
	Number  uint64
	At      time.Time
	Tasks   []TaskEvent    // in the order in which they came
	Omitted map[string]int // changes beyond what is kept, by queue
	Objects []ObjectEvent
}

// EventQueue is how a queue stands, over all nodes.
type EventQueue struct {
	Name      string
	Paused    bool
	Pending   int // counted to 10 000, as Running
	Running   int
	OldestDue time.Duration // for how long the oldest has been due
}

// EventStats is how things stand.
type EventStats struct {
	At     time.Time
	Queues []EventQueue // the first 100 by name
	Dead   int          // letters
	Nodes  int          // that live
	Slots  int          // of them
	// What is in the memory of this node; Ready also what no living node can start.
	Ready, Waiting int
	// Counts is what became of tasks on this node since the stats before, by queue.
	Counts map[string]map[EventKind]int
}
