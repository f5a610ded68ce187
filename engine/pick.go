package engine

import "time"

// quantum is how many entries a queue of weight 1 gives in one turn.
const quantum = 16

// room is what bounds one batch.
type room struct {
	slots int // free slots
	batch int // rows
	bytes int // payload bytes, for all tasks in flight
}

// pick takes entries to claim out of the ready structure, in the order in
// which they should start: deficit round robin over queues by weight; see
// queue.next inside one, and slots that are kept for queues left to them, see keep. Gates, in this order: the queue is paused, the
// ordering key (only heads are ever ready), the queue's limit, a worker that
// waits where only remote ones can start the type, the crash budget, the target's
// breaker, budget and limits, a free slot. Before all of them go those whose
// deadline has passed, see expired.
func (n *near) pick(r room) []*entry {
	want := min(r.slots, r.batch)
	picked, bytes := n.expired(want, r.bytes)
	owed := n.keep()
	for idle := 0; len(picked) < want && idle < len(n.order); {
		q := n.order[n.turn%len(n.order)]
		if q.credit <= 0 {
			q.credit = q.weight * quantum
		}
		var e *entry
		own := q.owed()
		if q.mayStart(r.slots-len(picked), owed) {
			e = n.takeFrom(q)
		}
		if e == nil {
			q.credit = 0
			n.turn++
			idle++
			continue
		}
		idle = 0
		if bytes += e.Size; bytes > r.bytes && bytes > e.Size {
			n.unpick(e)
			break
		}
		picked = append(picked, e)
		owed -= own - q.owed()
		if q.credit--; q.credit == 0 {
			n.turn++
		}
	}
	return picked
}

// takeFrom takes the next entry of a queue that no gate holds, and counts
// it as running.
func (n *near) takeFrom(q *queue) *entry {
	for !q.shut() {
		s := q.next()
		if s == nil {
			return nil
		}
		e := s.head
		p, asked := n.worker(e)
		switch {
		case !asked:
			s.unasked = true
			s.refresh()
		case e.Crashes >= suspectCrashes && n.suspect != nil:
			n.lift(e)
			e.where = isSuspect
			n.suspects = append(n.suspects, e)
		case n.allow(s.target, e):
			n.lift(e)
			n.begin(e)
			if e.poll = p; p != nil {
				p.taken++
			}
			return e
		}
	}
	return nil
}

// suspectCrashes is from how many crashes on a task runs without another
// such task beside it on the node, so that the next crash tells which of
// them kills its process.
const suspectCrashes = 2

// watchFor is how long a suspect is alone among its like: one that has run so
// long holds the others up no more.
const watchFor = 30 * time.Second

// endWatch lets the next suspect run beside one that has run long enough.
func (n *near) endWatch() {
	if n.suspect != nil && n.now-n.watched >= watchFor.Microseconds() {
		n.suspect = nil
		n.freeSuspects()
	}
}

// begin counts an entry as running.
func (n *near) begin(e *entry) {
	if e.Crashes >= suspectCrashes {
		n.suspect, n.watched = e, n.now
	}
	n.occupy(e)
}

// occupy counts an entry as claimed.
func (n *near) occupy(e *entry) {
	e.where = isClaimed
	n.running++
	e.queue.running++
	e.stream.target.started()
}

// end counts an entry as not running any more.
func (n *near) end(e *entry) {
	e.where, e.poll, e.overdue = nowhere, nil, false
	n.running--
	e.queue.running--
	t := e.stream.target
	t.ended()
	if t.running == t.bound-1 {
		n.reopen(t, byLimit)
	}
	if n.suspect == e {
		n.suspect = nil
		n.freeSuspects()
	}
}

// unpick undoes the taking of an entry.
func (n *near) unpick(e *entry) {
	if e.poll != nil {
		e.poll.taken--
	}
	n.giveBack(e)
	n.end(e)
	n.schedule(e)
}
