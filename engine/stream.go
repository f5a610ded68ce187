package engine

// stream is the ready entries of one target in one queue, apart by the gates
// that they have, so that retries that must wait hold no first attempts up.
type stream struct {
	target  *target
	queue   *queue
	ready   [kinds]pile[*entry]
	inLane  map[*lane][kinds]int32 // ready entries by lane
	head    *entry                 // starts next; nil if nothing may
	count   int                    // entries in memory, wherever they are
	retries int                    // those of them that have failed before
	index   int                    // in queue.open
	seat    int                    // in queue.ring
	isOpen  bool
	draw    func() float64
}

func (s *stream) place() *int { return &s.index }

func newStream(t *target, q *queue, draw func() float64) *stream {
	s := &stream{target: t, queue: q, draw: draw, inLane: map[*lane][kinds]int32{}, index: -1}
	for i := range s.ready {
		s.ready[i].less = byRank
	}
	return s
}

func byRank(a, b *entry) bool {
	if a.Rank != b.Rank {
		return a.Rank < b.Rank
	}
	return a.Seq < b.Seq
}

// next is the entry of the least rank that no gate is known to hold.
func (s *stream) next() (least *entry) {
	if s.target.full() {
		return nil
	}
	if s.target.guard.probes() {
		return s.drawn()
	}
	for of := range s.ready {
		if p := &s.ready[of]; p.len() > 0 && s.target.shut&gates(of) == 0 && (least == nil || byRank(p.first(), least)) {
			least = p.first()
		}
	}
	return least
}

// drawn is any of the entries that next chooses from. The one that tells
// whether the target is back must not always be the same: some tasks fail
// whatever the target does, and they are often those in front.
func (s *stream) drawn() *entry {
	count := 0
	for of := range s.ready {
		if s.target.shut&gates(of) == 0 {
			count += s.ready[of].len()
		}
	}
	at := int(s.draw() * float64(count))
	for of := range s.ready {
		if p := &s.ready[of]; s.target.shut&gates(of) == 0 {
			if at < p.len() {
				return p.items[at]
			}
			at -= p.len()
		}
	}
	return nil
}

func (s *stream) push(e *entry) {
	s.ready[e.gates].push(e)
	counts := s.inLane[e.lane]
	counts[e.gates]++
	s.inLane[e.lane] = counts
	s.refresh()
}

func (s *stream) remove(e *entry) {
	s.ready[e.gates].remove(e)
	counts := s.inLane[e.lane]
	counts[e.gates]--
	if s.inLane[e.lane] = counts; counts == [kinds]int32{} {
		delete(s.inLane, e.lane)
	}
	s.refresh()
}

// refresh opens, closes or moves the stream after a change.
func (s *stream) refresh() {
	s.head = s.next()
	q := s.queue
	switch {
	case s.head != nil && s.isOpen:
		q.open.fix(s)
	case s.head != nil:
		q.open.push(s)
		s.seat = len(q.ring)
		q.ring = append(q.ring, s)
	case s.isOpen:
		q.close(s)
	}
	s.isOpen = s.head != nil
}

// held counts the ready entries that gates hold.
func (s *stream) held(shut gates) (count int) {
	for of := range s.ready {
		if shut.hold(gates(of)) {
			count += s.ready[of].len()
		}
	}
	return count
}
