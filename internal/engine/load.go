package engine

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
)

// The loader keeps the near future filled: it reads on where a lane's
// entries run low, looks for rows that nobody told this node of, and writes
// and clears park marks.
const (
	parkEvery    = 50 * time.Millisecond // between two looks for entries to park
	pollRows     = 256                   // rows that a poll reads first, per lane
	pollMore     = 5000                  // rows of each page after that
	pollShare    = 10                    // a poll that reads much is followed by so many times its own length without one
	pollLittle   = 1024                  // rows; one that reads no more, by its own length
	pollLong     = 50 * time.Millisecond // one that takes longer for so few walks past rows that have ended
	patrolShare  = 50                    // and is followed by so many times its own length, if nobody asked for it
	askEvery     = time.Second           // how often polls of all lanes make blocked keys ask, and marks are read
	quietPolls   = 10                    // polls to leave out on a store that tells of changes
	shallowPolls = 10                    // polls that nobody asked for, and that read the front of lanes only, before one that reads all
)

// loader keeps memory filled. Its fields are its loop's own.
type loader struct {
	*core
	asked    time.Time            // when blocked keys were made to ask by a poll of all lanes
	patrols  int                  // polls that nobody asked for
	patrolAt time.Time            // the next one, at the earliest
	walked   time.Duration        // how long the last one took
	warned   map[string]time.Time // of types that nobody starts, by queue
	borrowed map[borrowing]cursor // where borrowing goes on
	arrivals arrivals
}

func newLoader(c *core) *loader {
	return &loader{core: c, warned: map[string]time.Time{}, borrowed: map[borrowing]cursor{}, arrivals: newArrivals(c.config.Store)}
}

// loading is the loop of the loader. Polls that read much take a tenth of the
// time at most, on a store where others commit all the time.
func (o *loader) loading() {
	pause := o.pollPause()
	ticker := background.NewTicker(o.running, pause)
	defer ticker.Stop()
	again := time.NewTimer(time.Hour) // when a wake-up that came too soon is heeded
	defer again.Stop()
	park := background.NewTicker(o.running, parkEvery)
	defer park.Stop()
	quiet, unasked, pollAt := 0, false, time.Now()
	o.readArrivals()
	for {
		poll := false
		select {
		case <-o.running.Done():
			return
		case <-o.load:
		case <-o.changed:
			poll = true
		case <-again.C:
			poll = true
		case <-ticker.C:
			quiet++
			poll = !o.member.HearsAll() || quiet >= quietPolls
			unasked = unasked || poll
			if o.tick(); o.readArrivals() {
				o.lookAtAll()
			}
			if next := o.pollPause(); next != pause {
				pause = next
				ticker.Reset(pause)
			}
		case <-park.C:
			if !o.parkExcess() && !o.marksWait() {
				continue
			}
		}
		began := time.Now()
		o.lookAhead(began)
		if poll && began.Before(pollAt) {
			again.Reset(pollAt.Sub(began))
			poll = false
		}
		o.writeMarks()
		if poll {
			if unasked {
				quiet = 0
			}
			var pause time.Duration
			pause, poll = o.poll(unasked)
			pollAt, unasked = time.Now().Add(pause), false
		}
		o.loadOnce()
		if poll {
			o.looked()
		}
	}
}

// poll looks where somebody has said that there is something, and how long to leave that
// then; if it is time to look unasked too, or nobody has said where, on patrol, in its
// own pace. It reports whether it has looked at all.
func (o *loader) poll(unasked bool) (pause time.Duration, looked bool) {
	o.askAll()
	h, asked := o.hinted()
	if asked {
		pause = o.pollAsked(h)
	}
	if asked && (!unasked || !h.some()) {
		return pause, true
	}
	o.borrow(nil)
	if time.Now().Before(o.patrolAt) { // also where the hints of a signal went with the one before
		return pause, asked
	}
	o.patrol()
	return pause, true
}

// pollAsked looks where somebody has said, and returns how long to leave that.
func (o *loader) pollAsked(h hints) (pause time.Duration) {
	began, share := time.Now(), time.Duration(1)
	if rows, _ := o.pollOnce(h.lanes, true); rows > pollLittle {
		share = pollShare
	}
	o.borrow(h.lend)
	return share * time.Since(began)
}

// patrol looks for what nobody has told of: at the front of the lanes, and now and then
// at all that is known. Where an old snapshot keeps rows that have ended, it walks past
// them all, so that it takes a small part of the time only. One that fails, or is slow when
// the one before was not, has met a trouble of the store or the network, which passes.
func (o *loader) patrol() {
	began, share := time.Now(), time.Duration(1)
	o.patrols++
	rows, failed := o.pollOnce(nil, o.patrols%(shallowPolls+1) == 0)
	took := time.Since(began)
	usual := min(took, o.walked)
	switch o.walked = took; {
	case failed:
		o.walked = 0
	case rows > pollLittle:
		share = pollShare
	case usual > pollLong:
		took, share = usual, patrolShare
	}
	o.patrolAt = time.Now().Add(share * took)
}

// pollPause is the time between polls.
func (o *loader) pollPause() time.Duration {
	if o.member.Watched() {
		return o.config.Poll
	}
	return o.config.DeafPoll
}

// lookAhead moves the horizon.
func (o *loader) lookAhead(now time.Time) {
	o.lock()
	o.agenda.LookAhead(now, o.config.Horizon)
	o.unlock()
}

// tick does what is due once a second at most.
func (o *loader) tick() {
	o.lock()
	o.feedback()
	o.agenda.ForgetTargets(micros(time.Now()))
	o.unlock()
	o.readDeadlines()
	o.warnUnstartable()
	o.lend()
}

// loadOnce reads on until memory is full or everything up to the horizon is
// in it, and brings parked rows back whose gate has opened.
func (o *loader) loadOnce() {
	for o.readOn() {
		o.writeMarks()
	}
	o.unpark()
	signal(o.wake)
}

// rewindAll makes the loader read all lanes again.
func (o *loader) rewindAll() {
	o.lock()
	defer o.unlock()
	for _, l := range o.agenda.Lanes() {
		l.ReadAnew()
	}
}

// readOn reads on in every lane that has room, up to the horizon. It
// reports whether another round may find more.
func (o *loader) readOn() bool {
	ranges, wanted := o.wanted()
	if len(ranges) == 0 {
		return false
	}
	pages, err := o.scan(ranges)
	if err != nil {
		return false
	}
	o.lock()
	defer o.unlock()
	more := false
	for i, page := range pages {
		r := &ranges[i]
		l := o.agenda.Lane(r.Lane)
		if l == nil || l != wanted[i] || !l.IsAt(r) {
			more = more || l != nil
			continue
		}
		further, again := o.agenda.HasRead(l, r, page, func() { o.learnPage(l, page, true) })
		more = more || further && !again
		if again {
			signal(o.load) // after the other work of the loader: there may always be something
		}
	}
	signal(o.wake)
	return more
}

// wanted lists the ranges to read next, and their lanes.
func (o *loader) wanted() (ranges []store.Range, lanes []*agenda.Lane) {
	o.lock()
	defer o.unlock()
	if len(o.parking) > mostMarks {
		return nil, nil // what was read is to be marked first
	}
	return o.agenda.ToRead()
}

func (o *loader) scan(ranges []store.Range) ([][]store.Entry, error) {
	ctx, cancel := context.WithTimeout(o.running, storeCall)
	defer cancel()
	pages, err := o.config.Store.Scan(ctx, ranges)
	if err != nil && o.running.Err() == nil {
		o.log.Warn("scan.failed", "error", err)
		o.doubt()
	}
	return pages, err
}

// learnPage adds rows of a lane's main stream that a scan has brought, all
// of them or, if they are not wanted, those for which there is room.
func (o *loader) learnPage(l *agenda.Lane, page []store.Entry, wanted bool) {
	for i := range page {
		if _, soon := o.parking[page[i].ID]; soon {
			continue // its mark is on the way
		}
		if !o.agenda.Works(l.Queue(), &page[i]) {
			continue
		}
		o.sighted(page[i].ID)
		o.keep(l, &page[i], wanted)
	}
}

// askAll makes the blocked keys of all lanes ask, and reads the lanes' marks, of which an
// earlier owner may have written some late; once a second at most.
func (o *loader) askAll() {
	now := time.Now()
	if now.Sub(o.asked) < askEvery {
		return
	}
	o.asked = now
	var lanes []uint16
	o.lock()
	for number := range o.agenda.Lanes() {
		o.agenda.AskHeads(number, micros(now))
		lanes = append(lanes, number)
	}
	o.unlock()
	o.readMarks(lanes)
}

// pollOnce reads what memory should know of the lanes, each from a rank on (nil for all), for rows
// that others inserted or moved: page by page, so that it also finds those
// behind a backlog that is known. It lets blocked keys of lanes that are named ask again
// too: one may have been released elsewhere. One that is not deep looks at the front of the
// lanes only: to read what is known of a backlog over and over would cost as
// much as to run it. It returns the number of rows read, and whether a scan failed.
func (o *loader) pollOnce(lanes map[uint16]int64, deep bool) (rows int, failed bool) {
	after, polled := o.toPoll(lanes)
	for len(after) > 0 && o.running.Err() == nil {
		ranges := slices.Collect(maps.Values(after))
		pages, err := o.scan(ranges)
		if err != nil {
			return rows, true
		}
		o.lock()
		for i, page := range pages {
			rows += len(page)
			r, l := ranges[i], o.agenda.Lane(ranges[i].Lane)
			delete(after, r.Lane)
			if l == nil || l != polled[r.Lane] {
				continue // it is, or was meanwhile, another node's
			}
			o.learnPage(l, page, false)
			if deep && len(page) == r.Limit {
				last := page[len(page)-1]
				r.After, r.AfterID, r.Limit = last.Rank, last.ID, pollMore
				after[r.Lane] = r
			}
		}
		o.unlock()
		signal(o.wake)
	}
	return rows, false
}

// toPoll lists the ranges to poll by lane, and those lanes. Blocked keys of lanes that were
// named are made to ask.
func (o *loader) toPoll(lanes map[uint16]int64) (after map[uint16]store.Range, polled map[uint16]*agenda.Lane) {
	o.lock()
	defer o.unlock()
	after, polled = map[uint16]store.Range{}, map[uint16]*agenda.Lane{}
	for number, l := range o.agenda.Lanes() {
		from, named := lanes[number]
		switch {
		case named:
			l.Reopen()
			o.agenda.AskHeads(number, micros(time.Now()))
		case lanes != nil:
			continue
		default:
			from = store.AnyRank
		}
		if r, ok := l.Seen(from, pollRows); ok {
			polled[number], after[number] = l, r
		}
	}
	return after, polled
}

// looked counts a round of the loader.
func (o *loader) looked() {
	o.lock()
	o.agenda.Pass().Looked()
	o.unlock()
	signal(o.wake)
}
