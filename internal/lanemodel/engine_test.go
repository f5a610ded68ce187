package lanemodel

import (
	"maps"
	"slices"
)

// engine is a node's process, with the part of the store that is in it.
type engine struct {
	*world
	id       int64
	gone     bool             // the process has ended
	lanes    map[int64]int64  // that it owns, with their epochs
	last     int64            // its last claim
	pending  map[int64]int64  // id -> lane; it may be wrong
	memory   map[int64]memory // of the logs of its lanes
	held     map[key]int      // its log rows, with how many members it has not seen settled
	attempts []attempt        // handed out and not settled
	strange  map[int64]int64  // what it did not run at the last look, with the claims
	letting  []int64          // the ids that it is letting go
	claiming []int64          // the ids of the claim on its way
	known    *known
}

// memory is the log of a lane as a process knows it.
type memory []logRow

// version names what the log of a lane has: its greatest number, and whose it is.
type version struct{ claim, node int64 }

func (m memory) version() (v version) {
	for _, log := range m {
		if log.claim > v.claim {
			v = version{log.claim, log.node}
		}
	}
	return v
}

// number is the greatest number of a log row that has an id.
func (m memory) number(id int64) (number int64) {
	for _, log := range m {
		if slices.Contains(log.ids, id) {
			number = max(number, log.claim)
		}
	}
	return number
}

// without is memory less the log rows that a claim has deleted.
func (m memory) without(drop []key) memory {
	return slices.DeleteFunc(slices.Clone(m), func(log logRow) bool { return slices.Contains(drop, key{"log", log.lane, log.claim}) })
}

type attempt struct {
	id, claim, lane int64
	apart, leased   bool
	settling        bool
}

func (w *world) join() *engine {
	e := &engine{world: w, id: int64(len(w.engines) + 1), lanes: map[int64]int64{}, pending: map[int64]int64{},
		memory: map[int64]memory{}, held: map[key]int{}, strange: map[int64]int64{}, known: newKnown()}
	w.engines = append(w.engines, e)
	w.set(key{"node", e.id, 0}, node{"alive"})
	return e
}

// runs reports whether the process has an attempt of the task.
func (e *engine) runs(id int64) bool {
	return slices.ContainsFunc(e.attempts, func(a attempt) bool { return a.id == id })
}

// claiming is one claim on its way, with what the process knew when it was sent.
type claiming struct {
	epochs map[int64]int64 // of its lanes
	memory map[int64]memory
	last   int64
	ids    []int64
	leased bool
	drop   []key // log rows whose members are settled, or that have none

	known   map[int64]row   // of ids
	changes map[int64]int64 // of its lanes
	server  int64
}

// claimed is what a claim has made, and the lanes whose log has rows that memory does not
// know.
type claimed struct {
	logs    []logRow
	runs    []runRow
	unknown []int64
}

// prepare makes a claim of up to four pending rows of lanes.
func (e *engine) prepare(of []int64, leased bool) *claiming {
	c := &claiming{epochs: map[int64]int64{}, memory: map[int64]memory{}, last: e.last, leased: leased}
	for _, l := range of {
		if e.lanes[l] != 0 {
			c.epochs[l], c.memory[l] = e.lanes[l], slices.Clone(e.memory[l])
		}
	}
	for _, id := range slices.Sorted(maps.Keys(e.pending)) {
		if c.epochs[e.pending[id]] != 0 && !e.runs(id) && !slices.Contains(e.letting, id) && !slices.Contains(e.claiming, id) {
			c.ids = append(c.ids, id)
		}
	}
	e.random.Shuffle(len(c.ids), func(i, j int) { c.ids[i], c.ids[j] = c.ids[j], c.ids[i] })
	c.ids = c.ids[:min(4, len(c.ids))]
	for l := range c.epochs {
		for _, log := range c.memory[l] {
			k := key{"log", l, log.claim}
			left, own := e.held[k]
			if len(log.ids) == 0 || own && (left == 0 || e.mutant["log row deleted early"]) {
				c.drop = append(c.drop, k)
			}
		}
	}
	slices.SortFunc(c.drop, compare)
	return c
}

// claim is the owner's. Claims of one process go one after the other.
func (e *engine) claim(turn func(func() bool), of []int64, leased bool) {
	if len(e.claiming) > 0 && !e.mutant["claims of one process at once"] {
		return
	}
	c := e.prepare(of, leased)
	if len(c.ids) == 0 {
		return
	}
	e.takeKnown(c)
	e.claiming = append(e.claiming, c.ids...)
	defer func() {
		if !e.mutant["claimed during a look and kept"] {
			e.meet(c.ids...)
		}
		e.claiming = slices.DeleteFunc(e.claiming, func(id int64) bool { return slices.Contains(c.ids, id) })
	}()
	answer := new(claimed)
	a := e.call(turn, func(s *session) { e.claimRows(s, c, answer) })
	got := *answer
	switch {
	case !a.known:
		got = e.readBack(turn, c.ids)
	case a.committed:
		e.remember(c, got)
	default:
		got = claimed{unknown: got.unknown}
	}
	for _, l := range got.unknown {
		e.learn(turn, l, c.epochs[l])
	}
	for _, id := range c.ids { // what did not fit is read again
		if a.committed && !slices.Contains(got.unknown, e.pending[id]) || e.runsBy(got, id) {
			delete(e.pending, id)
		}
	}
	e.handOut(got)
}

func (e *engine) runsBy(got claimed, id int64) bool {
	return slices.ContainsFunc(got.runs, func(r runRow) bool { return r.id == id }) ||
		slices.ContainsFunc(got.logs, func(l logRow) bool { return slices.Contains(l.ids, id) })
}

// remember adds the log rows of a claim that has answered, and forgets those that it has
// deleted.
func (e *engine) remember(c *claiming, got claimed) {
	for _, log := range got.logs {
		e.held[key{"log", log.lane, log.claim}] = len(log.ids)
		if e.lanes[log.lane] == c.epochs[log.lane] {
			e.memory[log.lane] = append(e.memory[log.lane].without(c.drop), log)
		}
		for _, k := range c.drop {
			if k.a == log.lane {
				delete(e.held, k)
			}
		}
	}
}

// learn reads the log of a lane, which memory is then.
func (e *engine) learn(turn func(func() bool), l, epoch int64) {
	if e.lanes[l] != epoch {
		return
	}
	var found memory
	a := e.call(turn, func(s *session) {
		s.statement()
		found = s.log(l)
	})
	if a.known && a.committed && e.lanes[l] == epoch {
		e.doubt(l)
		if e.memory[l] = found; !e.mutant["numbers may fall under the version"] {
			e.last = max(e.last, found.version().claim)
		}
	}
}

// log is the log of a lane.
func (s *session) log(l int64) memory {
	return slices.DeleteFunc(all[logRow](s, "log"), func(log logRow) bool { return log.lane != l })
}

// claimRows is the owner's claim by id: the locks of the lanes in a statement of their own,
// then the logs above the floors, then the rows.
func (e *engine) claimRows(s *session, c *claiming, got *claimed) {
	s.statement()
	for _, l := range slices.Sorted(maps.Keys(c.epochs)) {
		s.lock(key{"lane", l, 0})
	}
	if !e.mutant["lock and look in one statement"] {
		s.statement()
	}
	if alive, _ := get[node](s, key{"node", e.id, 0}); alive.state != "alive" {
		s.rollback()
	}
	free := map[int64]bool{}
	for l, epoch := range c.epochs {
		owned, _ := current(s, key{"lane", l, 0}, func(lane) bool { return true })
		free[l] = owned.owner == e.id && owned.epoch == epoch
	}
	for _, l := range slices.Sorted(maps.Keys(c.epochs)) {
		if free[l] && !e.same(s.log(l).version(), c.memory[l].version()) {
			got.unknown = append(got.unknown, l)
			free[l] = false
		}
	}
	e.pick(s, c, free, got)
	if len(got.logs)+len(got.runs) == 0 {
		s.rollback()
	}
	for _, log := range got.logs {
		for _, k := range c.drop {
			if k.a == log.lane {
				s.drop(k)
			}
		}
	}
}

// same reports whether the log of a lane is what memory has.
func (e *engine) same(log, memory version) bool {
	switch {
	case e.mutant["version of the log not compared"]:
		return true
	case e.mutant["log above the floor looked at alone"]:
		return log.claim <= memory.claim
	case e.mutant["version without its node"]:
		return log.claim == memory.claim
	}
	return log == memory
}

// drop deletes a log row whose members were all settled. A standby may lack that: then
// they are pending.
func (s *session) drop(k key) {
	log, ok := get[logRow](s, k)
	if !ok {
		return
	}
	for _, id := range log.ids {
		if s.open(id, log.claim) {
			s.note(fact{what: "dropped", id: id, claim: log.claim, node: log.node})
		}
	}
	s.lock(k)
	s.put(k, nil)
}

// pick claims the rows of free lanes that may run.
func (e *engine) pick(s *session, c *claiming, free map[int64]bool, got *claimed) {
	claim := max(s.began, c.last+1)
	members := map[int64][]int64{}
	for l := range c.epochs {
		if !e.mutant["numbers may fall under the version"] {
			claim = max(claim, c.memory[l].version().claim+1)
		}
	}
	for _, id := range c.ids {
		if as, ok := c.known[id]; ok {
			if free[as.lane] && e.unchanged(s, c, as.lane) {
				claim = max(claim, e.past(as)+1)
				members[as.lane] = append(members[as.lane], id)
			}
			continue
		}
		r, ok := get[row](s, key{"task", id, 0})
		if !ok || r.mark != 0 || !free[r.lane] || e.past(r) < c.memory[r.lane].number(id) && !e.mutant["number of memory not compared"] {
			continue
		}
		if _, runs := get[runRow](s, key{"run", r.lane, id}); runs && !e.mutant["rows apart not looked at"] {
			continue
		}
		if r.key != 0 && !first(s, id, r) {
			continue
		}
		claim = max(claim, e.past(r)+1)
		if c.leased || r.key != 0 {
			got.runs = append(got.runs, runRow{lane: r.lane, id: id, node: e.id, key: r.key, leased: c.leased})
			if r.key == 0 && !e.mutant["leased claims leave the log alone"] {
				members[r.lane] = append(members[r.lane], []int64{}...) // a row without ids: the lane has another version
			}
		} else {
			members[r.lane] = append(members[r.lane], id)
		}
	}
	for i := range got.runs {
		got.runs[i].claim = claim
		s.start(got.runs[i])
	}
	for _, l := range slices.Sorted(maps.Keys(members)) {
		log := logRow{lane: l, claim: claim, node: e.id, started: s.began, ids: members[l]}
		if !s.insert(key{"log", l, claim}, log) {
			s.rollback()
		}
		got.logs = append(got.logs, log)
		for _, id := range log.ids {
			f := fact{what: "claimed", id: id, claim: claim, node: e.id}
			if as, ok := c.known[id]; ok {
				f.as = &as
			}
			s.note(f)
		}
	}
}

// start makes a row running by a row of its own.
func (s *session) start(r runRow) {
	if !s.insert(key{"run", r.lane, r.id}, r) || r.key != 0 && !s.insert(key{"key", r.lane, r.key}, r.id) {
		s.rollback()
	}
	s.note(fact{what: "claimed", id: r.id, claim: r.claim, node: r.node})
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

// running reads what runs in the node's name, by the log or apart.
func (e *engine) running(s *session) (got claimed) {
	for _, log := range all[logRow](s, "log") {
		log.ids = slices.DeleteFunc(slices.Clone(log.ids), func(id int64) bool { return !s.open(id, log.claim) })
		if log.node == e.id {
			got.logs = append(got.logs, log)
		}
	}
	for _, r := range all[runRow](s, "run") {
		if r.node == e.id {
			got.runs = append(got.runs, r)
		}
	}
	return got
}

// open reports whether a member of a log row runs by it.
func (s *session) open(id, claim int64) bool {
	r, there := get[row](s, key{"task", id, 0})
	return there && s.past(r) < claim
}

// readBack finds out what became of a claim without an answer: what it has claimed has
// numbers above all that the process had. It may still commit: then
// nobody runs what it has claimed, until the node finds its own rows and lets them go.
func (e *engine) readBack(turn func(func() bool), ids []int64) (got claimed) {
	last := e.last
	other := func(id int64) bool {
		return !slices.Contains(ids, id) || slices.Contains(e.letting, id) && !e.mutant["read-back of what is let go"]
	}
	for {
		a := e.call(turn, func(s *session) {
			s.statement()
			got = e.running(s)
		})
		if !a.known || !a.committed {
			continue
		}
		if !e.mutant["read-back of old claims"] {
			got.logs = slices.DeleteFunc(got.logs, func(log logRow) bool { return log.claim <= last })
			got.runs = slices.DeleteFunc(got.runs, func(r runRow) bool { return r.claim <= last })
		}
		for i := range got.logs {
			got.logs[i].ids = slices.DeleteFunc(got.logs[i].ids, other)
		}
		got.runs = slices.DeleteFunc(got.runs, func(r runRow) bool { return other(r.id) })
		return got
	}
}

// handOut starts what a claim has got.
func (e *engine) handOut(got claimed) {
	for _, r := range got.runs {
		e.attempts = append(e.attempts, attempt{id: r.id, claim: r.claim, lane: r.lane, apart: true, leased: r.leased})
		e.last = max(e.last, r.claim)
	}
	for _, log := range got.logs {
		for _, id := range log.ids {
			e.attempts = append(e.attempts, attempt{id: id, claim: log.claim, lane: log.lane})
			e.last = max(e.last, log.claim)
		}
	}
}

// scan reads a lane's rows ahead, those that run too; of the others it keeps what they are.
func (e *engine) scan(turn func(func() bool), l int64) {
	found, rows := map[int64]int64{}, map[int64]row{}
	at, sent := e.known.look(), e.memory[l].version()
	var read lane
	var log memory
	var server int64
	a := e.call(turn, func(s *session) {
		s.statement()
		read, _ = get[lane](s, key{"lane", l, 0})
		server = s.server
		s.statement()
		log = s.log(l)
		s.statement()
		for k, value := range s.seen {
			if r, ok := value.(row); ok && r.lane == l && r.mark == 0 {
				found[k.a] = l
				if _, runs := get[runRow](s, key{"run", l, k.a}); !runs {
					rows[k.a] = r
				}
			}
		}
	})
	if !a.known || !a.committed {
		e.keep(at, nil)
		return
	}
	e.learnLane(at, l, read, server)
	for id, r := range rows {
		number := e.memory[l].number(id)
		if log.version() != sent {
			number = log.number(id)
		}
		if number > e.past(r) {
			delete(rows, id)
		}
	}
	e.keep(at, rows)
	if e.lanes[l] != 0 {
		maps.Copy(e.pending, found)
	}
}

// take makes the node owner of a lane. Its memory of the log begins anew.
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
		s.put(key{"lane", l, 0}, lane{e.id, epoch, then.changes})
	})
	if !a.known || !a.committed || epoch < e.lanes[l] {
		return
	}
	e.lanes[l] = epoch
	if !e.mutant["memory of a lane kept over a take-over"] {
		e.memory[l] = nil
	}
	e.scan(turn, l)
}

// free gives a lane back that has no keyed task running.
func (e *engine) free(turn func(func() bool), l int64) {
	epoch := e.lanes[l]
	if len(e.claiming) > 0 || epoch == 0 {
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
		s.put(key{"lane", l, 0}, lane{0, epoch + 1, then.changes})
	})
	maps.DeleteFunc(e.pending, func(_, of int64) bool { return of == l })
}
