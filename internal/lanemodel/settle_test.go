package lanemodel

import "slices"

// finish ends one of the attempts that go on, with those of its batch, or by itself in a
// transaction of the caller's.
func (e *engine) finish(turn func(func() bool), inside bool) {
	free := slices.DeleteFunc(slices.Clone(e.attempts), func(a attempt) bool { return a.settling })
	if len(free) == 0 {
		return
	}
	a := free[e.random.IntN(len(free))]
	if inside && !a.leased {
		e.settleInside(turn, a)
		return
	}
	ending := slices.DeleteFunc(free, func(b attempt) bool { return b.claim != a.claim || b.lane != a.lane })
	e.settle(turn, ending, []string{"succeeded", "failed", "failed", "died", "released"}[e.random.IntN(5)])
}

// settle ends attempts of one lane, and repeats that until the answer is known. Nobody
// but the process itself ends it, whoever has taken over meanwhile.
func (e *engine) settle(turn func(func() bool), ending []attempt, outcome string) {
	for i := range e.attempts {
		if slices.ContainsFunc(ending, func(a attempt) bool { return a.id == e.attempts[i].id && a.claim == e.attempts[i].claim }) {
			e.attempts[i].settling = true
		}
	}
	for {
		again := map[int64]bool{}
		a := e.call(turn, func(s *session) {
			clear(again)
			s.statement()
			var left []attempt
			for _, one := range ending {
				if !e.fast(s, one, outcome) {
					left = append(left, one)
				} else if outcome == "failed" || outcome == "released" {
					again[one.id] = true
				}
			}
			for _, one := range left {
				again[one.id] = e.careful(s, one, outcome)
			}
		})
		if !a.known || !a.committed {
			continue
		}
		for _, one := range ending {
			e.attempts = slices.DeleteFunc(e.attempts, func(a attempt) bool { return a.id == one.id && a.claim == one.claim })
			e.resolved(one)
			if again[one.id] && e.lanes[one.lane] != 0 {
				e.pending[one.id] = one.lane
			}
		}
		return
	}
}

// fast is the settlement in one statement: the row by its claim, the log row as proof.
func (e *engine) fast(s *session, a attempt, outcome string) bool {
	number, logged := get[int64](s, key{"number", a.lane, a.claim})
	log, _ := get[logRow](s, key{"log", a.lane, number})
	logged = logged && (a.leased || log.node == e.id)
	if a.apart {
		logged = logged && slices.Contains(log.ids, a.id)
	}
	if e.mutant == "no log row in the fence" {
		logged = true
	}
	if !logged {
		return false
	}
	r, ok := locked(s, key{"task", a.id, 0}, func(r row) bool {
		if e.mutant == "cancel beside the row" {
			_, canceled := get[int64](s, key{"cancel", a.id, a.claim})
			return r.claim < a.claim && (outcome == "succeeded" || !canceled)
		}
		fenced := r.claim < a.claim || e.mutant == "claim not compared"
		return fenced && (outcome == "succeeded" || r.cancel == 0)
	})
	if !ok {
		return false
	}
	s.end(a, r, outcome)
	if a.apart {
		s.unlog(log)
	}
	return true
}

// end writes how an attempt ended.
func (s *session) end(a attempt, r row, outcome string) {
	k := key{"task", a.id, 0}
	s.note(fact{what: "resolved", id: a.id, claim: a.claim, outcome: outcome})
	switch outcome {
	case "failed":
		s.put(key{"attempt", a.id, a.claim}, outcome)
		r.claim, r.attempts, r.mark = a.claim, r.attempts+1, 0
		s.put(k, r)
	case "released":
		r.claim, r.mark = a.claim, 0
		s.put(k, r)
	default:
		s.put(k, nil)
		s.put(key{"ended", a.id, 0}, ended{a.claim, outcome})
	}
}

// careful does what the fast statement left, a row at a time, and answers whether the
// row is pending afterwards.
func (e *engine) careful(s *session, a attempt, outcome string) (pending bool) {
	k := key{"task", a.id, 0}
	s.statement()
	if _, there := get[row](s, k); there {
		s.lock(k)
		s.statement()
	}
	r, there := get[row](s, k)
	if !there || r.claim >= a.claim {
		return there // recorded before, or stale
	}
	number, logged := get[int64](s, key{"number", a.lane, a.claim})
	log, _ := get[logRow](s, key{"log", a.lane, number})
	if !logged || !slices.Contains(log.ids, a.id) || !a.leased && log.node != e.id {
		return true // stale: nobody knows of this claim
	}
	canceled := r.cancel != 0
	if e.mutant == "cancel beside the row" {
		_, canceled = get[int64](s, key{"cancel", a.id, a.claim})
	}
	if canceled && outcome != "succeeded" {
		outcome = "canceled"
	}
	s.end(a, r, outcome)
	if a.apart {
		s.unlog(log)
	}
	return outcome == "failed" || outcome == "released"
}

// settleInside ends an attempt in a transaction of the caller's, which may stay open for
// long. It has its own row locked alone.
func (e *engine) settleInside(turn func(func() bool), a attempt) {
	i := slices.Index(e.attempts, a)
	e.attempts[i].settling = true
	done := false
	answer := e.call(turn, func(s *session) {
		s.statement()
		done = e.fast(s, a, "succeeded")
		for range e.random.IntN(15) {
			s.turn(nil)
		}
		if e.random.IntN(3) == 0 {
			s.rollback()
		}
	})
	if answer.known && answer.committed && done {
		e.attempts = slices.DeleteFunc(e.attempts, func(x attempt) bool { return x.id == a.id && x.claim == a.claim })
		e.resolved(a)
		return
	}
	e.settle(turn, []attempt{a}, "failed") // answered as recorded if it was
}

// trim ends a claim's log row when all of it is resolved, or takes out what is. What
// memory has as resolved may not be any more: a standby that has taken over may lack it.
// Nobody works on that, so it is released.
func (e *engine) trim(turn func(func() bool), l, claim int64) {
	b := e.living[l][claim]
	if b == nil {
		return
	}
	var left []int64
	for id, still := range b.left {
		if still {
			left = append(left, id)
		}
	}
	slices.Sort(left)
	again := map[int64]bool{}
	a := e.call(turn, func(s *session) {
		clear(again)
		s.statement()
		log, ok := get[logRow](s, key{"log", l, b.number})
		switch {
		case !ok || log.apart:
		case e.mutant == "log row deleted early":
			s.lock(key{"log", l, b.number})
			s.unlog(log)
		case len(left) == 0:
			e.recovered(s, log, "left", again)
		default:
			e.shrink(s, log, left)
		}
	})
	if a.known && a.committed && len(left) == 0 {
		delete(e.living[l], claim)
		e.again(l, again)
	}
}

// shrink takes what is resolved out of a log row.
func (e *engine) shrink(s *session, log logRow, left []int64) {
	k := key{"log", log.lane, log.batch}
	if !s.try(k) {
		return
	}
	log, ok := current(s, k, func(logRow) bool { return true })
	if !ok {
		return
	}
	log.ids = slices.DeleteFunc(slices.Clone(log.ids), func(id int64) bool {
		r, there := get[row](s, key{"task", id, 0})
		return !slices.Contains(left, id) && (!there || r.claim >= log.claim)
	})
	s.put(k, log)
}

// again takes rows that have been handed back into memory.
func (e *engine) again(l int64, rows map[int64]bool) {
	if e.lanes[l] == 0 {
		return
	}
	for id := range rows {
		e.pending[id] = l
		delete(e.elsewhere, id)
	}
}

// recoverLane hands back what dead holders ran, and leases that have ended.
func (e *engine) recoverLane(turn func(func() bool), l int64, leases bool) {
	again := map[int64]bool{}
	a := e.call(turn, func(s *session) {
		clear(again)
		s.statement()
		s.lock(key{"lane", l, 0})
		s.statement()
		for _, log := range all[logRow](s, "log") {
			holder, _ := get[node](s, key{"node", log.node, 0})
			leased := log.leased
			if log.lane != l || leased && !leases || !leased && holder.state == "alive" {
				continue
			}
			e.recovered(s, log, holder.state, again)
		}
	})
	if a.known && a.committed {
		e.again(l, again)
	}
}

// recovered hands back the members of one log row and ends it, unless somebody has one
// of them locked.
func (e *engine) recovered(s *session, log logRow, state string, again map[int64]bool) {
	skipped := false
	if !s.try(key{"log", log.lane, log.batch}) {
		return
	}
	log, ok := current(s, key{"log", log.lane, log.batch}, func(logRow) bool { return true })
	if !ok {
		return
	}
	for _, id := range log.ids {
		k := key{"task", id, 0}
		r, there := get[row](s, k)
		if !there || r.claim >= log.claim {
			continue
		}
		if !s.try(k) {
			skipped = true
			continue
		}
		r, there = current(s, k, func(r row) bool { return r.claim < log.claim })
		if !there {
			continue
		}
		outcome := "crashed"
		if state == "left" && !log.leased {
			outcome = "left"
		}
		if r.cancel != 0 {
			s.end(attempt{id: id, claim: log.claim}, r, "canceled")
			continue
		}
		s.note(fact{what: "resolved", id: id, claim: log.claim, outcome: outcome})
		if outcome == "crashed" {
			r.crashes++
		}
		r.mark = 0
		if e.mutant != "recovery does not raise the claim" {
			r.claim = log.claim
		}
		s.put(k, r)
		again[id] = true
	}
	if !skipped {
		s.unlog(log)
	}
}
