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
		for _, log := range all[logRow](s, "log") {
			if log.claim <= r.claim || !slices.Contains(log.ids, id) {
				continue
			}
			s.note(fact{what: "asked", id: id, claim: log.claim})
			if w.mutant == "cancel beside the row" {
				s.put(key{"cancel", id, log.claim}, int64(1))
				return
			}
			r.cancel = log.claim
			s.put(k, r)
			return
		}
		s.put(k, nil)
		s.put(key{"ended", id, 0}, ended{r.claim, "canceled"})
		s.note(fact{what: "canceled", id: id})
	})
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
	if _, known := e.pending[id]; mark != 0 && (!known || e.claiming || e.holds(id)) {
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
		for _, log := range all[logRow](s, "log") {
			if r, ok := get[row](s, key{"task", id, 0}); ok && log.claim > r.claim && slices.Contains(log.ids, id) {
				return
			}
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
	e.batches++
	number := e.batches
	var got logRow
	a := e.call(turn, func(s *session) {
		got = logRow{}
		s.statement()
		r, ok := get[row](s, key{"task", id, 0})
		if !ok || r.mark == 0 {
			s.rollback()
		}
		s.lock(key{"lane", r.lane, 0})
		s.statement()
		self, _ := get[node](s, key{"node", e.id, 0})
		if r, ok = get[row](s, key{"task", id, 0}); !ok || r.mark == 0 || self.state != "alive" || r.key != 0 && !first(s, id, r) {
			s.rollback()
		}
		if _, runs := get[int64](s, key{"apart", r.lane, id}); runs {
			s.rollback()
		}
		got = logRow{lane: r.lane, batch: number, node: e.id, claim: max(s.now, r.claim+1, e.last[r.lane]+1), ids: []int64{id}, apart: true, key: r.key}
		s.log(got)
	})
	if !a.known {
		got = e.readBack(turn, 1+id%2, number)
	} else if !a.committed {
		return
	}
	e.handOut(got, false)
}
