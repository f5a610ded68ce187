package lanemodel

import "slices"

// sweep shortens the log of a lane where some of it is old. The owner of the lane does it.
func (e *engine) sweep(turn func(func() bool), l, age int64) {
	if e.lanes[l] == 0 {
		return
	}
	old := false
	e.call(turn, func(s *session) {
		s.statement()
		for _, log := range s.log(l) {
			old = old || log.started <= s.began-age
		}
	})
	if old {
		e.shorten(turn, l)
	}
}

func (s *session) setAllApart(log logRow) {
	for _, id := range log.ids {
		s.setApart(log.lane, id, log.claim, false)
	}
}

// shorten deletes the log rows of a lane by which nothing runs, and takes what does not run
// by them out of the others. As with a claim, it holds the lane's lock and writes a log
// row, so that the log has another version.
func (e *engine) shorten(turn func(func() bool), l int64) {
	last := e.last
	a := e.call(turn, func(s *session) {
		s.statement()
		if !e.mutant["log row deleted without the lock"] {
			s.lock(key{"lane", l, 0})
			s.statement()
		}
		s.unlog(s.log(l), last, e.id)
	})
	if a.known && a.committed {
		e.learn(turn, l, e.lanes[l])
	}
}

// unlog leaves in a lane's log what runs by it, and writes an empty row.
func (s *session) unlog(log memory, last, by int64) {
	changed := false
	for _, one := range log {
		k := key{"log", one.lane, one.claim}
		run := slices.DeleteFunc(slices.Clone(one.ids), func(id int64) bool { return !s.open(id, one.claim) })
		if len(one.ids) > 0 && len(run) == len(one.ids) || !s.try(k) {
			continue
		}
		if len(run) == 0 {
			s.put(k, nil)
			changed = true
		} else if now, ok := current(s, k, func(now logRow) bool { return slices.Equal(now.ids, one.ids) }); ok {
			now.ids = run
			s.put(k, now)
			changed = true
		}
	}
	if !changed {
		s.rollback()
	}
	l, claim := log[0].lane, max(s.began, last+1, log.version().claim+1)
	if !s.mutant["log row deleted without a newer one"] && !s.insert(key{"log", l, claim}, logRow{lane: l, claim: claim, node: by, started: s.began}) {
		s.rollback()
	}
}

// recoverLane hands back what dead holders ran, and leases that have ended. Rows that
// others have locked it passes over.
func (e *engine) recoverLane(turn func(func() bool), l int64, leases bool) {
	e.call(turn, func(s *session) {
		s.statement()
		for _, log := range all[logRow](s, "log") {
			if holder, _ := get[node](s, key{"node", log.node, 0}); log.lane == l && holder.state != "alive" {
				s.setAllApart(log)
			}
		}
		s.statement()
		for _, r := range all[runRow](s, "run") {
			holder, _ := get[node](s, key{"node", r.node, 0})
			if r.lane == l && (!r.leased && holder.state != "alive" || r.leased && leases) {
				s.handBack(r, holder.state)
			}
		}
	})
	e.shorten(turn, l)
	e.scan(turn, l)
}

// handBack makes a row pending again, unless somebody has it locked.
func (s *session) handBack(run runRow, state string) {
	k := key{"task", run.id, 0}
	if !s.try(key{"run", run.lane, run.id}) || !s.try(k) {
		return
	}
	_, runs := current(s, key{"run", run.lane, run.id}, func(r runRow) bool { return r.claim == run.claim })
	r, there := current(s, k, func(row) bool { return true })
	if !runs || !there {
		return
	}
	a := attempt{id: run.id, claim: run.claim, lane: run.lane, apart: true}
	if now, _ := current(s, key{"run", run.lane, run.id}, func(runRow) bool { return true }); now.cancel {
		s.end(a, r, "canceled", 0)
		return
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
	if !s.mutant["recovery does not raise the claim"] {
		r.claim = a.claim
	}
	s.put(k, r)
	s.stop(a.lane, a.id, r.key)
}
