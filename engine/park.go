package engine

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// drop is how many parked rows of one gate come back into memory at a time,
// within a quarter of a lane's window.
const drop = 128

// probe is how many parked rows come back to see whether their gate is open.
const probe = 4

// doubtful reports whether a gate may still be shut: a key of which nothing
// has run since it was parked, a target that hangs or fails.
func (n *near) doubtful(l *lane, m mark) bool {
	switch m.gate {
	case gateKey:
		line := n.lines[lineID{l.number, m.name}]
		return line == nil || line.head != nil && line.head.where != isClaimed
	case gateTarget, gateRetry:
		t := n.targets[m.name]
		return t != nil && n.stillShut(t, m.gate)
	}
	return false
}

// stillShut reports whether a target is stuck at the gate of a mark. One whose
// breaker lets out more and more is not.
func (n *near) stillShut(t *target, of gate) bool {
	held := n.stuck(t, n.now)
	if t.guard != nil {
		held &^= t.guard.ramp.gate
	}
	if of == gateTarget {
		held &^= byBudget
	}
	return held != 0
}

func (n *near) drop() int { return min(drop, n.window()/4) }

// writeMarks commits park marks that were decided under the lock, a batch of
// them at a time.
func (e *Engine) writeMarks() {
	e.mu.Lock()
	marks := make([]store.Marking, 0, len(e.parking))
	for id, number := range e.parking {
		if marks = append(marks, store.Marking{ID: id, Mark: number}); len(marks) == markBatch {
			break
		}
	}
	e.mu.Unlock()
	if len(marks) == 0 || !e.mark(marks) {
		return // they are still there the next time
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, written := range marks {
		if e.parking[written.ID] == written.Mark {
			delete(e.parking, written.ID)
		}
		if l := e.near.lanes[written.ID.Lane()]; l != nil && l.marks[written.Mark] != nil && l.marks[written.Mark].gate == gateType {
			e.lent(l.number)
		}
	}
}

// mostMarks is how many marks may wait to be written before reading on pauses.
const mostMarks = 5000

// marking reports whether the mark is about to be written in the lane. The
// engine's lock must be held.
func (e *Engine) marking(l *lane, number int64) bool {
	for id, other := range e.parking {
		if other == number && id.Lane() == l.number {
			return true
		}
	}
	return false
}

// marksWait reports whether marks wait to be written.
func (e *Engine) marksWait() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.parking) > 0
}

// markBatch is how many marks one transaction writes.
const markBatch = 256

// mark writes park marks in batches; false if one failed.
func (e *Engine) mark(marks []store.Marking) bool {
	for len(marks) > 0 {
		count := min(len(marks), markBatch)
		ctx, cancel := context.WithTimeout(e.running, storeCall)
		err := e.config.Store.Mark(ctx, marks[:count])
		cancel()
		if err != nil {
			e.log.Warn("mark.failed", "rows", count, "error", err)
			return false
		}
		marks = marks[count:]
	}
	return true
}

// parkExcess writes marks on rows behind shut gates that fill memory, and
// forgets them. It reports whether it did.
func (e *Engine) parkExcess() bool {
	e.lock()
	entries := e.near.excess(micros(time.Now()))
	marks := make([]store.Marking, len(entries))
	for i, entry := range entries {
		m := mark{entry.gate, entry.Target}
		if entry.gate == gateKey {
			m.name = entry.Key
		}
		marks[i] = store.Marking{ID: entry.ID, Mark: m.number()}
		entry.lane.marks[marks[i].Mark] = &parked{mark: m}
	}
	e.unlock()
	if len(entries) == 0 {
		return false
	}
	written := e.mark(marks)
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, entry := range entries {
		if l := entry.lane; l != nil && !written {
			l.rewind(math.MinInt64 + 1)
		}
		e.near.forget(entry.entry)
	}
	return true
}

// opening is a park mark of a lane whose rows should come back.
type opening struct {
	lane   *lane
	number int64
}

// openings is how many marks one round of the loader looks at, so that its
// other work goes on.
const openings = 16

// unpark brings rows back whose gate has opened, a drop at a time.
func (e *Engine) unpark() {
	open := e.opened()
	for _, o := range open {
		e.unparkOne(o.lane, o.number)
	}
	if len(open) == openings {
		signal(e.load)
	}
}

func (e *Engine) opened() (open []opening) {
	e.mu.Lock()
	defer e.mu.Unlock()
	writing := make(map[opening]bool, len(e.parking))
	for id, number := range e.parking {
		writing[opening{e.near.lanes[id.Lane()], number}] = true
	}
	now := micros(time.Now())
	for _, l := range e.near.lanes {
		for number, p := range l.marks {
			o := opening{l, number}
			if p.until <= now && !writing[o] && e.opens(l, p.mark) {
				if open = append(open, o); len(open) == openings {
					return open
				}
			}
		}
	}
	return open
}

// opens reports whether rows with the mark should come back now. Those that were
// handed to nodes with an ability do when no such node lives. The engine's lock must
// be held.
func (e *Engine) opens(l *lane, m mark) bool {
	if m.gate != gateType {
		return e.near.opened(l, m)
	}
	return e.canStart(l.queue.name, m.name) || isAbility(m.name) && !slices.Contains(e.view.Load().abilities(l.queue.name), m.name)
}

// opened reports whether rows with the mark of a key or a target should come back
// now.
func (n *near) opened(l *lane, m mark) bool {
	switch m.gate {
	case gateKey:
		line := n.lines[lineID{l.number, m.name}]
		return line == nil || line.behind.len() == 0 && line.head != nil
	case gateTarget, gateRetry:
		few := n.window() / 8
		if t := n.targets[m.name]; t != nil && n.stillShut(t, m.gate) {
			few = 2 * probe
		}
		known, retries := l.queue.has(m.name)
		if m.gate == gateRetry {
			known = retries
		}
		return l.count < n.window() && known < few
	}
	return true
}

func (e *Engine) unparkOne(l *lane, number int64) {
	e.mu.Lock()
	limit := e.near.drop()
	if p := l.marks[number]; p != nil && e.near.doubtful(l, p.mark) {
		limit = min(limit, probe)
	}
	e.mu.Unlock()
	pages, err := e.scan([]store.Range{{Lane: l.number, Park: number, After: math.MinInt64, Until: math.MaxInt64, Limit: limit}})
	if err != nil {
		return
	}
	page := pages[0]
	clears := make([]store.Marking, len(page))
	for i := range page {
		clears[i].ID = page[i].ID
	}
	if !e.mark(clears) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(page) < limit && !e.marking(l, number) {
		delete(l.marks, number)
	}
	if e.near.lanes[l.number] != l {
		return
	}
	for i := range page {
		page[i].Park = 0
		e.near.add(l.queue, page[i], true)
	}
	signal(e.wake)
}

// readMarks notes the marks that a lane's rows had when it was taken.
func (e *Engine) readMarks(lanes []uint16) {
	ctx, cancel := context.WithTimeout(e.running, storeCall)
	defer cancel()
	if len(lanes) == 0 {
		return
	}
	rows, err := e.config.Store.Marks(ctx, lanes, 0)
	if err != nil {
		e.log.Warn("marks.failed", "error", err)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range rows {
		if l := e.near.lanes[rows[i].ID.Lane()]; l != nil {
			l.note(&rows[i], e.view.Load())
		}
	}
}

// borrow looks in lanes of others for rows that their owners parked because
// they cannot start the type, and this node can.
// Lanes are those to look into, nil for all.
func (e *Engine) borrow(in map[uint16]bool) {
	lanes := e.othersLanes(in)
	if len(lanes) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(e.running, storeCall)
	rows, err := e.config.Store.Marks(ctx, lanes, 0)
	cancel()
	if err != nil {
		return
	}
	var ranges []store.Range
	v := e.view.Load()
	present := make(map[borrowing]cursor, len(e.borrowed))
	for i := range rows {
		queue, _ := v.queueOf(rows[i].ID.Lane())
		m, known := markOf(&rows[i], v.abilities(queue))
		if known && m.gate == gateType && e.canStart(queue, m.name) {
			from := e.borrowRange(rows[i].ID.Lane(), rows[i].Park)
			ranges, present[borrowing{from.Lane, from.Park}] = append(ranges, from), cursor{from.After, from.AfterID}
		}
	}
	if in == nil {
		e.borrowed = present
	} else {
		maps.Copy(e.borrowed, present)
	}
	if len(ranges) == 0 {
		return
	}
	pages, err := e.scan(ranges)
	if err != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, page := range pages {
		for j := range page {
			e.addBorrowed(page[j])
		}
		e.borrowed[borrowing{ranges[i].Lane, ranges[i].Park}] = cursorOf(page)
	}
	signal(e.wake)
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
func (e *Engine) borrowRange(lane uint16, number int64) store.Range {
	from, ok := e.borrowed[borrowing{lane, number}]
	if !ok {
		from = cursor{rank: math.MinInt64}
	}
	return store.Range{Lane: lane, Park: number, After: from.rank, AfterID: from.id, Until: micros(time.Now().Add(e.config.Horizon)), Limit: drop}
}

// cursorOf is the end of a full page, and the beginning of the stream after
// its last one.
func cursorOf(page []store.Entry) cursor {
	if len(page) < drop {
		return cursor{rank: math.MinInt64}
	}
	last := page[len(page)-1]
	return cursor{last.Rank, last.ID}
}

func (e *Engine) addBorrowed(row store.Entry) {
	queueName, ok := e.view.Load().queueOf(row.ID.Lane())
	if !ok || e.near.lanes[row.ID.Lane()] != nil || len(e.near.known) > e.near.limit {
		return
	}
	e.sighted(row.ID)
	if added := e.near.add(e.near.queueOf(queueName), row, true); added != nil {
		added.mark = row.Park
	}
}

// othersLanes lists the lanes of others, or those of them that are asked for,
// that may have rows which this node can start and their owner cannot.
func (e *Engine) othersLanes(in map[uint16]bool) []uint16 {
	v := e.view.Load()
	self := v.me(e.node())
	if self == nil || e.config.EnqueueOnly {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	var lanes []uint16
	for i := range v.topology.Lanes {
		if l := &v.topology.Lanes[i]; e.near.lanes[l.Number] == nil && (in == nil || in[l.Number]) && v.borrows(self, l.Number) {
			lanes = append(lanes, l.Number)
		}
	}
	return lanes
}
