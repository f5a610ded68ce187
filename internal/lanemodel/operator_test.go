package lanemodel

import "slices"

// operate does a transaction on behalf of nobody's node, and does not care for the answer.
func (w *world) operate(body func(s *session)) {
	w.begin(nil, nil, func(turn func(func() bool)) { w.call(turn, body) })
}

// enqueue inserts a task.
func (w *world) enqueue(l, of, id int64) {
	w.operate(func(s *session) {
		s.statement()
		if _, was := get[ended](s, key{"ended", id, 0}); was {
			return
		}
		if s.insert(key{"task", id, 0}, row{lane: l, key: of, seq: id, claim: s.now}) {
			s.note(fact{what: "enqueued", id: id})
		}
	})
}

// cancel ends a pending task, and asks for the end of a running one. It waits for no row
// while it holds a lane.
func (w *world) cancel(id int64) {
	w.operate(func(s *session) {
		s.statement()
		k := key{"task", id, 0}
		r, there := get[row](s, k)
		if !there {
			return
		}
		s.lock(key{"lane", r.lane, 0})
		if !s.try(k) {
			s.rollback()
		}
		if w.mutant != "lock and look in one statement" {
			s.statement()
		}
		if r, there = current(s, k, func(row) bool { return true }); !there {
			return
		}
		if claim := s.claimOf(id, r); claim != 0 {
			s.note(fact{what: "asked", id: id, claim: claim})
			if w.mutant == "cancel beside the row" {
				s.put(key{"cancel", id, claim}, int64(1))
				return
			}
			r.cancel = claim
			s.put(k, r)
			return
		}
		s.put(k, nil)
		s.put(key{"ended", id, 0}, ended{r.claim, "canceled"})
		s.note(fact{what: "canceled", id: id})
	})
}

// claimOf is the claim under which a row runs, 0 for none.
func (s *session) claimOf(id int64, r row) int64 {
	if run, runs := get[runRow](s, key{"run", r.lane, id}); runs {
		return run.claim
	}
	for _, log := range all[logRow](s, "log") {
		if log.claim > r.claim && slices.Contains(log.ids, id) {
			return log.claim
		}
	}
	return 0
}

// again deletes what is kept of a dead task, or sends it back.
func (w *world) again(id int64, back bool) {
	w.operate(func(s *session) {
		s.statement()
		k := key{"ended", id, 0}
		letter, ok := locked(s, k, func(d ended) bool { return d.outcome == "died" })
		if !ok {
			return
		}
		s.put(k, nil)
		if back && s.insert(key{"task", id, 0}, row{lane: 1 + id%2, seq: id, claim: letter.claim}) {
			s.note(fact{what: "back", id: id})
		}
	})
}

// mark puts a row aside for others, or takes it back. The owner does it, under the
// lane's lock, and not to a member of a living claim.
func (e *engine) mark(turn func(func() bool), l, id, mark int64) {
	epoch, changed := e.lanes[l], false
	if _, known := e.pending[id]; mark != 0 && (!known || e.claiming || e.runs(id)) {
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
		if r, ok := get[row](s, key{"task", id, 0}); ok && s.claimOf(id, r) != 0 {
			return
		}
		r, ok := locked(s, key{"task", id, 0}, func(r row) bool { return r.mark != mark })
		if !ok {
			return
		}
		r.mark = mark
		s.put(key{"task", id, 0}, r)
		changed = true
	})
	if mark == 0 && a.known && a.committed && changed && e.lanes[l] == epoch {
		e.pending[id] = l
	}
}

// borrow claims a marked row of a lane that another node owns.
func (e *engine) borrow(turn func(func() bool), id int64) {
	if e.claiming {
		return
	}
	e.claiming = true
	defer func() { e.claiming = false }()
	e.batches++
	c := &claiming{lane: 1 + id%lanes, batch: e.batches}
	answer := new(claimed)
	a := e.call(turn, func(s *session) {
		s.statement()
		s.lock(key{"lane", c.lane, 0})
		s.statement()
		self, _ := get[node](s, key{"node", e.id, 0})
		r, ok := get[row](s, key{"task", id, 0})
		if !ok || r.mark == 0 || self.state != "alive" || r.key != 0 && !first(s, id, r) || s.claimOf(id, r) != 0 {
			s.rollback()
		}
		answer.run = runRow{lane: c.lane, id: id, node: e.id, claim: max(s.now, r.claim+1, e.last[c.lane]+1), key: r.key, batch: c.batch}
		s.start(answer.run)
	})
	got := *answer
	if !a.known {
		got = e.readBack(turn, c)
	} else if !a.committed {
		return
	}
	e.handOut(c, got)
}
