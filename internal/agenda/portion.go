package agenda

import (
	"bytes"
	"math"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// portion is what a lane has in memory of one share key, once such keys have been seen in
// its queue. One share must not fill the lane's window while rows of others lie behind
// its own on disk: it gets its part of it, and what is read beyond that is left where it
// is. Nothing is written for that. What was left is read on from there as the part in
// memory runs low.
type portion struct {
	name  string
	count int // entries in memory, running ones included
	// left says that rows behind a place were left on disk; those up to it are in memory.
	left  bool
	after place
	low   int   // with so few in memory it is read on
	extra int   // how many more than its part it may have, see Widen
	lags  bool  // it is to be read on
	bare  bool  // it is to be read on and has nothing in memory
	stuck int64 // the number of the page in which one was left that stands behind after
	late  int64 // the least rank of those that were left since the page was asked for
}

// place is one in the order in which a lane is read.
type place struct {
	rank int64
	id   task.ID
}

func (p place) before(other place) bool {
	return p.rank < other.rank || p.rank == other.rank && bytes.Compare(p.id[:], other.id[:]) < 0
}

// leastPart is how many entries each share key may have in a lane at least.
const leastPart = 4

// part is how many entries each share key may have in a lane. All together are no more
// than half of the window, so that there is always room for one that comes.
func (ls *lanes) part(l *Lane) int {
	return max(leastPart, ls.window()/2/(len(l.portions)+1))
}

// portion returns the portion of a share key, new if need be.
func (l *Lane) portion(key string) *portion {
	p := l.portions[key]
	if p == nil {
		p = &portion{name: key, late: math.MaxInt64}
		l.portions[key] = p
	}
	return p
}

func (e *Entry) joinPortion() {
	e.portion = e.lane.portion(e.Share)
	e.portion.count++
}

// leavePortion takes an entry out of its portion.
func (e *Entry) leavePortion() {
	p, l := e.portion, e.lane
	if e.portion = nil; p == nil || l == nil {
		return
	}
	p.count--
	l.weigh(p)
}

// weigh notes whether a portion is to be read on, and forgets one of which there is nothing.
func (l *Lane) weigh(p *portion) {
	if lags := p.left && p.count <= p.low; lags != p.lags {
		if p.lags = lags; lags {
			l.lagging++
		} else {
			l.lagging--
		}
	}
	if bare := p.left && p.count == 0; bare != p.bare {
		if p.bare = bare; bare {
			l.bare++
		} else {
			l.bare--
		}
	}
	if p.count == 0 && !p.left {
		delete(l.portions, p.name)
	}
}

// takesPart decides whether a row of a queue with share keys is kept, by the part of its
// share: whether it comes in a page or memory has learned of it otherwise. One that
// stands behind what was left comes in its turn.
func (ls *lanes) takesPart(l *Lane, row *store.Entry) (takes bool) {
	p, at, page := l.portion(row.Share), place{row.Rank, row.ID}, l.page
	part := ls.part(l)
	room := p.count < part && l.count < ls.window() || p.count < part+p.extra && l.count < ls.wide() || p.count < leastPart && l.count < 2*ls.window()
	switch {
	case p.left && p.after.before(at):
		if takes = page != nil && page.covers(p) && room; takes {
			p.after = at
		} else if page != nil {
			p.stuck = page.number
		} else {
			p.late = min(p.late, row.Rank)
		}
		takes = takes || ls.takesTarget(l, row)
	case room:
		takes = true
	default:
		ls.leaveBehind(l, p, at)
	}
	if page != nil {
		page.prev = at
	}
	l.weigh(p)
	return takes
}

// takesTarget reports whether a row that stands behind what was left is kept all the same: a
// target of which its share has next to nothing in memory must not wait behind the backlog
// of the others.
func (ls *lanes) takesTarget(l *Lane, row *store.Entry) bool {
	return l.count < ls.wide() && l.queue.hasOf(row.Share, row.Target) < leastPart
}

// leaveBehind leaves a row on disk that stands in front of what was left of its share, or is
// the first of it.
func (ls *lanes) leaveBehind(l *Lane, p *portion, at place) {
	after := place{at.rank - 1, lastID}
	switch {
	case l.page != nil:
		after, p.stuck = l.page.prev, l.page.number
	case !p.left && at.rank > l.after:
		l.missed = min(l.missed, at.rank) // a page that is being read may be older
		return
	}
	if p.left && p.after.before(after) {
		return
	}
	p.left, p.after, p.low = true, after, ls.part(l)/2
}

// page is what is being read of a lane.
type page struct {
	number int64
	begin  place
	prev   place // of the last row that was looked at
	parts  bool  // it reads portions on, not the lane
}

// covers reports whether the page has all that was left of a portion from its place on.
func (g *page) covers(p *portion) bool {
	return g.parts && !p.after.before(g.begin) && p.stuck != g.number
}

// leastRefill is how many rows are read at least to read portions on.
const leastRefill = 256

// refill is the range by which portions of a lane are read on, if some of them run low
// and there is room. It takes turns with reading the lane on: neither keeps the other
// from coming.
func (ls *lanes) refill(l *Lane) (r store.Range, ok bool) {
	if l.refilled = ls.lags(l) && (!l.refilled || !ls.runsLow(l)); !l.refilled {
		return r, false
	}
	end := place{l.after, l.afterID}
	from, wanted, part := end, 0, ls.part(l)
	full := l.count >= ls.window()
	for _, p := range l.portions {
		if p.lags && (p.bare || !full) {
			wanted += max(0, part+p.extra-p.count)
			if p.after.before(from) {
				from = p.after
			}
		}
		p.late = math.MaxInt64
	}
	most := min(max(leastRefill, wanted), mostRead)
	return store.Range{Lane: l.number, After: from.rank, AfterID: from.id, Until: l.after, Limit: most}, from.before(end)
}

// wide is up to how many entries of a lane some share keys may have more than their part.
func (ls *lanes) wide() int { return ls.window() / 4 * 3 }

// widen does that for a lane, see [Agenda.Widen].
func (ls *lanes) widen(l *Lane) (some bool) {
	if l.count >= ls.wide() {
		return false
	}
	part := ls.part(l)
	for _, p := range l.portions {
		if !p.left || p.lags {
			continue
		}
		if !l.queue.holds(p.name) {
			continue
		}
		if p.count >= part+p.extra {
			p.extra = 2*p.count - part
		}
		p.low, some = p.count, true
		l.weigh(p)
	}
	return some
}

// leaves reports whether rows of share keys were left on disk.
func (l *Lane) leaves() bool {
	for _, p := range l.portions {
		if p.left {
			return true
		}
	}
	return false
}

// lags reports whether portions of a lane are to be read on. Those of which nothing is in
// memory are for as long as others of few are taken that come.
func (ls *lanes) lags(l *Lane) bool {
	return l.lagging > 0 && l.count < ls.window() || l.bare > 0 && l.count < 2*ls.window()
}

// HasRead notes the page that a range of ToRead has brought, which look is to add. It
// reports whether there may be more behind it, and whether something in front of its end
// is to be read again.
func (ls *lanes) HasRead(l *Lane, r *store.Range, rows []store.Entry, look func()) (more, again bool) {
	more, again = l.turnPage(r, rows)
	look()
	if ls.endPage(l, r, rows) {
		more = ls.lags(l)
	}
	return more, again
}

// turnPage begins to look at the rows of a page, and reports what HasRead does.
func (l *Lane) turnPage(r *store.Range, rows []store.Entry) (more, again bool) {
	l.pages++
	begin := place{r.After, r.AfterID}
	l.page = &page{number: l.pages, begin: begin, prev: begin, parts: l.refilled}
	if l.refilled {
		return false, false
	}
	return l.hasRead(r, rows)
}

// endPage ends it, and reports whether it was one of portions: of those that it has read
// on, all up to its end is in memory.
func (ls *lanes) endPage(l *Lane, r *store.Range, rows []store.Entry) (parts bool) {
	page, lane := l.page, place{l.after, l.afterID}
	l.page = nil
	if !page.parts {
		return false
	}
	end := place{r.Until, lastID}
	if len(rows) >= r.Limit {
		last := &rows[len(rows)-1]
		end = place{last.Rank, last.ID}
	}
	low := ls.part(l) / 2
	for _, p := range l.portions {
		if p.left && page.covers(p) {
			to := end
			if p.late <= end.rank {
				to = place{p.late - 1, lastID}
			}
			if p.after.before(to) {
				p.after = to
			}
			p.left = p.after.before(lane)
		}
		if p.low = low; p.count <= low {
			p.extra = 0
		}
		l.weigh(p)
	}
	return true
}
