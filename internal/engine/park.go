package engine

import (
	"context"
	"maps"
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// writeMarks commits park marks that were decided under the lock, a batch of
// them at a time.
func (o *loader) writeMarks() {
	o.lock()
	marks := make([]store.Marking, 0, len(o.parking))
	for id, number := range o.parking {
		if marks = append(marks, store.Marking{ID: id, Mark: number}); len(marks) == markBatch {
			break
		}
	}
	o.unlock()
	if len(marks) == 0 || !o.mark(marks) {
		return // they are still there the next time
	}
	o.lock()
	defer o.unlock()
	for _, written := range marks {
		if o.parking[written.ID] == written.Mark {
			delete(o.parking, written.ID)
		}
		if l := o.agenda.Lane(written.ID.Lane()); l != nil && l.IsLeft(written.Mark) {
			o.member.Wakeups.Lent(l.Number())
		}
	}
}

// mostMarks is how many marks may wait to be written before reading on pauses.
const mostMarks = 5000

// marking reports whether the mark is about to be written in the lane. The
// engine's lock must be held.
func (o *loader) marking(l *agenda.Lane, number int64) bool {
	for id, other := range o.parking {
		if other == number && id.Lane() == l.Number() {
			return true
		}
	}
	return false
}

// marksWait reports whether marks wait to be written.
func (o *loader) marksWait() bool {
	o.lock()
	defer o.unlock()
	return len(o.parking) > 0
}

// markBatch is how many marks one transaction writes.
const markBatch = 256

// mark writes park marks in batches; false if one failed.
func (o *loader) mark(marks []store.Marking) bool {
	for len(marks) > 0 {
		count := min(len(marks), markBatch)
		ctx, cancel := context.WithTimeout(o.running, storeCall)
		err := o.config.Store.Mark(ctx, marks[:count])
		cancel()
		if err != nil {
			o.log.Warn("mark.failed", "rows", count, "error", err)
			return false
		}
		marks = marks[count:]
	}
	return true
}

// parkExcess writes marks on rows behind shut gates that fill memory, and
// forgets them. It reports whether it did, or found that share keys are to be read on.
func (o *loader) parkExcess() bool {
	o.lock()
	o.feedback()
	widened := o.agenda.Widen()
	entries := o.agenda.Excess(micros(time.Now()))
	o.unlock()
	marks := make([]store.Marking, len(entries))
	for i, entry := range entries {
		marks[i] = store.Marking{ID: entry.ID, Mark: entry.Mark}
	}
	if len(entries) == 0 {
		return widened
	}
	written := o.mark(marks)
	o.lock()
	defer o.unlock()
	o.agenda.Parked(entries, written)
	return true
}

// openings is how many marks one round of the loader looks at, so that its
// other work goes on.
const openings = 16

// unpark brings rows back whose gate has opened, a drop at a time.
func (o *loader) unpark() {
	o.lock()
	open := o.agenda.Openings(micros(time.Now()), openings, o.parking)
	o.unlock()
	for _, opening := range open {
		o.unparkOne(opening.Lane, opening.Mark)
	}
	if len(open) == openings {
		signal(o.load)
	}
}

func (o *loader) unparkOne(l *agenda.Lane, number int64) {
	o.lock()
	limit := o.agenda.MayReturn(l, number)
	o.unlock()
	pages, err := o.scan([]store.Range{{Lane: l.Number(), Park: number, After: math.MinInt64, Until: math.MaxInt64, Limit: limit}})
	if err != nil {
		return
	}
	page := pages[0]
	clears := make([]store.Marking, len(page))
	for i := range page {
		clears[i].ID = page[i].ID
	}
	if !o.mark(clears) {
		return
	}
	o.lock()
	defer o.unlock()
	if len(page) < limit && !o.marking(l, number) {
		l.Unmark(number)
	}
	if o.agenda.Lane(l.Number()) != l {
		return
	}
	for i := range page {
		page[i].Park = 0
		o.keep(l, &page[i], true)
	}
	signal(o.wake)
}

// readMarks notes the marks that a lane's rows had when it was taken.
func (o *loader) readMarks(lanes []uint16) {
	ctx, cancel := context.WithTimeout(o.running, storeCall)
	defer cancel()
	if len(lanes) == 0 {
		return
	}
	rows, err := o.config.Store.Marks(ctx, lanes, 0)
	if err != nil {
		o.log.Warn("marks.failed", "error", err)
		return
	}
	o.lock()
	defer o.unlock()
	for i := range rows {
		if l := o.agenda.Lane(rows[i].ID.Lane()); l != nil {
			o.noteMark(l, &rows[i])
		}
	}
}

// borrow looks in lanes of others for rows that their owners parked because
// they cannot start the type, and this node can.
// Lanes are those to look into, nil for all.
func (o *loader) borrow(in map[uint16]bool) {
	lanes := o.othersLanes(in)
	if len(lanes) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(o.running, storeCall)
	rows, err := o.config.Store.Marks(ctx, lanes, 0)
	cancel()
	if err != nil {
		return
	}
	var ranges []store.Range
	v := o.member.View()
	present := make(map[borrowing]cursor, len(o.borrowed))
	for i := range rows {
		queue, _ := v.QueueOf(rows[i].ID.Lane())
		capability, known := agenda.LeftFor(&rows[i], v.Abilities(queue))
		if known && o.canStart(queue, capability) {
			from := o.borrowRange(rows[i].ID.Lane(), rows[i].Park)
			ranges, present[borrowing{from.Lane, from.Park}] = append(ranges, from), cursor{from.After, from.AfterID}
		}
	}
	if in == nil {
		o.borrowed = present
	} else {
		maps.Copy(o.borrowed, present)
	}
	if len(ranges) == 0 {
		return
	}
	pages, err := o.scan(ranges)
	if err != nil {
		return
	}
	o.lock()
	defer o.unlock()
	for i, page := range pages {
		for j := range page {
			o.addBorrowed(page[j])
		}
		o.borrowed[borrowing{ranges[i].Lane, ranges[i].Park}] = cursorOf(page)
	}
	signal(o.wake)
}

// borrowing is a stream of another node's lane that this node borrows from.
type borrowing struct {
	lane uint16
	mark int64
}

// cursor is where the next page of a stream begins.
type cursor struct {
	rank int64
	id   task.ID
}

// borrowRange is the next page of a stream: the rows at its front may be ones
// that cannot run.
func (o *loader) borrowRange(lane uint16, number int64) store.Range {
	from, ok := o.borrowed[borrowing{lane, number}]
	if !ok {
		from = cursor{rank: math.MinInt64}
	}
	return store.Range{Lane: lane, Park: number, After: from.rank, AfterID: from.id, Until: micros(time.Now().Add(o.config.Horizon)), Limit: agenda.MostReturned}
}

// cursorOf is the end of a full page, and the beginning of the stream after
// its last one.
func cursorOf(page []store.Entry) cursor {
	if len(page) < agenda.MostReturned {
		return cursor{rank: math.MinInt64}
	}
	last := page[len(page)-1]
	return cursor{last.Rank, last.ID}
}

func (o *loader) addBorrowed(row store.Entry) {
	queueName, ok := o.member.View().QueueOf(row.ID.Lane())
	if ok && o.agenda.Lane(row.ID.Lane()) == nil && o.agenda.Borrow(queueName, row) {
		o.sighted(row.ID)
	}
}

// othersLanes lists the lanes of others, or those of them that are asked for,
// that may have rows which this node can start and their owner cannot.
func (o *loader) othersLanes(in map[uint16]bool) []uint16 {
	v := o.member.View()
	self := v.Me(o.member.ID())
	if self == nil || o.config.EnqueueOnly {
		return nil
	}
	o.lock()
	defer o.unlock()
	var lanes []uint16
	for i := range v.Topology.Lanes {
		if l := &v.Topology.Lanes[i]; o.agenda.Lane(l.Number) == nil && (in == nil || in[l.Number]) && v.Borrows(self, l.Number) {
			lanes = append(lanes, l.Number)
		}
	}
	return lanes
}

// lendMost is how many tasks of a type are left to nodes on which workers wait for them at
// a time, for lendFor.
const (
	lendMost = 256
	lendFor  = 2 * time.Second
)

// lend leaves due tasks, for which no worker of this node waits, to nodes where one
// does.
func (o *loader) lend() {
	v := o.member.View()
	if v == nil || len(o.leases.Served()) == 0 {
		return
	}
	o.lock()
	defer o.unlock()
	for id, node := range v.Alive {
		if id == o.member.ID() {
			continue
		}
		for queue, s := range node.Serves {
			for _, name := range s.Wants {
				o.lendTo(queue, name)
			}
		}
	}
}

// lendTo parks the first tasks of a type by that.
func (o *loader) lendTo(queue, name string) {
	if len(o.parking) > mostMarks {
		return
	}
	for _, m := range o.agenda.Lend(queue, name, lendMost, micros(time.Now().Add(lendFor))) {
		o.parking[m.ID] = m.Mark
		signal(o.load)
	}
}
