package engine

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// The loader keeps the near future filled: it reads on where a lane's
// entries run low, looks for rows that nobody told this node of, and writes
// and clears park marks.
const (
	pollRows     = 256                    // rows that a poll reads first, per lane
	pollMore     = 5000                   // rows of each page after that
	pollShare    = 10                     // a poll that reads much is followed by so many times its own length without one
	pollLittle   = 1024                   // rows; one that reads no more, by its own length
	deafPoll     = 200 * time.Millisecond // between polls of a store that tells of nothing
	askEvery     = time.Second            // how often polls of all lanes make blocked keys ask, and marks are read
	rescan       = time.Minute            // a complete scan: commits can become visible out of order
	quietPolls   = 10                     // polls to leave out on a store that tells of changes
	shallowPolls = 10                     // polls that nobody asked for, and that read the front of lanes only, before one that reads all
	storeCall    = 10 * time.Second       // limit of one read or marking
)

// loading is the loop of the loader. Polls that read much take a tenth of the
// time at most, on a store where others commit all the time.
func (e *Engine) loading() {
	pause := e.pollPause()
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	again := time.NewTimer(time.Hour) // when a wake-up that came too soon is heeded
	defer again.Stop()
	park := time.NewTicker(parkEvery)
	defer park.Stop()
	quiet, shallow, unasked, fullScan, pollAt := 0, 0, false, time.Now().Add(rescan), time.Now()
	for {
		poll := false
		select {
		case <-e.running.Done():
			return
		case <-e.load:
		case <-e.changed:
			poll = true
		case <-again.C:
			poll = true
		case <-ticker.C:
			quiet++
			poll = !e.hearsAll() || quiet >= quietPolls
			unasked = unasked || poll
			e.tick(&fullScan)
			if next := e.pollPause(); next != pause {
				pause = next
				ticker.Reset(pause)
			}
		case <-park.C:
			if !e.parkExcess() && !e.marksWait() {
				continue
			}
		}
		began := time.Now()
		e.lookAhead(began)
		if poll && began.Before(pollAt) {
			again.Reset(pollAt.Sub(began))
			poll = false
		}
		e.writeMarks()
		if poll {
			quiet = 0
			h, share := e.hinted(), time.Duration(1)
			if shallow++; h.asked || shallow > shallowPolls {
				shallow = 0
			}
			if e.pollOnce(h.lanes, shallow == 0) > pollLittle {
				share = pollShare
			}
			e.borrow(h.lend)
			if unasked && h.some() {
				e.pollOnce(nil, false)
				e.borrow(nil)
			}
			unasked = false
			pollAt = time.Now().Add(share * time.Since(began))
		}
		e.loadOnce()
	}
}

// hearsAll reports whether the store tells of every commit of others, also of
// those that nobody sends a wake-up for, inside transactions of callers.
func (e *Engine) hearsAll() bool {
	_, sends := store.As[store.Notifier](e.config.Store)
	return e.watched.Load() && !sends
}

// pollPause is the time between polls.
func (e *Engine) pollPause() time.Duration {
	if e.watched.Load() {
		return e.config.Poll
	}
	return e.config.DeafPoll
}

// lookAhead moves the horizon.
func (e *Engine) lookAhead(now time.Time) {
	e.mu.Lock()
	e.near.horizon = micros(now.Add(e.config.Horizon))
	e.mu.Unlock()
}

// tick does what is due once a second at most.
func (e *Engine) tick(fullScan *time.Time) {
	if now := time.Now(); now.After(*fullScan) {
		*fullScan = now.Add(rescan)
		if lanes := e.rewindAll(); len(lanes) > 0 {
			e.readMarks(lanes)
		}
	}
	e.lock()
	e.near.forgetTargets(micros(time.Now()))
	e.unlock()
	e.readDeadlines()
	e.warnUnstartable()
	e.lend()
}

// loadOnce reads on until memory is full or everything up to the horizon is
// in it, and brings parked rows back whose gate has opened.
func (e *Engine) loadOnce() {
	for e.readOn() {
		e.writeMarks()
	}
	e.unpark()
	signal(e.wake)
}

// rewindAll makes the loader read all lanes again, and returns them.
func (e *Engine) rewindAll() (lanes []uint16) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for number, l := range e.near.lanes {
		l.rewind(math.MinInt64 + 1)
		lanes = append(lanes, number)
	}
	return lanes
}

// readOn reads on in every lane that has room, up to the horizon. It
// reports whether another round may find more.
func (e *Engine) readOn() bool {
	ranges, wanted := e.wanted()
	if len(ranges) == 0 {
		return false
	}
	pages, err := e.scan(ranges)
	if err != nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	more := false
	for i, page := range pages {
		r := &ranges[i]
		l := e.near.lanes[r.Lane]
		if l == nil || l != wanted[i] || l.after != r.After || l.afterID != r.AfterID {
			more = more || l != nil
			continue
		}
		if len(page) < r.Limit {
			l.after, l.afterID, l.done = r.Until, lastID, true
		} else {
			last := page[len(page)-1]
			l.after, l.afterID = last.Rank, last.ID
			more = true
		}
		if l.missed <= l.after {
			l.rewind(l.missed)
			signal(e.load) // after the other work of the loader: there may always be something
		}
		e.learnPage(l, page, true)
	}
	signal(e.wake)
	return more
}

// wanted lists the ranges to read next, and their lanes.
func (e *Engine) wanted() (ranges []store.Range, lanes []*lane) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.parking) > mostMarks {
		return nil, nil // what was read is to be marked first
	}
	for _, l := range e.near.lanes {
		limit := e.near.window() - l.count
		if l.count > e.near.window()/2 || !l.hungry(e.near) {
			continue
		}
		if l.skipped <= e.near.horizon {
			l.skipped = math.MaxInt64
			l.rewind(math.MinInt64 + 1)
		}
		l.missed = math.MaxInt64
		lanes = append(lanes, l)
		ranges = append(ranges, store.Range{
			Lane: l.number, After: l.after, AfterID: l.afterID, Until: e.near.horizon, Limit: min(limit, 5000),
		})
	}
	return ranges, lanes
}

func (e *Engine) scan(ranges []store.Range) ([][]store.Entry, error) {
	ctx, cancel := context.WithTimeout(e.running, storeCall)
	defer cancel()
	pages, err := e.config.Store.Scan(ctx, ranges)
	if err != nil && e.running.Err() == nil {
		e.log.Warn("scan.failed", "error", err)
		e.doubt()
	}
	return pages, err
}

// learnPage adds rows of a lane's main stream that a scan has brought, all
// of them or, if they are not wanted, those for which there is room.
func (e *Engine) learnPage(l *lane, page []store.Entry, wanted bool) {
	for i := range page {
		if _, soon := e.parking[page[i].ID]; soon {
			continue // its mark is on the way
		}
		e.sighted(page[i].ID)
		if e.parksType(l.queue, &page[i]) {
			e.parking[page[i].ID] = l.noteType(&page[i])
			continue
		}
		e.near.add(l.queue, page[i], wanted)
	}
}

// pollOnce reads what memory should know of the lanes (nil for all), for rows
// that others inserted or moved: page by page, so that it also finds those
// behind a backlog that is known. It lets blocked keys ask again too: one may
// have been released elsewhere. One that is not deep looks at the front of the
// lanes only: to read what is known of a backlog over and over would cost as
// much as to run it. It returns the number of rows read.
func (e *Engine) pollOnce(lanes map[uint16]bool, deep bool) (rows int) {
	after, polled, stale := e.toPoll(lanes)
	if len(stale) > 0 {
		defer e.readMarks(stale) // an earlier owner may have written some late
	}
	for len(after) > 0 && e.running.Err() == nil {
		ranges := slices.Collect(maps.Values(after))
		pages, err := e.scan(ranges)
		if err != nil {
			return rows
		}
		e.mu.Lock()
		for i, page := range pages {
			rows += len(page)
			r, l := ranges[i], e.near.lanes[ranges[i].Lane]
			delete(after, r.Lane)
			if l == nil || l != polled[r.Lane] {
				continue // it is, or was meanwhile, another node's
			}
			e.learnPage(l, page, false)
			if deep && len(page) == r.Limit {
				last := page[len(page)-1]
				r.After, r.AfterID, r.Limit = last.Rank, last.ID, pollMore
				after[r.Lane] = r
			}
		}
		e.mu.Unlock()
		signal(e.wake)
	}
	return rows
}

// toPoll lists the ranges to poll by lane, those lanes, and, once a second, the lanes whose
// marks are to be read. Blocked keys of lanes that were named are made to ask,
// those of others when that second has passed.
func (e *Engine) toPoll(lanes map[uint16]bool) (after map[uint16]store.Range, polled map[uint16]*lane, stale []uint16) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := time.Now()
	due := now.Sub(e.asked) >= askEvery
	if due {
		e.asked = now
	}
	after, polled = map[uint16]store.Range{}, map[uint16]*lane{}
	for _, l := range e.near.lanes {
		if due {
			stale = append(stale, l.number)
		}
		if lanes != nil && !lanes[l.number] {
			continue
		}
		if lanes != nil {
			l.reopen()
		}
		if lanes != nil || due {
			e.near.askHeads(l.number, micros(now))
		}
		polled[l.number] = l
		after[l.number] = store.Range{Lane: l.number, After: math.MinInt64, Until: l.after, Limit: pollRows}
	}
	return after, polled, stale
}

// parksType reports whether a row must be left to other nodes because
// nothing here starts its type. Where its queue says that such tasks die,
// and no living node can start it, it is kept, and dies at its attempt.
func (e *Engine) parksType(q *queue, row *store.Entry) bool {
	can := Capability(row)
	if e.canStart(q.name, can) {
		return false
	}
	return !q.unknownDies || e.view.Load().canStart(q.name, can)
}

// noteType remembers that rows of a capability are parked in the lane.
func (l *lane) noteType(row *store.Entry) int64 {
	return l.park(mark{gateType, Capability(row)})
}

// note remembers the mark of a row; marks of unknown meaning are kept under
// an empty gate, and cleared.
func (l *lane) note(row *store.Entry, v *view) {
	if row.Park != 0 && l.marks[row.Park] == nil {
		m, _ := markOf(row, v.abilities(l.queue.name))
		l.marks[row.Park] = &parked{mark: m}
	}
}
