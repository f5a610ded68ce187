package lanemodel

import (
	"maps"
	"slices"
)

// engine is a node's process and what it has in memory.
type engine struct {
	*world
	id        int64
	gone      bool // the process has ended
	lanes     map[int64]int64
	last      map[int64]int64
	pending   map[int64]int64 // id -> lane
	living    map[int64]map[int64]*batch
	elsewhere map[int64]int64 // ids that run under another node's claim
	attempts  []attempt
	claiming  bool
}

// batch is a claim whose log row is there, as far as memory knows. It keeps what is
// resolved too: such a row is claimed again only if its number says so, not since that
// was answered, which a standby may have lost.
type batch struct {
	number int64
	left   map[int64]bool // false: resolved
}

type attempt struct {
	id, claim, lane int64
	apart, leased   bool
	settling        bool
}

func (w *world) join() *engine {
	e := &engine{world: w, id: int64(len(w.engines) + 1), lanes: map[int64]int64{}, last: map[int64]int64{},
		pending: map[int64]int64{}, living: map[int64]map[int64]*batch{}, elsewhere: map[int64]int64{}}
	w.engines = append(w.engines, e)
	w.rows[key{"node", e.id, 0}] = node{"alive"}
	return e
}

// holds reports whether the id is a member of a living claim that memory knows.
func (e *engine) holds(id int64) bool {
	for _, claims := range e.living {
		for _, b := range claims {
			if b.left[id] {
				return true
			}
		}
	}
	_, other := e.elsewhere[id]
	return other
}

// claim takes up to three pending rows of a lane, a keyed or leased one alone.
func (e *engine) claim(turn func(func() bool), l int64, leased bool) {
	if e.claiming || e.lanes[l] == 0 {
		return
	}
	var ids []int64
	least := map[int64]int64{} // the number that a row must have reached
	for _, id := range slices.Sorted(maps.Keys(e.pending)) {
		if e.pending[id] == l && !e.holds(id) && len(ids) < 3 {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return
	}
	e.random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	if leased {
		ids = ids[:1]
	}
	known := map[int64]bool{}
	for claim, b := range e.living[l] {
		known[b.number] = true
		for id := range b.left {
			least[id] = max(least[id], claim)
		}
	}
	e.claiming = true
	defer func() { e.claiming = false }()
	e.batches++
	number, epoch := e.batches, e.lanes[l]
	var got logRow
	a := e.call(turn, func(s *session) {
		got = e.claimed(s, logRow{lane: l, batch: number, ids: ids, leased: leased}, epoch, least, known)
	})
	if !a.known {
		got = e.readBack(turn, l, number)
	} else if !a.committed {
		return
	}
	for _, id := range ids { // what did not fit is read again
		delete(e.pending, id)
	}
	e.handOut(got, leased)
}

// claimed is the owner's claim by id: the lane's lock in a statement of its own, then the
// rows, then one row of the log. It claims none that memory has in a claim that is not resolved, by the
// row's number, and nothing while there is a log row of this node that memory does not know.
func (e *engine) claimed(s *session, want logRow, epoch int64, least map[int64]int64, known map[int64]bool) (got logRow) {
	l, leased := want.lane, want.leased
	s.statement()
	s.lock(key{"lane", l, 0})
	if e.mutant != "lock and look in one statement" {
		s.statement()
	}
	owned, _ := current(s, key{"lane", l, 0}, func(lane) bool { return true })
	alive, _ := get[node](s, key{"node", e.id, 0})
	if owned.owner != e.id || owned.epoch != epoch || alive.state != "alive" {
		s.rollback()
	}
	for _, log := range all[logRow](s, "log") {
		if e.mutant != "log not compared" && log.lane == l && log.node == e.id && !known[log.batch] && len(log.ids) > 0 {
			s.rollback()
		}
	}
	got = logRow{lane: l, batch: want.batch, node: e.id, claim: max(s.now, e.last[l]+1), apart: leased, leased: leased}
	for _, id := range want.ids {
		r, ok := get[row](s, key{"task", id, 0})
		if ok && r.claim < least[id] && e.mutant != "number not compared" {
			continue
		}
		if !ok || r.mark != 0 || r.lane != l || r.key != 0 && (len(got.ids) > 0 || !first(s, id, r)) {
			continue
		}
		got.claim = max(got.claim, r.claim+1)
		got.ids = append(got.ids, id)
		if r.key != 0 {
			got.apart, got.key = true, r.key
			break
		}
	}
	if len(got.ids) == 0 {
		s.rollback()
	}
	s.log(got)
	return got
}

// log writes a row of the log, with what is unique of it.
func (s *session) log(l logRow) {
	free := s.insert(key{"log", l.lane, l.batch}, l) && s.insert(key{"number", l.lane, l.claim}, l.batch)
	if l.apart && free {
		free = s.insert(key{"apart", l.lane, l.ids[0]}, l.batch) && (l.key == 0 || s.insert(key{"key", l.lane, l.key}, l.batch))
	}
	if !free {
		s.rollback()
	}
	for _, id := range l.ids {
		s.note(fact{what: "claimed", id: id, claim: l.claim, node: l.node})
	}
}

// unlog deletes a row of the log.
func (s *session) unlog(l logRow) {
	for _, k := range []key{{"log", l.lane, l.batch}, {"number", l.lane, l.claim}} {
		s.lock(k)
		s.put(k, nil)
	}
	if l.apart && len(l.ids) > 0 {
		s.put(key{"apart", l.lane, l.ids[0]}, nil)
		if l.key != 0 {
			s.put(key{"key", l.lane, l.key}, nil)
		}
	}
}

// first reports whether a row is its key's head, and nothing of the key runs.
func first(s *session, id int64, r row) bool {
	if _, runs := get[int64](s, key{"key", r.lane, r.key}); runs {
		return false
	}
	for k, value := range s.seen {
		other, ok := value.(row)
		if !ok || k.a == id || other.key != r.key || other.lane != r.lane {
			continue
		}
		if before(other, r) {
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

// readBack finds out what became of a claim without an answer. It leaves a tombstone
// where there is nothing, on which the claim fails if it comes late.
func (e *engine) readBack(turn func(func() bool), l, number int64) (got logRow) {
	for {
		got = logRow{}
		a := e.call(turn, func(s *session) {
			s.statement()
			if e.mutant == "no tombstone" {
				got, _ = get[logRow](s, key{"log", l, number})
				return
			}
			if s.insert(key{"log", l, number}, logRow{lane: l, batch: number, node: e.id}) {
				return
			}
			s.statement()
			got, _ = get[logRow](s, key{"log", l, number})
		})
		if a.known && a.committed {
			return got
		}
	}
}

// handOut starts what a claim has got.
func (e *engine) handOut(l logRow, leased bool) {
	if len(l.ids) == 0 {
		return
	}
	if e.living[l.lane] == nil {
		e.living[l.lane] = map[int64]*batch{}
	}
	b := &batch{l.batch, map[int64]bool{}}
	for _, id := range l.ids {
		if b.left[id] = true; leased { // any node may be told how it ended
			e.elsewhere[id], b.left[id] = l.claim, false
		}
		e.attempts = append(e.attempts, attempt{id: id, claim: l.claim, lane: l.lane, apart: l.apart, leased: leased})
	}
	e.living[l.lane][l.claim] = b
	e.last[l.lane] = max(e.last[l.lane], l.claim)
}

// resolved notes the end of an attempt, and of the log row of one that had its own.
func (e *engine) resolved(a attempt) {
	if b := e.living[a.lane][a.claim]; b != nil {
		b.left[a.id] = false
	}
	if a.apart {
		delete(e.living[a.lane], a.claim)
	}
}

// scan reads a lane's rows ahead.
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

// take makes the node owner of a lane: epoch, then log rows, then the first scan.
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
	if e.mutant == "scan before log" {
		e.lanes[l] = epoch
		e.scan(turn, l)
	}
	for !e.look(turn, l) {
	}
	e.lanes[l] = epoch
	e.scan(turn, l)
}

// look reads a lane's log: members of other nodes' claims run elsewhere.
func (e *engine) look(turn func(func() bool), l int64) bool {
	found := map[int64]int64{}
	a := e.call(turn, func(s *session) {
		s.statement()
		for _, log := range all[logRow](s, "log") {
			if log.lane != l || log.node == e.id {
				continue
			}
			for _, id := range log.ids {
				if r, ok := get[row](s, key{"task", id, 0}); ok && r.claim < log.claim {
					found[id] = max(found[id], log.claim)
				}
			}
		}
	})
	if a.known && a.committed && e.mutant != "running elsewhere forgotten" {
		maps.Copy(e.elsewhere, found)
	}
	return a.known && a.committed
}

// adopt ends log rows of this node that memory does not know: a standby lacks their end.
func (e *engine) adopt(turn func(func() bool), l int64) {
	if e.claiming || e.lanes[l] == 0 {
		return
	}
	e.claiming = true
	defer func() { e.claiming = false }()
	again := map[int64]bool{}
	a := e.call(turn, func(s *session) {
		clear(again)
		s.statement()
		known := map[int64]bool{}
		for _, b := range e.living[l] {
			known[b.number] = true
		}
		for _, log := range all[logRow](s, "log") {
			if log.lane == l && log.node == e.id && !known[log.batch] && len(log.ids) > 0 {
				e.recovered(s, log, "left", again)
			}
		}
	})
	if a.known && a.committed {
		e.again(l, again)
	}
}

// lookAgain reads by id what runs elsewhere, or under this node's claims but not in this
// process, until it is resolved.
func (e *engine) lookAgain(turn func(func() bool)) {
	was := maps.Clone(e.elsewhere)
	now := map[int64]row{}
	a := e.call(turn, func(s *session) {
		s.statement()
		for id := range was {
			if r, ok := get[row](s, key{"task", id, 0}); ok {
				now[id] = r
			}
		}
	})
	if !a.known || !a.committed {
		return
	}
	for id, claim := range was {
		r, there := now[id]
		if (!there || r.claim >= claim) && e.elsewhere[id] == claim {
			delete(e.elsewhere, id)
			for _, claims := range e.living {
				delete(claims, claim)
			}
			if there && e.lanes[r.lane] != 0 {
				e.pending[id] = r.lane
			}
		}
	}
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
		for _, log := range all[logRow](s, "log") {
			if log.lane == l && log.key != 0 {
				s.rollback()
			}
		}
		s.put(key{"lane", l, 0}, lane{0, epoch + 1})
	})
	maps.DeleteFunc(e.pending, func(_, of int64) bool { return of == l })
}
