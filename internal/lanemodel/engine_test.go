package lanemodel

import (
	"maps"
	"slices"
)

// engine is a node's process, with the part of the store that is in it.
type engine struct {
	*world
	id       int64
	gone     bool            // the process has ended
	lanes    map[int64]int64 // that it owns, with their epochs
	last     map[int64]int64 // its last claim in each
	pending  map[int64]int64 // id -> lane; it may be wrong
	logs     map[key]logRow  // the log of its lanes as it was read
	attempts []attempt       // handed out and not settled
	claiming bool
}

type attempt struct {
	id, claim, lane int64
	apart, leased   bool
	settling        bool
}

func (w *world) join() *engine {
	e := &engine{world: w, id: int64(len(w.engines) + 1), lanes: map[int64]int64{}, last: map[int64]int64{},
		pending: map[int64]int64{}, logs: map[key]logRow{}}
	w.engines = append(w.engines, e)
	w.rows[key{"node", e.id, 0}] = node{"alive"}
	return e
}

// runs reports whether the process has an attempt of the task.
func (e *engine) runs(id int64) bool {
	return slices.ContainsFunc(e.attempts, func(a attempt) bool { return a.id == id })
}

// claiming is one claim on its way.
type claiming struct {
	lane, epoch, batch int64
	ids                []int64
	leased             bool
	logs               map[key]logRow // of the lane, as memory has them
}

// claimed is what a claim has made: a row of the log or one of its own, or neither, since
// there are log rows that memory does not know.
type claimed struct {
	log     logRow
	run     runRow
	unknown []logRow
}

// claim takes up to three pending rows of a lane, a keyed or leased one alone.
func (e *engine) claim(turn func(func() bool), l int64, leased bool) {
	if e.claiming || e.lanes[l] == 0 {
		return
	}
	c := &claiming{lane: l, epoch: e.lanes[l], leased: leased, logs: map[key]logRow{}}
	for _, id := range slices.Sorted(maps.Keys(e.pending)) {
		if e.pending[id] == l && !e.runs(id) && len(c.ids) < 3 {
			c.ids = append(c.ids, id)
		}
	}
	if len(c.ids) == 0 {
		return
	}
	e.random.Shuffle(len(c.ids), func(i, j int) { c.ids[i], c.ids[j] = c.ids[j], c.ids[i] })
	if leased {
		c.ids = c.ids[:1]
	}
	for k, log := range e.logs {
		if k.a == l {
			c.logs[k] = log
		}
	}
	e.claiming = true
	defer func() { e.claiming = false }()
	e.batches++
	c.batch = e.batches
	answer := new(claimed)
	a := e.call(turn, func(s *session) { e.claimRows(s, c, answer) })
	got := *answer
	if !a.known {
		got = e.readBack(turn, c)
	} else if !a.committed {
		e.learn(got.unknown)
		return
	}
	for _, id := range c.ids { // what did not fit is read again
		delete(e.pending, id)
	}
	e.handOut(c, got)
}

// learn keeps the log rows that a claim met and memory did not know.
func (e *engine) learn(unknown []logRow) {
	for _, log := range unknown {
		e.logs[key{"log", log.lane, log.batch}] = log
	}
}

// claimRows is the owner's claim by id: the lane's lock in a statement of its own, then the
// log, then the rows. Memory says which rows run, by the numbers that their claims have;
// so it must know the whole log of the lane, as it is under the lock.
func (e *engine) claimRows(s *session, c *claiming, got *claimed) {
	s.statement()
	s.lock(key{"lane", c.lane, 0})
	if e.mutant != "lock and look in one statement" {
		s.statement()
	}
	owned, _ := current(s, key{"lane", c.lane, 0}, func(lane) bool { return true })
	alive, _ := get[node](s, key{"node", e.id, 0})
	if owned.owner != e.id || owned.epoch != c.epoch || alive.state != "alive" {
		s.rollback()
	}
	least := map[int64]int64{} // the number that a row must have reached
	for _, log := range all[logRow](s, "log") {
		if known, ok := c.logs[key{"log", log.lane, log.batch}]; ok {
			for _, id := range known.ids {
				least[id] = max(least[id], known.claim)
			}
		} else if log.lane == c.lane {
			got.unknown = append(got.unknown, log)
		}
	}
	if len(got.unknown) > 0 && e.mutant != "log not compared" {
		s.rollback()
	}
	claim := max(s.now, e.last[c.lane]+1)
	for _, id := range c.ids {
		k := key{"task", id, 0}
		r, ok := get[row](s, k)
		if !ok || r.mark != 0 || r.lane != c.lane || r.claim < least[id] && e.mutant != "number not compared" {
			continue
		}
		if _, runs := get[runRow](s, key{"run", c.lane, id}); runs && e.mutant != "rows apart not looked at" {
			continue
		}
		if c.leased || r.key != 0 {
			if len(got.log.ids) == 0 && (r.key == 0 || first(s, id, r)) {
				got.run = runRow{lane: c.lane, id: id, claim: max(claim, r.claim+1), node: e.id, key: r.key, leased: c.leased, batch: c.batch}
				s.start(got.run)
				return
			}
			continue
		}
		claim = max(claim, r.claim+1)
		got.log.ids = append(got.log.ids, id)
	}
	if len(got.log.ids) == 0 {
		s.rollback()
	}
	got.log.lane, got.log.batch, got.log.node, got.log.claim = c.lane, c.batch, e.id, claim
	if !s.insert(key{"log", c.lane, c.batch}, got.log) || !s.insert(key{"number", c.lane, claim}, c.batch) {
		s.rollback()
	}
	for _, id := range got.log.ids {
		s.note(fact{what: "claimed", id: id, claim: claim})
	}
}

// start makes a row running by a row of its own.
func (s *session) start(r runRow) {
	if !s.insert(key{"run", r.lane, r.id}, r) || r.key != 0 && !s.insert(key{"key", r.lane, r.key}, r.id) {
		s.rollback()
	}
	s.note(fact{what: "claimed", id: r.id, claim: r.claim})
}

// first reports whether a row is its key's head, and nothing of the key runs.
func first(s *session, id int64, r row) bool {
	if _, runs := get[int64](s, key{"key", r.lane, r.key}); runs {
		return false
	}
	for k, value := range s.seen {
		other, ok := value.(row)
		if ok && k.a != id && other.key == r.key && other.lane == r.lane && before(other, r) {
			return false
		}
	}
	return true
}

func before(a, b row) bool {
	startedA, startedB := a.attempts+a.crashes > 0, b.attempts+b.crashes > 0
	if startedA != startedB {
		return startedA
	}
	return a.seq < b.seq
}

// readBack finds out what became of a claim without an answer. It may still commit: then
// nobody runs what it has claimed, until the node finds its own rows and releases them.
func (e *engine) readBack(turn func(func() bool), c *claiming) (got claimed) {
	for {
		a := e.call(turn, func(s *session) {
			got = claimed{}
			s.statement()
			got.log, _ = get[logRow](s, key{"log", c.lane, c.batch})
			for _, r := range all[runRow](s, "run") {
				if r.batch == c.batch {
					got.run = r
				}
			}
		})
		if a.known && a.committed {
			return got
		}
	}
}

// handOut starts what a claim has got.
func (e *engine) handOut(c *claiming, got claimed) {
	if r := got.run; r.id != 0 {
		e.attempts = append(e.attempts, attempt{id: r.id, claim: r.claim, lane: r.lane, apart: true, leased: r.leased})
		e.last[r.lane] = max(e.last[r.lane], r.claim)
		return
	}
	if len(got.log.ids) == 0 {
		return
	}
	for _, id := range got.log.ids {
		e.attempts = append(e.attempts, attempt{id: id, claim: got.log.claim, lane: c.lane})
	}
	e.logs[key{"log", c.lane, c.batch}] = got.log
	e.last[c.lane] = max(e.last[c.lane], got.log.claim)
}

// scan reads a lane's rows ahead, those that run too.
func (e *engine) scan(turn func(func() bool), l int64) {
	found := map[int64]int64{}
	a := e.call(turn, func(s *session) {
		s.statement()
		for k, value := range s.seen {
			if r, ok := value.(row); ok && r.lane == l && r.mark == 0 {
				found[k.a] = l
			}
		}
	})
	if a.known && e.lanes[l] != 0 {
		maps.Copy(e.pending, found)
	}
}

// take makes the node owner of a lane.
func (e *engine) take(turn func(func() bool), l int64) {
	var epoch int64
	a := e.call(turn, func(s *session) {
		epoch = 0
		s.statement()
		s.lock(key{"lane", l, 0})
		s.statement()
		then, _ := current(s, key{"lane", l, 0}, func(lane) bool { return true })
		owner, _ := get[node](s, key{"node", then.owner, 0})
		self, _ := get[node](s, key{"node", e.id, 0})
		if self.state != "alive" || owner.state == "alive" && then.owner != e.id {
			s.rollback()
		}
		epoch = then.epoch + 1
		s.put(key{"lane", l, 0}, lane{e.id, epoch})
	})
	if !a.known || !a.committed {
		return
	}
	e.lanes[l] = epoch
	e.scan(turn, l)
}

// release hands back what runs in the node's name and not in its process: what a late
// claim has made, and what had ended before a standby took over that lacks the end. No
// claim may be on its way.
func (e *engine) release(turn func(func() bool), l int64) {
	if e.claiming {
		return
	}
	e.claiming = true
	defer func() { e.claiming = false }()
	e.call(turn, func(s *session) {
		s.statement()
		for _, log := range all[logRow](s, "log") {
			ours := log.lane == l && log.node == e.id
			if ours && !slices.ContainsFunc(e.attempts, func(a attempt) bool { return a.lane == l && a.claim == log.claim }) {
				e.recovered(s, log, "left")
			}
		}
		for _, r := range all[runRow](s, "run") {
			if r.lane == l && r.node == e.id && !r.leased && !e.runs(r.id) {
				e.recoveredRun(s, r, "left")
			}
		}
	})
}

// free gives a lane back that has no keyed task running.
func (e *engine) free(turn func(func() bool), l int64) {
	epoch := e.lanes[l]
	if e.claiming || epoch == 0 {
		return
	}
	delete(e.lanes, l)
	e.call(turn, func(s *session) {
		s.statement()
		s.lock(key{"lane", l, 0})
		s.statement()
		then, _ := current(s, key{"lane", l, 0}, func(lane) bool { return true })
		if then.owner != e.id || then.epoch != epoch {
			s.rollback()
		}
		for _, r := range all[runRow](s, "run") {
			if r.lane == l && r.key != 0 {
				s.rollback()
			}
		}
		s.put(key{"lane", l, 0}, lane{0, epoch + 1})
	})
	maps.DeleteFunc(e.pending, func(_, of int64) bool { return of == l })
}
