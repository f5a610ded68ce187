package engine

// stream is the ready entries of one target in one queue, apart by the gates
// that they have, so that retries that must wait hold no first attempts up.
type stream struct {
	target  *target
	queue   *queue
	ready   [kinds]pile[*entry]
	head    *entry // starts next; nil if nothing may
	count   int    // entries in memory, wherever they are
	retries int    // those of them that have failed before
	unread  int    // of the ready ones, those of unknown deadline
	index   int    // in queue.open
	seat    int    // in queue.ring
	isOpen  bool
	unasked bool // only remote workers can start its entries, and none waits for one
	near    *near
}

func (s *stream) place() *int { return &s.index }

func newStream(t *target, q *queue, n *near) *stream {
	s := &stream{target: t, queue: q, near: n, index: -1}
	for i := range s.ready {
		s.ready[i].rank = byRank
	}
	return s
}

func byRank(e *entry) rank { return rank{e.Rank, e.Seq} }

// next is the entry of the least rank that no gate is known to hold.
func (s *stream) next() (least *entry) {
	if s.unasked || s.target.full() {
		return nil
	}
	if s.target.guard.probes() {
		return s.drawn()
	}
	var front rank
	yields := s.target.yields(s.near.clock)
	if yields != neither {
		s.near.yielding[s.target] = true
	}
	for of := range s.ready {
		p := &s.ready[of]
		if p.len() > 0 && s.target.shut&gates(of) == 0 && kindOf(gates(of)) != yields && (least == nil || p.items[0].before(front)) {
			least, front = p.first(), p.items[0].rank
		}
	}
	return least
}

// drawn is any of the entries that next chooses from. The one that tells
// whether the target is back must not always be the same: some tasks fail
// whatever the target does, and they are often those in front. First attempts and
// retries take turns, however many there are of each, see [fares].
func (s *stream) drawn() *entry {
	var counts [2]int
	for of := range s.ready {
		if s.target.shut&gates(of) == 0 {
			counts[kindOf(gates(of))] += s.ready[of].len()
		}
	}
	turn := s.target.guard.fares.probed.other()
	if counts[turn] == 0 {
		turn = turn.other()
	}
	at := int(s.near.draw() * float64(counts[turn]))
	for of := range s.ready {
		if p := &s.ready[of]; s.target.shut&gates(of) == 0 && kindOf(gates(of)) == turn {
			if at < p.len() {
				return p.items[at].item
			}
			at -= p.len()
		}
	}
	return nil
}

func (s *stream) push(e *entry) {
	s.ready[e.gates].push(e)
	if !e.read {
		s.unread++
	}
	s.refresh()
}

func (s *stream) remove(e *entry) {
	s.ready[e.gates].remove(e)
	if !e.read {
		s.unread--
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
