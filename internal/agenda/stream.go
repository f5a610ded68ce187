package agenda

import (
	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/internal/heap"
	"github.com/outlast-dev/outlast/task"
)

// stream is the ready entries of one share key and one target in one queue, apart by the
// gates that they have, so that retries that must wait hold no first attempts up.
type stream struct {
	target *guard.Target
	crowd  *crowd
	share  *share
	ready  [guard.Sets]heap.Heap[*Entry]
	head   *Entry // starts next; nil if nothing may
	count  int    // entries in memory, wherever they are
	unread int    // of the ready ones, those of unknown deadline
	index  int    // in share.open
	seat   int    // in share.ring
	isOpen bool
	place  int   // in crowd.streams
	bed    int   // in crowd.asleep
	ticket int64 // since when it has slept without a start, by the crowd's numbers; 0 for not
}

func newStream(sh *share, c *crowd) *stream {
	s := &stream{target: c.target, crowd: c, share: sh, index: -1, bed: -1}
	for of := range s.ready {
		s.ready[of] = heap.New(byRank, placeOf)
	}
	c.add(s)
	return s
}

// next is the entry of the least rank that no gate is known to hold.
func (s *stream) next() (least *Entry) {
	open := &s.crowd.open
	if s.crowd.probes {
		return s.drawn(open)
	}
	for of := range s.ready {
		p := &s.ready[of]
		if p.Len() > 0 && open[of] && (least == nil || byRank(p.First()).Before(byRank(least))) {
			least = p.First()
		}
	}
	return least
}

// drawn is any of the entries that next chooses from. The one that tells
// whether the target is back must not always be the same: some tasks fail
// whatever the target does, and they are often those in front. First attempts and
// retries take turns, however many there are of each.
func (s *stream) drawn(open *[guard.Sets]bool) *Entry {
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
	at := int(s.crowd.queue.draw() * float64(counts[turn]))
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
	of := e.call.Gates
	s.ready[of].Push(e)
	s.crowd.due[of]++
	s.share.ready++
	if !e.read {
		s.unread++
	}
	s.crowd.ask(s)
}

func (s *stream) remove(e *Entry) {
	of := e.call.Gates
	s.ready[of].Remove(e)
	s.crowd.due[of]--
	if s.share.ready--; s.share.ready == 0 {
		s.share.waited = false
	}
	if !e.read {
		s.unread--
	}
	s.crowd.ask(s)
}

// refresh opens, closes or moves the stream after a change, in both orders of its share.
func (s *stream) refresh() {
	if s.head = s.next(); s.head == nil {
		s.rise()
		s.ticket = 0
	}
	sh := s.share
	open := s.head != nil && s.bed < 0
	switch {
	case open && s.isOpen:
		sh.open.Fix(s)
	case open:
		sh.open.Push(s)
		s.seat = len(sh.ring)
		sh.ring = append(sh.ring, s)
	case s.isOpen:
		sh.open.Remove(s)
		last := len(sh.ring) - 1
		sh.ring[s.seat] = sh.ring[last]
		sh.ring[s.seat].seat = s.seat
		sh.ring[last] = nil
		sh.ring = sh.ring[:last]
	}
	s.isOpen = open
	sh.refresh()
}

// sleep takes a stream whose target rests out of the orders of its share.
func (s *stream) sleep() {
	if s.ticket == 0 {
		s.crowd.tickets++
		s.ticket = s.crowd.tickets
	}
	s.crowd.asleep.Push(s)
	s.crowd.queue.asleep++
	s.refresh()
}

// rise takes a stream out of those that sleep.
func (s *stream) rise() {
	if s.bed >= 0 {
		s.crowd.asleep.Remove(s)
		s.crowd.queue.asleep--
	}
}

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

// crowd is the entries of one target in one queue, a stream for each share key. It is what
// the guards of the target know of the queue.
//
// A target that is at its limit rests and goes on with each attempt, and may have thousands
// of streams. They are not all closed and opened then: those that are met while it rests
// sleep, and are woken one by one, as the target starts what was woken before.
type crowd struct {
	queue   *Queue
	target  *guard.Target
	streams []*stream
	due     [guard.Sets]int
	count   int  // entries in memory, wherever they are
	retries int  // those of them that have failed before
	unasked bool // only remote workers can start its entries, and none waits for one

	open    [guard.Sets]bool // what may start, as the target was asked last, but for a rest
	probes  bool
	rests   bool               // where there are several streams: nothing may start
	asleep  heap.Heap[*stream] // by ticket
	tickets int64
}

func newCrowd(q *Queue) *crowd {
	return &crowd{queue: q, asleep: heap.New(func(s *stream) heap.Rank { return heap.Rank{First: s.ticket} }, func(s *stream) *int { return &s.bed })}
}

func (c *crowd) add(s *stream) {
	s.place = len(c.streams)
	c.streams = append(c.streams, s)
}

// drop takes out a stream that is empty, and reports whether it was the last one.
func (c *crowd) drop(s *stream) (last bool) {
	s.rise()
	end := len(c.streams) - 1
	c.streams[s.place] = c.streams[end]
	c.streams[s.place].place = s.place
	c.streams[end] = nil
	if c.streams = c.streams[:end]; end == 1 {
		c.Refresh() // there is nobody left to wake it
	}
	return end == 0
}

// Due is how many ready entries have those gates.
func (c *crowd) Due(of guard.Gates) int { return c.due[of] }

// Held reports whether the queue itself lets nothing start.
func (c *crowd) Held() bool { return c.queue.shut() }

// Refresh follows the gates of the target.
func (c *crowd) Refresh() { c.ask(nil) }

// ask asks the target what may start, after a change of a stream, or of its gates where
// that is nil.
func (c *crowd) ask(changed *stream) {
	open, probes := c.target.Startable()
	if c.unasked {
		open, probes = [guard.Sets]bool{}, false
	}
	switch shut := open == [guard.Sets]bool{}; {
	case len(c.streams) > 1 && shut:
		c.rests = true
	case len(c.streams) > 1 && open == c.open && probes == c.probes && (!probes || changed != nil):
		c.rests = false
		c.wake()
	default:
		c.open, c.probes, c.rests = open, probes, false
		for _, s := range c.streams {
			s.rise()
			s.refresh()
		}
		return
	}
	if changed != nil {
		changed.refresh()
	}
}

// wake wakes streams that sleep until there is one of which something may start.
func (c *crowd) wake() {
	for c.asleep.Len() > 0 {
		s := c.asleep.First()
		s.rise()
		if s.refresh(); s.isOpen && s.share.isOpen {
			return
		}
	}
}

// each yields the ready entries, in no order.
func (c *crowd) each(yield func(*Entry) bool) {
	for _, s := range c.streams {
		for e := range s.each {
			if !yield(e) {
				return
			}
		}
	}
}

// front lists up to so many entries without an ordering key of those that are ready.
func (c *crowd) front(most int) (out []*Entry) {
	for e := range c.each {
		if len(out) == most {
			break
		}
		if e.sequence == nil {
			out = append(out, e)
		}
	}
	return out
}
