package agenda

import (
	"time"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
)

// starts chooses what starts, and counts what runs.
type starts struct {
	timeline *timeline
	queues   *queues
	pass     *Pass // nil for a node that goes on
	takes    func(queue, capability string) (to Taker, ok bool)
	running  int
}

// quantum is how many entries a queue of weight 1 gives in one turn.
const quantum = 16

// BatchLimit is what bounds one batch.
type BatchLimit struct {
	Slots int // free slots
	Rows  int // rows
	Bytes int // payload bytes, for all tasks in flight
}

// Running is how many entries are claimed or run.
func (s *starts) Running() int { return s.running }

// Choose takes entries to claim out of the ready structure, in the order in
// which they should start: deficit round robin over queues by weight; see
// [Queue] inside one, and slots that are kept for queues left to them, see keep. Gates,
// in this order: the queue is paused, the ordering key (only heads are ever ready), the
// limits of the queue and of the share key, a taker where this node itself cannot start the type, the crash budget,
// the target's breaker, budget and limits, a free slot. Before all of them go those
// whose deadline has passed, see expired.
func (s *starts) Choose(r BatchLimit) []*Entry {
	qs := s.queues
	want := min(r.Slots, r.Rows)
	picked, bytes := s.expired(want, r.Bytes)
	owed := qs.keep()
	for idle := 0; len(picked) < want && idle < len(qs.order); {
		q := qs.order[qs.turn%len(qs.order)]
		if q.credit <= 0 {
			q.credit = q.Weight * quantum
		}
		var e *Entry
		own := q.owed()
		q.tighten(r.Slots - len(picked))
		if qs.mayStart(q, r.Slots-len(picked), owed) && s.pass.admits(q) {
			e = s.takeFrom(q)
		}
		if e == nil {
			q.credit = 0
			qs.turn++
			idle++
			continue
		}
		idle = 0
		if bytes += e.Size; bytes > r.Bytes && bytes > e.Size {
			s.unpick(e)
			break
		}
		picked = append(picked, e)
		owed -= own - q.owed()
		if q.credit--; q.credit == 0 {
			qs.turn++
		}
	}
	return picked
}

// expired takes entries whose deadline has passed, past all gates but that of a paused
// queue: they end without having started, and nothing is called. They have no grant.
func (s *starts) expired(most, bytes int) (picked []*Entry, size int) {
	for len(picked) < most {
		e := s.timeline.overdue()
		if e == nil {
			break
		}
		if e.queue.Paused || !s.pass.admits(e.queue) {
			s.timeline.deadlines.Remove(e) // it ends when the queue goes on
			continue
		}
		if size += e.Size; size > bytes && size > e.Size {
			return picked, size - e.Size
		}
		s.occupy(e)
		e.Overdue = true
		picked = append(picked, e)
	}
	return picked, size
}

// takeFrom takes the next entry of a queue that no gate holds, and counts
// it as running.
func (s *starts) takeFrom(q *Queue) *Entry {
	for !q.shut() {
		next := q.next()
		if next == nil {
			return nil
		}
		if next.crowd.rests {
			next.sleep()
			continue
		}
		e := next.head
		to, asked := s.takes(q.name, Capability(&e.Entry))
		poison := e.Crashes >= isolateFrom
		switch {
		case !asked:
			next.crowd.unasked = true
			next.crowd.Refresh()
		case poison && s.timeline.poison.alone != nil:
			s.timeline.isolate(e)
		case next.target.Allow(&e.call):
			if poison {
				s.timeline.poison.alone, s.timeline.poison.since = e, s.timeline.clock.Micros
			}
			s.occupy(e)
			next.share.started()
			if e.Taker = to; to != nil {
				to.Give(1)
			}
			return e
		}
	}
	return nil
}

// occupy takes an entry out of its stream and counts it as claimed.
func (s *starts) occupy(e *Entry) {
	s.timeline.lift(e)
	e.where = isClaimed
	s.running++
	if s.pass != nil {
		s.pass.took(e.queue, s.timeline.clock.Micros)
	}
	e.queue.running++
	e.stream.ticket = 0
	e.stream.target.Started()
	e.stream.share.runs(1)
}

// vacate counts an entry as not running any more. It is in no structure afterwards.
func (s *starts) vacate(e *Entry) {
	e.where, e.Overdue, e.Taker = nowhere, false, nil
	s.running--
	e.queue.running--
	e.stream.target.Ended()
	e.stream.share.runs(-1)
	if s.timeline.poison.alone == e {
		s.timeline.endIsolation()
	}
}

// Conclude tells the guards of an entry's target how its attempt has ended.
func (s *starts) Conclude(e *Entry, f guard.Feedback) {
	e.Taker = nil
	e.stream.target.Conclude(&e.call, f)
}

// End counts an entry whose attempt has been settled as not running any more. It is in
// no structure afterwards.
func (s *starts) End(e *Entry, deadline time.Time) {
	if e.lane != nil && e.Key != "" {
		e.lane.released(e.Key)
	}
	s.vacate(e)
	if s.pass != nil {
		s.pass.moved = s.timeline.clock.Micros
	}
	e.readDeadline(deadline)
}

// NotStarted undoes the choice of an entry of which the store has refused the claim. It is
// in no structure afterwards.
func (s *starts) NotStarted(e *Entry) {
	e.stream.target.GiveBack(&e.call)
	s.pass.gaveBack(e.queue)
	if !e.Overdue {
		e.stream.share.gaveBack()
	}
	s.vacate(e)
}

// unpick undoes the taking of an entry.
func (s *starts) unpick(e *Entry) {
	if e.Taker != nil {
		e.Taker.Give(-1)
	}
	s.NotStarted(e)
	e.stream.share.turn-- // it is still the one whose turn it is
	s.timeline.schedule(e)
}
