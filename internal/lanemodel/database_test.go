package lanemodel

import (
	"maps"
	"slices"
)

// key names a row: a table and what is unique in it.
type key struct {
	table string
	a, b  int64
}

type (
	lane struct{ owner, epoch, changes int64 }
	node struct{ state string } // alive, left or dead
	row  struct {
		lane, key, seq        int64
		mark                  int64 // of a row that others may borrow; 0: none
		claim, created, apart int64 // the last claim that was resolved, 0: none; since when it is there; the claim under which it was set apart
		attempts, crashes     int
	}
	logRow struct { // of a claim: the rows of one lane that run by it, until they are resolved or set apart
		lane, claim, node, started int64
		ids                        []int64
	}
	runRow struct { // of one task that is keyed, borrowed, leased to a remote worker, or was set apart
		lane, id, claim, node, key int64
		leased, cancel             bool
	}
	ended struct {
		claim   int64
		outcome string // succeeded, died or canceled
		at      int64
	}
)

// fact is something that a commit did, for the checks.
type fact struct {
	what      string
	id, claim int64
	outcome   string
	node      int64 // that holds it, or has ended it
	as        *row  // of a claim that did not look: the row as the process knows it
}

// database holds what has committed, and as much of the past as a standby may lack.
type database struct {
	*world
	rows   map[key]any
	locks  map[key]*session
	facts  []fact
	then   []past
	now    int64
	server int64 // how many have taken over
}

type past struct {
	rows  map[key]any
	facts int
}

// session is one transaction.
type session struct {
	*database
	turn     func(ready func() bool)
	began    int64       // now(): when the transaction began
	seen     map[key]any // the statement's snapshot
	mine     map[key]any // what it wrote; nil: deleted
	facts    []fact
	held     []key
	aborted  bool
	finished bool
}

type abort struct{}

// statement begins one: others have had their turns, and it sees what they committed.
func (s *session) statement() {
	wait := 0
	if s.random.IntN(40) == 0 {
		wait = s.random.IntN(200)
	}
	s.turn(func() bool { wait--; return wait <= 0 || s.aborted })
	if s.now += 1 + s.random.Int64N(3); s.coarse && s.random.IntN(20) > 0 {
		s.now -= 2
	}
	if s.began == 0 {
		s.began = s.now
	}
	s.seen = s.database.rows
}

// get is a row as the statement sees it.
func get[T any](s *session, k key) (value T, ok bool) {
	if own, wrote := s.mine[k]; wrote {
		value, ok = own.(T)
		return value, ok
	}
	value, ok = s.seen[k].(T)
	return value, ok
}

// all are the rows of a table that the statement sees.
func all[T any](s *session, table string) (found []T) {
	keys := slices.SortedFunc(maps.Keys(s.seen), compare)
	for _, k := range keys {
		if k.table != table {
			continue
		}
		if value, ok := get[T](s, k); ok {
			found = append(found, value)
		}
	}
	return found
}

// lock waits for a row and is its only writer to the end of the transaction.
func (s *session) lock(k key) {
	if s.locks[k] == s {
		return
	}
	s.turn(func() bool { return s.aborted || s.locks[k] == nil })
	s.locks[k], s.held = s, append(s.held, k)
}

// try is lock for who would rather not wait.
func (s *session) try(k key) bool {
	if s.locks[k] != nil && s.locks[k] != s {
		return false
	}
	s.lock(k)
	return true
}

// locked is a row as it is now, whatever the statement's snapshot has, as after a wait:
// nothing if it does not match any more.
func locked[T any](s *session, k key, matches func(T) bool) (value T, ok bool) {
	if value, ok = get[T](s, k); !ok || !matches(value) {
		return value, false
	}
	s.lock(k)
	return current(s, k, matches)
}

// current is a row that the transaction has locked.
func current[T any](s *session, k key, matches func(T) bool) (value T, ok bool) {
	if own, wrote := s.mine[k]; wrote {
		value, ok = own.(T)
	} else {
		value, ok = s.database.rows[k].(T)
	}
	return value, ok && matches(value)
}

func (s *session) put(k key, value any) { s.mine[k] = value }

// insert waits for who writes the same key, and reports whether the place was free.
func (s *session) insert(k key, value any) bool {
	s.lock(k)
	if own, wrote := s.mine[k]; wrote && own != nil {
		return false
	}
	if _, wrote := s.mine[k]; !wrote && s.database.rows[k] != nil {
		return false
	}
	s.mine[k] = value
	return true
}

// set writes a row without a transaction. Maps that were seen do not change.
func (d *database) set(k key, value any) {
	d.rows = maps.Clone(d.rows)
	d.rows[k] = value
}

func (s *session) note(f fact) { s.facts = append(s.facts, f) }

func (s *session) rollback() { panic(abort{}) }

// run does a transaction to its end, and reports whether it committed.
func (s *session) run(body func()) (committed bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(abort); !ok {
				panic(p)
			}
			committed = false
		}
		for _, k := range s.held {
			delete(s.locks, k)
		}
		s.finished = true
	}()
	body()
	s.turn(nil)
	s.commit()
	return true
}

func (s *session) commit() {
	d := s.database
	d.then = append(d.then, past{d.rows, len(d.facts)})
	d.rows = maps.Clone(d.rows)
	if len(d.then) > 10 {
		d.then = d.then[1:]
	}
	for k, value := range s.mine {
		if *seed != 0 && (k.table == "run" || k.table == "log") {
			d.t.Logf("%d: %v = %+v", d.now, k, value)
		}
		if value == nil {
			delete(d.rows, k)
		} else {
			d.rows[k] = value
		}
	}
	for _, f := range s.facts {
		d.facts = append(d.facts, f)
		if *seed != 0 {
			d.t.Logf("%d: %+v", d.now, f)
		}
		d.check(f)
	}
	d.atRest()
}

// fail is a standby that takes over and lacks the last commits; its clock may be behind.
func (d *database) fail(lacks int) {
	lacks = min(lacks, len(d.then))
	if *seed != 0 {
		d.t.Logf("%d: a standby lacks %d", d.now, lacks)
	}
	if lacks > 0 {
		then := d.then[len(d.then)-lacks]
		d.lost = append(d.lost, d.facts[then.facts:]...)
		d.rows, d.facts, d.then = then.rows, d.facts[:then.facts], nil
	}
	for _, f := range d.fibers {
		if f.session != nil {
			f.session.aborted = true
		}
	}
	d.server++
	d.now -= d.random.Int64N([]int64{20, 20, 400}[d.random.IntN(3)])
}

func compare(a, b key) int {
	if a.a != b.a {
		return int(a.a - b.a)
	}
	return int(a.b - b.b)
}
