package agenda

import (
	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/heap"
	"github.com/outlast-dev/outlast/task"
)

// stream is the ready entries of one target in one queue, apart by the gates
// that they have, so that retries that must wait hold no first attempts up.
type stream struct {
	target  *guard.Target
	queue   *Queue
	ready   [guard.Sets]heap.Heap[*Entry]
	head    *Entry // starts next; nil if nothing may
	count   int    // entries in memory, wherever they are
	retries int    // those of them that have failed before
	unread  int    // of the ready ones, those of unknown deadline
	index   int    // in queue.open
	seat    int    // in queue.ring
	isOpen  bool
	unasked bool // only remote workers can start its entries, and none waits for one
}

// next is the entry of the least rank that no gate is known to hold.
func (s *stream) next() (least *Entry) {
	if s.unasked {
		return nil
	}
	open, probes := s.target.Startable()
	if probes {
		return s.drawn(open)
	}
	var front heap.Rank
	for of := range s.ready {
		p := &s.ready[of]
		if p.Len() > 0 && open[of] && (least == nil || p.FirstRank().Before(front)) {
			least, front = p.First(), p.FirstRank()
		}
	}
	return least
}

// drawn is any of the entries that next chooses from. The one that tells
// whether the target is back must not always be the same: some tasks fail
// whatever the target does, and they are often those in front. First attempts and
// retries take turns, however many there are of each.
func (s *stream) drawn(open [guard.Sets]bool) *Entry {
	var counts [2]int
	for of := range s.ready {
		if open[of] {
			counts[guard.Gates(of).Kind()] += s.ready[of].Len()
		}
	}
	turn := s.target.NextProbe()
	if counts[turn] == 0 {
		turn = turn.Other()
	}
	at := int(s.queue.draw() * float64(counts[turn]))
	for of := range s.ready {
		if p := &s.ready[of]; open[of] && guard.Gates(of).Kind() == turn {
			if at < p.Len() {
				return p.At(at)
			}
			at -= p.Len()
		}
	}
	return nil
}

func (s *stream) push(e *Entry) {
	s.ready[e.call.Gates].Push(e)
	if !e.read {
		s.unread++
	}
	s.Refresh()
}

func (s *stream) remove(e *Entry) {
	s.ready[e.call.Gates].Remove(e)
	if !e.read {
		s.unread--
	}
	s.Refresh()
}

// Refresh opens, closes or moves the stream after a change.
func (s *stream) Refresh() {
	s.head = s.next()
	q := s.queue
	switch {
	case s.head != nil && s.isOpen:
		q.open.Fix(s)
	case s.head != nil:
		q.open.Push(s)
		s.seat = len(q.ring)
		q.ring = append(q.ring, s)
	case s.isOpen:
		q.close(s)
	}
	s.isOpen = s.head != nil
}

// Due is how many ready entries have those gates.
func (s *stream) Due(of guard.Gates) int { return s.ready[of].Len() }

// Held reports whether the queue itself lets nothing start.
func (s *stream) Held() bool { return s.queue.shut() }

// each yields the ready entries, in no order.
func (s *stream) each(yield func(*Entry) bool) {
	for of := range s.ready {
		for i := range s.ready[of].Len() {
			if !yield(s.ready[of].At(i)) {
				return
			}
		}
	}
}

// addUnread adds those of unknown deadline. The last to come are mostly at the ends.
func (s *stream) addUnread(ids []task.ID, most int) []task.ID {
	left := s.unread
	for of := range s.ready {
		p := &s.ready[of]
		for i := p.Len() - 1; i >= 0 && left > 0 && len(ids) < most; i-- {
			if e := p.At(i); !e.read {
				ids = append(ids, e.ID)
				left--
			}
		}
	}
	return ids
}

// front lists up to so many entries without an ordering key of those that are ready.
func (s *stream) front(most int) (out []*Entry) {
	for e := range s.each {
		if len(out) == most {
			break
		}
		if e.sequence == nil {
			out = append(out, e)
		}
	}
	return out
}
