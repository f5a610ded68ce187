package agenda

import (
	"time"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/heap"
	"github.com/outlast-dev/outlast/store"
)

// Entry is a pending or claimed row in memory.
type Entry struct {
	store.Entry
	lane     *Lane // nil for a borrowed row
	queue    *Queue
	stream   *stream
	portion  *portion   // of its lane; nil where no share keys are in use
	sequence *sequence  // nil without an ordering key
	at       int64      // when it may start, µs: RunAt, or later after a refusal
	call     guard.Call // as the guards of its target see it
	// The engine reads these three. Mark is the park mark that the row has, for a borrowed
	// row. Taker is who is given the entry, while it is being claimed; nil for this node.
	// Overdue says that it was claimed because its deadline has passed.
	Mark    int64
	Taker   Taker
	Overdue bool
	// Run is what the engine knows of its attempt, from the commit of its claim until that
	// of its settlement. Nothing here looks at it.
	Run   any
	where spot
	index int

	expires       int64 // µs: the deadline of the task; 0 for none, or unknown
	read          bool  // it is known
	deadlineIndex int   // in timeline.deadlines
}

// spot says which structure holds an entry.
type spot uint8

const (
	nowhere spot = iota
	isWaiting
	isReady
	isBehind   // behind the head of its ordering key
	isIsolated // waits for another task that may be poison to end
	isClaimed  // handed to a claim, or running
)

// placeOf is the place of an entry in the heap that holds it, but for its deadline's.
func placeOf(e *Entry) *int { return &e.index }

func byRank(e *Entry) heap.Rank { return heap.Rank{First: e.Rank, Second: e.Seq} }

// Queue is the queue of the entry.
func (e *Entry) Queue() *Queue { return e.queue }

// Lane is the owned lane of the entry; nil for a borrowed row, and where the lane was
// given up since its claim.
func (e *Entry) Lane() *Lane { return e.lane }

// Claimed reports whether the entry was handed to a claim, or runs.
func (e *Entry) Claimed() bool { return e.where == isClaimed }

// UsualLength is how long attempts on its target take. It may be called without the lock.
func (e *Entry) UsualLength() time.Duration { return time.Duration(e.stream.target.Usual.Load()) }

// TargetHolds reports whether gates of its target are shut, which may open by the end of an
// attempt. It may be called without the lock.
func (e *Entry) TargetHolds() bool { return e.stream.target.Holds.Load() }

// requires sets what its next start needs of its target.
func (e *Entry) requires(r guard.Requirement) {
	if e.call.Gates.Kind() == guard.Retries {
		e.stream.crowd.retries--
	}
	e.call.Require(r, e.Attempt > 0)
	if e.call.Gates.Kind() == guard.Retries {
		e.stream.crowd.retries++
	}
}

// readDeadline notes the deadline of an entry that is in no structure.
func (e *Entry) readDeadline(at time.Time) {
	e.expires, e.read = 0, true
	if !at.IsZero() {
		e.expires = at.Add(time.Microsecond - 1).UnixMicro() // not before it
	}
}

// held reports whether an entry that is due waits for its lane to be drained.
func (e *Entry) held(now int64) bool {
	return e.sequence != nil && e.lane != nil && e.lane.drained > now
}

// Taker is who is given entries in place of this node: a poll of a remote worker.
type Taker interface {
	Give(count int) // so many more, or fewer
}
