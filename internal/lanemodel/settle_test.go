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

// settle ends attempts of one claim, and repeats that until the answer is known. Nobody
// but the process itself ends it, whoever has taken over meanwhile.
func (e *engine) settle(turn func(func() bool), ending []attempt, outcome string) {
	for _, a := range ending {
		e.hold(a, true)
	}
	for {
		back := map[int64]bool{}
		a := e.call(turn, func(s *session) {
			clear(back)
			s.statement()
			var left []attempt
			for _, one := range ending {
				if !e.fast(s, one, outcome) {
					left = append(left, one)
				} else if outcome == "failed" || outcome == "released" {
					back[one.id] = true
				}
			}
			for _, one := range left {
				back[one.id] = e.careful(s, one, outcome)
			}
		})
		if !a.known || !a.committed {
			continue
		}
		for _, one := range ending {
			e.over(one)
			if back[one.id] && e.lanes[one.lane] != 0 {
				e.pending[one.id] = one.lane
			}
		}
		return
	}
}

// hold keeps others of the process from settling an attempt, or lets them.
func (e *engine) hold(a attempt, held bool) {
	for i := range e.attempts {
		if e.attempts[i].id == a.id && e.attempts[i].claim == a.claim {
			e.attempts[i].settling = held
		}
	}
}

// over forgets an attempt.
func (e *engine) over(a attempt) {
	e.attempts = slices.DeleteFunc(e.attempts, func(x attempt) bool { return x.id == a.id && x.claim == a.claim })
}

// proof is whether the statement sees the row by which an attempt runs.
func (e *engine) proof(s *session, a attempt) bool {
	if a.apart {
		r, ok := get[runRow](s, key{"run", a.lane, a.id})
		return ok && r.claim == a.claim
	}
	number, ok := get[int64](s, key{"number", a.lane, a.claim})
	log, _ := get[logRow](s, key{"log", a.lane, number})
	return ok && log.node == e.id && slices.Contains(log.ids, a.id)
}

// fast is the settlement in one statement: the row by its claim, and the proof that the
// claim is known.
func (e *engine) fast(s *session, a attempt, outcome string) bool {
	if !e.proof(s, a) && e.mutant != "no proof in the fence" {
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
	if ok {
		s.end(a, r, outcome)
	}
	return ok
}

// end writes how an attempt ended.
func (s *session) end(a attempt, r row, outcome string) {
	k := key{"task", a.id, 0}
	s.note(fact{what: "resolved", id: a.id, claim: a.claim, outcome: outcome})
	switch outcome {
	case "failed":
		r.claim, r.attempts, r.mark = a.claim, r.attempts+1, 0
		s.put(k, r)
	case "released":
		r.claim, r.mark = a.claim, 0
		s.put(k, r)
	default:
		s.put(k, nil)
		s.put(key{"ended", a.id, 0}, ended{a.claim, outcome})
	}
	if a.apart {
		s.stop(a.lane, a.id, r.key)
	}
}

// stop deletes the row by which one task runs.
func (s *session) stop(l, id, of int64) {
	s.lock(key{"run", l, id})
	s.put(key{"run", l, id}, nil)
	if of != 0 {
		s.lock(key{"key", l, of})
		s.put(key{"key", l, of}, nil)
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
	if !e.proof(s, a) {
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
	return outcome == "failed" || outcome == "released"
}

// settleInside ends an attempt in a transaction of the caller's, which may stay open for
// long. It has its own row locked alone.
func (e *engine) settleInside(turn func(func() bool), a attempt) {
	e.hold(a, true)
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
		e.over(a)
		return
	}
	e.hold(a, false)
	e.settle(turn, []attempt{a}, "failed") // answered as recorded if it was
}

// trim ends the log rows of a lane that are resolved, as far as the process knows.
func (e *engine) trim(turn func(func() bool), l int64) {
	var over []key
	for k, log := range e.logs {
		if k.a == l && log.node == e.id && !slices.ContainsFunc(e.attempts, func(a attempt) bool { return a.lane == l && a.claim == log.claim }) {
			over = append(over, k)
		}
	}
	slices.SortFunc(over, func(a, b key) int { return int(a.b - b.b) })
	e.call(turn, func(s *session) {
		s.statement()
		for _, k := range over {
			log, ok := get[logRow](s, k)
			if ok && (e.mutant == "log row ended early" || !slices.ContainsFunc(log.ids, func(id int64) bool { return s.open(id, log.claim) })) {
				s.unlog(log)
			}
		}
		if e.mutant == "log row ended early" {
			for _, log := range all[logRow](s, "log") {
				s.unlog(log)
			}
		}
	})
	for _, k := range over { // what is still there is learned again
		delete(e.logs, k)
	}
}

// open reports whether a claim of a task is not resolved.
func (s *session) open(id, claim int64) bool {
	r, there := get[row](s, key{"task", id, 0})
	return there && r.claim < claim
}

// unlog deletes a row of the log, unless somebody else does.
func (s *session) unlog(log logRow) {
	if k := (key{"log", log.lane, log.batch}); s.try(k) {
		s.put(k, nil)
		s.lock(key{"number", log.lane, log.claim})
		s.put(key{"number", log.lane, log.claim}, nil)
	}
}

// recoverLane hands back what dead holders ran, and leases that have ended.
func (e *engine) recoverLane(turn func(func() bool), l int64, leases bool) {
	e.call(turn, func(s *session) {
		s.statement()
		for _, log := range all[logRow](s, "log") {
			if holder, _ := get[node](s, key{"node", log.node, 0}); log.lane == l && holder.state != "alive" {
				e.recovered(s, log, holder.state)
			}
		}
		for _, r := range all[runRow](s, "run") {
			holder, _ := get[node](s, key{"node", r.node, 0})
			if r.lane == l && (!r.leased && holder.state != "alive" || r.leased && leases) {
				e.recoveredRun(s, r, "dead")
			}
		}
	})
	e.scan(turn, l)
}

// recovered hands back the members of a log row and ends it, unless somebody has one of
// them locked.
func (e *engine) recovered(s *session, log logRow, state string) {
	skipped := false
	if !s.try(key{"log", log.lane, log.batch}) {
		return
	}
	for _, id := range log.ids {
		if s.open(id, log.claim) {
			skipped = !e.handBack(s, attempt{id: id, claim: log.claim, lane: log.lane}, state) || skipped
		}
	}
	if !skipped {
		s.unlog(log)
	}
}

func (e *engine) recoveredRun(s *session, r runRow, state string) {
	if s.open(r.id, r.claim) && s.try(key{"run", r.lane, r.id}) {
		e.handBack(s, attempt{id: r.id, claim: r.claim, lane: r.lane, apart: true}, state)
	}
}

// handBack makes a row pending again, unless somebody has it locked.
func (e *engine) handBack(s *session, a attempt, state string) bool {
	k := key{"task", a.id, 0}
	if !s.try(k) {
		return false
	}
	r, there := current(s, k, func(r row) bool { return r.claim < a.claim })
	if !there {
		return true
	}
	if r.cancel != 0 {
		s.end(a, r, "canceled")
		return true
	}
	outcome := "crashed"
	if state == "left" {
		outcome = "left"
	}
	s.note(fact{what: "resolved", id: a.id, claim: a.claim, outcome: outcome})
	if outcome == "crashed" {
		r.crashes++
	}
	r.mark = 0
	if e.mutant != "recovery does not raise the claim" {
		r.claim = a.claim
	}
	s.put(k, r)
	if a.apart {
		s.stop(a.lane, a.id, r.key)
	}
	return true
}
