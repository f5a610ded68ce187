package lanemodel

import "slices"

// past is the number up to which log rows do not count for a row.
func (w *world) past(r row) int64 {
	if w.mutant["created_at left out of past"] {
		return max(r.claim, r.apart)
	}
	return max(r.claim, r.created, r.apart)
}

// finish ends one of the attempts that go on, with those of its claim, or by itself in a
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
	ending := slices.DeleteFunc(free, func(b attempt) bool { return b.claim != a.claim })
	ending = ending[:1+e.random.IntN(len(ending))]
	e.settle(turn, ending, []string{"succeeded", "failed", "failed", "died", "released"}[e.random.IntN(5)])
}

// settle ends attempts of one claim, and repeats that until the answer is known. Nobody
// but the process itself ends it, whoever has taken over meanwhile.
func (e *engine) settle(turn func(func() bool), ending []attempt, outcome string) {
	for _, a := range ending {
		e.hold(a, true)
	}
	for {
		back, rows := map[int64]bool{}, map[int64]row{}
		at := e.known.look()
		a := e.call(turn, func(s *session) { e.settleAll(s, ending, outcome, back, rows) })
		if !a.known || !a.committed {
			e.keep(at, nil)
			continue
		}
		e.keep(at, rows)
		for _, one := range ending {
			if !e.mutant["settled during a look and kept"] {
				e.meet(one.id)
			}
			e.over(one)
			if back[one.id] && e.lanes[one.lane] != 0 {
				e.pending[one.id] = one.lane
			}
		}
		return
	}
}

// settleAll is the fast statement for all, and the careful ones for what it has left.
// back are the rows that are pending afterwards.
func (e *engine) settleAll(s *session, ending []attempt, outcome string, back map[int64]bool, rows map[int64]row) {
	clear(back)
	clear(rows)
	s.statement()
	var left []attempt
	for _, one := range ending {
		if !e.fast(s, one, outcome) {
			left = append(left, one)
		} else if outcome == "failed" || outcome == "released" || outcome == "let go" {
			back[one.id] = true
			rows[one.id], _ = get[row](s, key{"task", one.id, 0})
		}
	}
	for _, one := range left {
		back[one.id] = e.careful(s, one, outcome)
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
	before := len(e.attempts)
	e.attempts = slices.DeleteFunc(e.attempts, func(x attempt) bool { return x.id == a.id && x.claim == a.claim })
	if k := (key{"log", a.lane, a.claim}); e.held[k] > 0 && before > len(e.attempts) && !a.apart {
		e.held[k]--
	}
}

// fast is the settlement in one statement: rows past which the log row of the claim is, or
// those apart by their own rows.
func (e *engine) fast(s *session, a attempt, outcome string) bool {
	if a.apart {
		return e.endApart(s, a, outcome)
	}
	log, ok := get[logRow](s, key{"log", a.lane, a.claim})
	if outcome == "died" {
		return false
	}
	if (!ok || log.node != e.id) && !e.mutant["no log row in the fence"] {
		return false
	}
	r, ok := locked(s, key{"task", a.id, 0}, func(r row) bool { return e.past(r) < a.claim || e.mutant["past not compared"] })
	if ok {
		s.end(a, r, outcome, e.id)
	}
	return ok
}

// endApart ends a row by its own row of the claim, unless that asks for its cancellation.
func (e *engine) endApart(s *session, a attempt, outcome string) bool {
	_, ok := locked(s, key{"run", a.lane, a.id}, func(r runRow) bool {
		return r.claim == a.claim && (!r.cancel || outcome == "succeeded" || outcome == "canceled")
	})
	if !ok {
		return false
	}
	k := key{"task", a.id, 0}
	s.lock(k)
	r, ok := current(s, k, func(row) bool { return true })
	if ok {
		a.apart = true
		s.end(a, r, outcome, e.id)
	}
	return ok
}

// end writes how an attempt ended.
func (s *session) end(a attempt, r row, outcome string, by int64) {
	k := key{"task", a.id, 0}
	s.note(fact{what: "resolved", id: a.id, claim: a.claim, outcome: outcome, node: by})
	switch outcome {
	case "failed":
		r.claim, r.attempts, r.mark = a.claim, r.attempts+1, 0
		s.put(k, r)
	case "released", "let go":
		r.claim, r.mark = a.claim, 0
		s.put(k, r)
	default:
		s.put(k, nil)
		s.put(key{"ended", a.id, 0}, ended{a.claim, outcome, s.now})
	}
	if outcome == "died" && !s.mutant["a death does not leave its batch"] {
		s.leave(a)
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

// leave takes a task out of the log rows that have it: its letter may be purged, and its id
// come again at once, by a clock that is behind.
func (s *session) leave(a attempt) {
	for _, one := range s.log(a.lane) {
		k := key{"log", one.lane, one.claim}
		if log, ok := locked(s, k, func(log logRow) bool { return slices.Contains(log.ids, a.id) }); ok {
			log.ids = slices.DeleteFunc(slices.Clone(log.ids), func(id int64) bool { return id == a.id })
			s.put(k, log)
		}
	}
}

// setApart gives a member of a log row that runs by it a row of its own, and notes in the
// task that the log row does not count any more. wait is false for who passes over rows
// that are locked.
func (s *session) setApart(l, id, claim int64, wait bool) bool {
	log, ok := get[logRow](s, key{"log", l, claim})
	k := key{"task", id, 0}
	if !ok || !slices.Contains(log.ids, id) || !s.open(id, claim) || !wait && !s.try(k) {
		return false
	}
	r, ok := locked(s, k, func(r row) bool { return s.past(r) < claim })
	if !ok {
		return false
	}
	if r.apart = claim; !s.mutant["set apart without writing apart"] {
		s.put(k, r)
	}
	if !s.insert(key{"run", l, id}, runRow{lane: l, id: id, claim: claim, node: log.node}) {
		s.fault("%d was set apart under %d beside another row", id, claim)
	}
	return true
}

// careful does what the fast statement left, a row at a time, and answers whether the
// row is pending afterwards.
func (e *engine) careful(s *session, a attempt, outcome string) (pending bool) {
	s.statement()
	s.setApart(a.lane, a.id, a.claim, true)
	s.statement()
	k := key{"task", a.id, 0}
	if _, there := get[row](s, k); there {
		s.lock(k)
		s.statement()
	}
	run, ok := get[runRow](s, key{"run", a.lane, a.id})
	if !ok || run.claim != a.claim { // recorded before, or stale
		_, there := get[row](s, k)
		return there
	}
	if run.cancel && outcome != "succeeded" {
		outcome = "canceled"
	}
	return e.endApart(s, a, outcome) && outcome != "canceled" && outcome != "died" && outcome != "succeeded"
}

// settleInside ends an attempt in a transaction of the caller's, which may stay open for
// long. It has its own row locked alone.
func (e *engine) settleInside(turn func(func() bool), a attempt) {
	e.hold(a, true)
	done := false
	answer := e.call(turn, func(s *session) {
		s.statement()
		s.setApart(a.lane, a.id, a.claim, true)
		s.statement()
		done = e.endApart(s, a, "succeeded")
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

// letGo hands back what runs in the node's name and not in its process, at this look and
// at the last: what a late claim has made, and what had ended before a standby took over
// that lacks the end.
func (e *engine) letGo(turn func(func() bool)) {
	var got claimed
	a := e.call(turn, func(s *session) {
		s.statement()
		got = e.running(s)
	})
	if !a.known || !a.committed {
		return
	}
	var nobodys []attempt
	next := map[int64]int64{}
	look := func(a attempt) {
		if e.runs(a.id) || slices.Contains(e.claiming, a.id) || slices.Contains(e.letting, a.id) {
			return
		}
		next[a.id] = a.claim
		if e.strange[a.id] == a.claim {
			nobodys = append(nobodys, a)
		}
	}
	for _, r := range got.runs {
		if !r.leased {
			look(attempt{id: r.id, claim: r.claim, lane: r.lane, apart: true})
		}
	}
	for _, log := range got.logs {
		for _, id := range log.ids {
			look(attempt{id: id, claim: log.claim, lane: log.lane})
		}
	}
	e.strange = next
	if len(nobodys) == 0 || len(e.letting) > 0 {
		return
	}
	for _, one := range nobodys {
		e.letting = append(e.letting, one.id)
	}
	e.settle(turn, nobodys, "let go")
	e.letting = nil
}
