package agenda

import (
	"math"

	"github.com/outlast-dev/outlast/store"
)

// lanes are the lanes that a node owns, and what is read of them.
type lanes struct {
	owned      map[uint16]*Lane
	nearFuture int   // entries over all lanes
	horizon    int64 // µs: rows due later stay on disk
}

// Lane is an owned lane, nil for one that is not this node's.
func (ls *lanes) Lane(number uint16) *Lane { return ls.owned[number] }

// Lanes are the owned lanes, which callers must not change.
func (ls *lanes) Lanes() map[uint16]*Lane { return ls.owned }

// window is how many entries one lane may have in memory.
func (ls *lanes) window() int { return max(64, ls.nearFuture/max(1, len(ls.owned))) }

// TooFar reports whether a row is left on disk because it is due beyond the horizon,
// and sees to it that its lane is read again in time.
func (ls *lanes) TooFar(l *Lane, row store.Entry) bool {
	if row.RunAt <= ls.horizon {
		return false
	}
	switch {
	case l == nil:
	case row.Rank <= l.after:
		l.skipped = min(l.skipped, row.RunAt)
	default:
		l.missed = min(l.missed, row.Rank)
	}
	return true
}

// keeps decides whether a row is kept, of which a scan wanted to know or not.
func (ls *lanes) keeps(l *Lane, q *Queue, row *store.Entry, wanted bool) bool {
	if q.keyed {
		return ls.takesPart(l, row)
	}
	return wanted || ls.admits(l, q, row)
}

// admits decides whether a row that memory learned of outside a scan is kept.
// One that a later scan will meet may be left on disk; but a target that has
// next to nothing in memory must not wait behind the backlog of others.
func (ls *lanes) admits(l *Lane, q *Queue, row *store.Entry) bool {
	if l.count < ls.window() {
		return true
	}
	if all, _ := q.has(row.Target); all < 32 && l.count < 2*ls.window() {
		return true
	}
	l.Rewind(row.Rank)
	return false
}

// stays decides like admits about a row that is in memory already.
func (ls *lanes) stays(l *Lane, p *portion, row store.Entry) bool {
	if ls.TooFar(l, row) {
		return false
	}
	if p != nil {
		if l.count <= 2*ls.window() {
			return true
		}
		ls.leaveBehind(l, p, place{row.Rank, row.ID})
		return false
	}
	if l.count <= ls.window() {
		return true
	}
	l.Rewind(row.Rank)
	return false
}

// LookFor makes the loader look at a lane again from a rank on: a row that
// memory has not seen was written there.
func (ls *lanes) LookFor(number uint16, rank int64) {
	if l := ls.owned[number]; l != nil {
		l.Rewind(rank)
	}
}

// runsLow reports whether a lane has room for what is due soon and left on disk.
//
// Where share keys are in use, it is read on whatever is in memory: only so are those
// found of which nothing is.
func (ls *lanes) runsLow(l *Lane) bool {
	most := ls.window() / 2
	if l.queue.keyed {
		most = 2 * ls.window()
	}
	return l.count <= most && l.hungry(ls.horizon)
}

// WantsRead reports whether the loader has work in the lane: it runs low, or
// rows of it are parked or left.
func (ls *lanes) WantsRead(l *Lane) bool {
	return l != nil && (ls.runsLow(l) || ls.lags(l) || len(l.marks) > 0)
}

// mostRead is how many rows of a lane are read at once.
const mostRead = 5000

// ToRead lists what is to be read next, and of which lanes.
func (ls *lanes) ToRead() (ranges []store.Range, from []*Lane) {
	for _, l := range ls.owned {
		if r, ok := ls.refill(l); ok {
			from, ranges = append(from, l), append(ranges, r)
			continue
		}
		if l.refilled = false; !ls.runsLow(l) {
			continue
		}
		if l.skipped <= ls.horizon {
			l.skipped = math.MaxInt64
			l.ReadAnew()
		}
		l.missed = math.MaxInt64
		from = append(from, l)
		ranges = append(ranges, store.Range{
			Lane: l.number, After: l.after, AfterID: l.afterID, Until: ls.horizon, Limit: ls.pageOf(l),
		})
	}
	return ranges, from
}

// pageOf is how many rows of a lane are read now.
func (ls *lanes) pageOf(l *Lane) int {
	if l.queue.keyed {
		return mostRead
	}
	return min(ls.window()-l.count, mostRead)
}
