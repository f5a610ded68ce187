package lanemodel

import "slices"

// operate does a transaction on behalf of nobody's node, and does not care for the answer.
func (w *world) operate(body func(s *session)) {
	w.begin(nil, nil, func(turn func(func() bool)) { w.call(turn, body) })
}

// enqueue inserts a task, perhaps in a transaction that began long ago.
func (w *world) enqueue(l, of, id int64) {
	w.operate(func(s *session) {
		s.statement()
		if of == 0 && w.random.IntN(4) == 0 {
			for range w.random.IntN(40) {
				s.turn(nil)
			}
			s.statement()
		}
		if _, was := get[ended](s, key{"ended", id, 0}); was {
			return
		}
		if s.insert(key{"task", id, 0}, row{lane: l, key: of, seq: id, created: s.began}) {
			if _, was := current(s, key{"ended", id, 0}, func(ended) bool { return true }); was {
				s.rollback()
			}
			s.note(fact{what: "enqueued", id: id})
		}
	})
}

// cancel ends a pending task, and asks for the end of a running one.
func (w *world) cancel(id int64) {
	w.operate(func(s *session) {
		s.statement()
		k := key{"task", id, 0}
		r, there := get[row](s, k)
		if !there {
			return
		}
		s.lock(key{"lane", r.lane, 0})
		if !w.mutant["lock and look in one statement"] {
			s.statement()
		}
		if r, there = get[row](s, k); !there {
			return
		}
		claim := s.claimOf(id, r)
		if claim == 0 {
			s.cancelPending(id, r)
			return
		}
		if w.mutant["cancel without setting apart"] {
			s.note(fact{what: "asked", id: id, claim: claim})
			return
		}
		s.setApart(r.lane, id, claim, true)
		run, ok := locked(s, key{"run", r.lane, id}, func(r runRow) bool { return r.claim == claim })
		if !ok {
			s.rollback() // it has ended meanwhile, and is looked at again
		}
		run.cancel = true
		s.put(key{"run", r.lane, id}, run)
		s.note(fact{what: "asked", id: id, claim: claim})
	})
}

func (s *session) cancelPending(id int64, was row) {
	k := key{"task", id, 0}
	r, ok := locked(s, k, func(r row) bool { return r == was })
	if !ok {
		s.rollback()
	}
	s.put(k, nil)
	s.change(r.lane)
	s.put(key{"ended", id, 0}, ended{r.claim, "canceled", s.now})
	s.note(fact{what: "canceled", id: id})
}

// claimOf is the claim under which a row runs, 0 for none.
func (s *session) claimOf(id int64, r row) int64 {
	if run, runs := get[runRow](s, key{"run", r.lane, id}); runs {
		return run.claim
	}
	for _, log := range all[logRow](s, "log") {
		if log.lane == r.lane && log.claim > s.past(r) && slices.Contains(log.ids, id) {
			return log.claim
		}
	}
	return 0
}

// redrive sends a dead task back, under the number that it had.
func (w *world) redrive(id int64) {
	w.operate(func(s *session) {
		s.statement()
		k := key{"ended", id, 0}
		letter, ok := locked(s, k, func(d ended) bool { return d.outcome == "died" })
		if !ok {
			return
		}
		s.put(k, nil)
		if s.insert(key{"task", id, 0}, row{lane: 1 + id%2, seq: id, claim: letter.claim}) {
			s.note(fact{what: "back", id: id})
		}
	})
}

// expire deletes what is kept of a task that ended long ago.
func (w *world) expire(id int64) {
	w.operate(func(s *session) {
		s.statement()
		k := key{"ended", id, 0}
		if _, ok := locked(s, k, func(d ended) bool { return d.at < s.now-500 }); ok {
			s.put(k, nil)
		}
	})
}

// purge deletes what is kept of a dead task. Its id may come again at once.
func (w *world) purge(id int64) {
	w.operate(func(s *session) {
		s.statement()
		k := key{"ended", id, 0}
		if _, ok := locked(s, k, func(d ended) bool { return d.outcome == "died" }); ok {
			s.put(k, nil)
		}
	})
}

// mark puts a row aside for others, or takes it back. The owner does it, under the
// lane's lock, and not to a member of a living claim.
func (e *engine) mark(turn func(func() bool), l, id, mark int64) {
	epoch, changed := e.lanes[l], false
	if _, known := e.pending[id]; mark != 0 && (!known || slices.Contains(e.claiming, id) || e.runs(id)) {
		return
	}
	if mark != 0 {
		delete(e.pending, id)
	}
	a := e.call(turn, func(s *session) {
		changed = false
		s.statement()
		s.lock(key{"lane", l, 0})
		s.statement()
		owned, _ := current(s, key{"lane", l, 0}, func(lane) bool { return true })
		if owned.owner != e.id || owned.epoch != epoch {
			s.rollback()
		}
		was, ok := get[row](s, key{"task", id, 0})
		if !ok || was.lane != l || s.claimOf(id, was) != 0 && !e.mutant["mark of a member"] {
			return
		}
		r, ok := locked(s, key{"task", id, 0}, func(r row) bool { return r.mark != mark })
		if !ok {
			return
		}
		r.mark = mark
		s.put(key{"task", id, 0}, r)
		s.change(l)
		changed = true
	})
	if mark == 0 && a.known && a.committed && changed && e.lanes[l] == epoch {
		e.pending[id] = l
	}
}

// borrow claims a marked row of a lane that another node owns. No log row has it as a
// living member, since a mark leaves members alone.
func (e *engine) borrow(turn func(func() bool), id int64) {
	if len(e.claiming) > 0 || e.runs(id) {
		return
	}
	e.claiming = []int64{id}
	defer func() {
		e.meet(id)
		e.claiming = nil
	}()
	delete(e.known.rows, id)
	l, last := 1+id%lanes, e.last
	answer := new(claimed)
	a := e.call(turn, func(s *session) {
		s.statement()
		s.lock(key{"lane", l, 0})
		s.statement()
		self, _ := get[node](s, key{"node", e.id, 0})
		r, ok := get[row](s, key{"task", id, 0})
		_, runs := get[runRow](s, key{"run", l, id})
		if !ok || r.mark == 0 || self.state != "alive" || r.key != 0 && !first(s, id, r) || runs {
			s.rollback()
		}
		run := runRow{lane: l, id: id, node: e.id, claim: max(s.began, s.past(r)+1, last+1), key: r.key}
		answer.runs = append(answer.runs, run)
		s.start(run)
	})
	switch got := *answer; {
	case !a.known:
		e.handOut(e.readBack(turn, []int64{id}))
	case a.committed:
		e.handOut(got)
	}
}
