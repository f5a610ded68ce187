// Package engine runs tasks: it owns lanes, keeps their near future in memory,
// claims what is due, runs it, decides what follows, and settles. It knows
// [store.Store] and never a database.
package engine

import (
	"context"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Push is the capability that a node lists in [store.Serves] when it can make
// the HTTP requests of tasks with a target, whatever their type. No type can
// have this name.
const Push = agenda.Push

// Capability is what a node must be able to do to start the row: its type, also
// where its handler has named the target, or [Push] for a row with a request.
func Capability(row *store.Entry) string { return agenda.Capability(row) }

// Handler runs one attempt of a task. Its context ends at the attempt's
// timeout, at the task's deadline, when a cancel is requested and when the
// engine stops and the grace time is over; [context.Cause] says which. The
// result is kept if it is JSON of at most 64 KiB.
type Handler func(ctx context.Context, run *Run) (result []byte, err error)

// Registry says what the node can run and how. Its methods are called on hot
// paths from many goroutines and must not block.
type Registry interface {
	// Serves is what the node tells others that it can start, per queue.
	Serves(queue string) (s store.Serving, served bool)
	// CanStart reports whether this node can start the type: a Go handler's
	// type, or [Push].
	CanStart(capability string) bool
	// Handler returns what runs the task, nil if nothing here does.
	Handler(t *task.Task) Handler
	// Policy resolves the policy of a task. An error is recorded as the
	// task's permanent failure.
	Policy(t *task.Task) (*retry.Policy, error)
	// Fallback is what the policy of a task that brings none runs when it dies,
	// nil for nothing.
	Fallback(t *task.Task) *task.Follow
	// Follow makes the task that follows t, whose end is s, with its place
	// and id, or reports false where there is none to make. It must return the same
	// task for the same arguments, since a settle may be repeated.
	Follow(t *task.Task, follow *task.Follow, kind task.FollowKind, s *store.Settlement) (store.Insert, bool)
	// Undo makes the task that undoes a step of t, always the same for one that was done, or
	// reports false where there is none to make. Those of one task run one at a time, in
	// the order in which they are inserted.
	Undo(t *task.Task, step *task.Step) (store.Insert, bool)
}

const (
	deafPoll        = 200 * time.Millisecond // between polls of a store that tells of nothing
	storeCall       = 10 * time.Second       // limit of one call of the store
	doubtFor        = 20 * time.Second       // how long to look for lost rows after an unknown outcome
	mostCommitBytes = 8 << 20                // payloads or results of one commit
)

// Config is what an engine is made of. Zero fields take the defaults.
type Config struct {
	Store    store.Store
	Registry Registry
	Node     store.Node // ID is required and new at every start
	Logger   *slog.Logger
	Observer Observer
	Rand     retry.Rand // for jitter; math/rand/v2 when nil. Must be safe for concurrent use

	// Tell wakes another node by a call to its Address with its WakeKey, on
	// stores that offer no wake-ups of their own: rows of the lanes changed, or,
	// with none, queues and nodes. It is advice: nobody waits for it, and errors
	// are counted only. Nil where there is no such way. It must end with ctx.
	Tell func(ctx context.Context, node store.Node, lanes []uint16) error

	// Configure is called before the node joins, and whenever the number
	// [store.Topology.Config] is another than the last for which it returned nil:
	// somebody has changed objects. It may ask the store; lanes wait for it. Nil
	// where nothing depends on objects.
	Configure func(ctx context.Context) error
	// OnFailure returns more tasks for the transaction in which an attempt ends that
	// has failed, whatever becomes of its task: alerts. It must not block. Nil for
	// none.
	OnFailure func(run *Run, s *store.Settlement) []store.Insert

	// TargetLimit is how many attempts of a target may run at once over all nodes, 0
	// for no limit; nil for none at all. It is asked again every second, takes no
	// lock and must not block.
	TargetLimit func(target string) int
	// Untested reports whether it is not known that anybody takes tasks of a target:
	// one at a time tries then. Nil for never. It is asked at every start, takes no
	// lock and must not block.
	Untested func(target string) bool

	// Unguarded reports whether the handler of a type wants no guards for its tasks:
	// nothing that they do is counted, and only an operator's order holds them. Nil
	// for never. It is asked once for each row in memory, takes no lock and must not
	// block.
	Unguarded func(taskType string) bool

	// Fingerprint groups the failures of a type; nil for [task.Fingerprint]. It is asked
	// once for each failed attempt and must not block.
	Fingerprint func(taskType string, f *task.Failure) string

	// Trace is called before the handler of an attempt that this process runs, and
	// makes the handler's context. The function beside it is called once, as soon as
	// the handler is back, with what was decided: nil where the task had been taken
	// from the attempt before. Neither may block. Nil for no traces.
	Trace func(ctx context.Context, run *Run) (context.Context, func(end *store.Settlement))

	// Queues whose lanes a node without Embedded set takes also where embedded
	// nodes work on them (what `outlast serve --queues` does). Of other queues
	// it takes lanes only while no living embedded node works on them.
	Queues []string
	// Due makes the node one that works what is due once; nil for one that goes on.
	Due *Due
	// Internal is the queue of the installation itself (of alerts): of 16 slots or more
	// one is kept for it, of fewer none.
	Internal string
	// EnqueueOnly starts no lanes and no attempts: the node only enqueues.
	EnqueueOnly bool

	// Pace is how often the loops look for what nobody has told of; nil as often as they
	// ask for.
	Pace *background.Pace

	Slots      int           // running attempts at most, default 1000
	NearFuture int           // entries kept in memory at most, over all lanes, default 100 000
	Horizon    time.Duration // how far ahead entries are loaded, default 60 s
	Poll       time.Duration // look for rows that nobody told us of, default 1 s
	DeafPoll   time.Duration // the same on a store that tells of nothing; default 200 ms, or Poll if that is set
	Batch      int           // rows per claim and settle transaction, default 1000, at most 1000; see [store.Lanewise]
	Beat       time.Duration // liveness counter, default 1 s
	Grace      time.Duration // running attempts' time at a graceful stop, default 25 s
	Share      float64       // of the slots that one target may hold, default 0.5; 1 for no bound
	InFlight   int           // payload bytes of running tasks at most, default 128 MiB
}

// Defaults of what a node holds.
const (
	usualSlots      = 1000
	usualNearFuture = 100_000
	usualInFlight   = 128 << 20
)

func (c Config) withDefaults() Config {
	setDefault(&c.Slots, usualSlots)
	setDefault(&c.NearFuture, usualNearFuture)
	setDefault(&c.Horizon, time.Minute)
	setDefault(&c.DeafPoll, c.Poll)
	setDefault(&c.DeafPoll, deafPoll)
	setDefault(&c.Poll, time.Second)
	setDefault(&c.Batch, 1000)
	if s, ok := store.As[store.Lanewise](c.Store); ok && s.Lanewise() {
		c.Batch *= lanesOfBatch
	}
	setDefault(&c.Beat, time.Second)
	setDefault(&c.Grace, 25*time.Second)
	setDefault(&c.Share, 0.5)
	setDefault(&c.InFlight, usualInFlight)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return c
}

// lanesOfBatch is how many batches a call has on stores where it is a transaction for each
// lane: those of the default number of lanes are half full then.
const lanesOfBatch = 4

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Observer is told what happens. Nil functions are skipped; none may block,
// and they are called outside locks, from many goroutines.
type Observer struct {
	// AttemptStarted is called before the handler with its context; late is the time
	// since the task was due.
	AttemptStarted func(ctx context.Context, t *task.Task, late time.Duration)
	// Settled is called after the outcome of an attempt has committed, with a context
	// that has the values of the attempt's, and never ends.
	Settled func(ctx context.Context, o Outcome)
	// Recovered is called for every row taken from a node that ended.
	Recovered func(store.Recovered)
	// Lost is called for the rows taken from nodes that ended, or whose lease did, as
	// many as were taken at once.
	Lost func([]store.Recovered)
	// Claimed and Committed tell the sizes and times of batches.
	Claimed   func(rows int, took time.Duration)
	Committed func(kind string, rows int, took time.Duration)
	// Told is called after each wake-up for other nodes: the way (notify or
	// call), the lanes in it, the time it took and its error.
	Told func(way string, lanes int, took time.Duration, err error)
	// BreakerChanged is called after each change of a target's breaker on
	// this node.
	BreakerChanged func(target string, change retry.BreakerChange)
	// Stale is called for each end of an attempt that the store refused, because the
	// task was no longer the attempt's, or gone. The context is as that of Settled.
	Stale func(ctx context.Context, id task.ID, status store.Status)
	// Doubted is called for each claim, enqueue or settle ("claim", ...) whose outcome
	// stayed unknown, before it is found out or the call is repeated.
	Doubted func(kind string)
	// NodeDied is called when this node was found dead and returns under a
	// new id.
	NodeDied func(old, new string)
}

// Outcome is a committed settlement, with what the decision was.
type Outcome struct {
	Settlement *store.Settlement
	State      task.State // what the task is now
	Rule       string     // which rule of the policy decided
	Delay      time.Duration
	Err        error         // what the handler returned
	Policy     *retry.Policy // in force when it ended, nil for none
}

// Stats is a snapshot for health endpoints and metrics.
type Stats struct {
	Node    string
	Lost    bool // without contact to the store, or stopping: nothing starts
	Lanes   int
	Waiting int // entries in memory that are not due
	Ready   int // entries in memory that are due
	Running int
	Slots   int
	// Unsettled is the oldest of the results that the store has not taken yet.
	Unsettled Unsettled
	Queues    map[string]QueueStats
}

// QueueStats counts one queue's part of the memory of this node.
type QueueStats struct {
	Lanes   int
	Known   int // entries in memory, running ones included
	Ready   int // entries in memory that are due
	Running int
}
