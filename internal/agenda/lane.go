package agenda

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Lane is what the node knows of a lane that it owns.
type Lane struct {
	number  uint16
	epoch   int64
	queue   *Queue
	count   int   // entries in memory, running ones included
	after   int64 // pending rows without a mark up to (after, afterID) by (rank, id) are in memory
	afterID task.ID
	done    bool  // after is the horizon of the last load, not the end of a full page
	skipped int64 // µs: the least RunAt beyond the horizon of the rows read and left on disk
	missed  int64 // the least rank that may be missing in the page that is being read
	behind  int   // entries behind the heads of their keys
	drained int64 // µs: no keyed task starts until then
	drains  int64 // µs: it may be drained again from then on
	marks   map[int64]*parked

	portions map[string]*portion // by share key, where such keys are in use
	lagging  int                 // of them
	bare     int                 // of these, with nothing in memory
	refilled bool                // the last range to read was one of theirs
	pages    int64
	page     *page // whose rows are being looked at
}

func newLane(number uint16, epoch int64, q *Queue) *Lane {
	return &Lane{number: number, epoch: epoch, queue: q, after: math.MinInt64, skipped: math.MaxInt64, missed: math.MaxInt64, marks: map[int64]*parked{}, portions: map[string]*portion{}}
}

// lastID is greater than every id of a task.
var lastID = task.ID{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// Rewind makes the loader read the lane again from a rank on, also if it is reading
// there just now: its page may be older than the row.
func (l *Lane) Rewind(rank int64) {
	l.missed = min(l.missed, rank)
	if rank <= l.after {
		l.after, l.afterID, l.done = rank-1, lastID, false
	}
}

// ReadAnew makes the loader read the lane again from its beginning on.
func (l *Lane) ReadAnew() { l.Rewind(math.MinInt64 + 1) }

// hungry reports whether rows that are due soon are left on disk.
func (l *Lane) hungry(horizon int64) bool {
	return !l.done || l.after < horizon-horizonSlack || l.skipped <= horizon
}

// horizonSlack is how far the horizon moves on before it is read up to again.
const horizonSlack = int64(15 * time.Second / time.Microsecond)

// IsAt reports whether the lane, or what was left of it, is still to be read from where a
// range begins.
func (l *Lane) IsAt(r *store.Range) bool {
	return l.refilled || l.after == r.After && l.afterID == r.AfterID
}

// hasRead is that for a page of the lane itself.
func (l *Lane) hasRead(r *store.Range, page []store.Entry) (more, again bool) {
	if more = len(page) >= r.Limit; more {
		last := page[len(page)-1]
		l.after, l.afterID = last.Rank, last.ID
	} else {
		l.after, l.afterID, l.done = r.Until, lastID, true
	}
	if again = l.missed <= l.after; again {
		l.Rewind(l.missed)
	}
	return more, again
}

// Queue is the queue whose lane it is.
func (l *Lane) Queue() *Queue { return l.queue }

// Number is the number of the lane.
func (l *Lane) Number() uint16 { return l.number }

// Owned is the lane as the store knows it.
func (l *Lane) Owned() store.LaneEpoch { return store.LaneEpoch{Lane: l.number, Epoch: l.epoch} }

// Known is how many entries of the lane are in memory, running ones included.
func (l *Lane) Known() int { return l.count }

// DrainedUntil is until when no keyed task of the lane starts, µs; 0 if it was never drained.
func (l *Lane) DrainedUntil() int64 { return l.drained }

// Seen is the range of the first rows of the lane that memory should know, from a rank on;
// ok is false if it should know none.
func (l *Lane) Seen(from int64, most int) (r store.Range, ok bool) {
	r = store.Range{Lane: l.number, After: math.MinInt64, Until: l.after, Limit: most}
	if from > store.AnyRank {
		r.After, r.AfterID = from-1, lastID
	}
	return r, from <= l.after
}
