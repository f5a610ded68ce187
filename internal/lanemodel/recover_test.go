package lanemodel

import "slices"

// sweep sets apart what still runs by old log rows, whoever holds them, and deletes those by
// which nothing runs. The owner of the lane does it.
func (e *engine) sweep(turn func(func() bool), l, age int64) {
	if e.lanes[l] == 0 {
		return
	}
	e.call(turn, func(s *session) {
		s.statement()
		for _, log := range all[logRow](s, "log") {
			if log.lane == l && log.started <= s.began-age {
				s.setAllApart(log)
			}
		}
	})
	e.shorten(turn, l)
}

func (s *session) setAllApart(log logRow) {
	for _, id := range log.ids {
		s.setApart(log.lane, id, log.claim, false)
	}
}

// shorten deletes the log rows of a lane by which nothing runs. As with a claim, it holds
// the lane's lock and writes a log row, so that the log has another version.
func (e *engine) shorten(turn func(func() bool), l int64) {
	last := e.last
	e.call(turn, func(s *session) {
		s.statement()
		if !e.mutant["log row deleted without the lock"] {
			s.lock(key{"lane", l, 0})
			s.statement()
		}
		s.unlog(s.log(l), func(logRow) bool { return true }, last, e.id)
	})
}

// unlog deletes those of a lane's log rows by which nothing runs, and writes an empty one.
func (s *session) unlog(log memory, wanted func(logRow) bool, last, by int64) {
	deleted := false
	for _, one := range log {
		runs := slices.ContainsFunc(one.ids, func(id int64) bool { return s.open(id, one.claim) })
		if k := (key{"log", one.lane, one.claim}); !runs && (len(one.ids) == 0 || wanted(one)) && s.try(k) {
			s.put(k, nil)
			deleted = deleted || len(one.ids) > 0
		}
	}
	if !deleted {
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
