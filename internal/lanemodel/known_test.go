package lanemodel

// known are the rows that a process has read, or put back, for claims that do not look
// them up. It is package ahead, and what its store knows of lanes.
type known struct {
	server int64
	last   int64 // state that was given
	lanes  map[int64]laneState
	rows   map[int64]knownRow
	looks  int // under way
	clock  int64
	recent map[int64]int64 // when ids were claimed or settled while a look was under way
}

type laneState struct{ state, changes int64 }

type knownRow struct {
	row
	state int64
}

func newKnown() *known {
	return &known{lanes: map[int64]laneState{}, rows: map[int64]knownRow{}, recent: map[int64]int64{}}
}

// look is one at rows, of lanes in the states that they had before it.
type look struct {
	began  int64
	states map[int64]int64
}

func (k *known) look() *look {
	k.looks++
	l := &look{began: k.clock, states: map[int64]int64{}}
	for lane, now := range k.lanes {
		l.states[lane] = now.state
	}
	return l
}

// learn takes over what a scan has read of a lane before its rows.
func (e *engine) learnLane(l *look, number int64, read lane, server int64) {
	k := e.known
	if server != k.server {
		k.server = server
		for number := range k.lanes {
			e.doubt(number)
		}
	}
	if now := k.lanes[number]; now.state == l.states[number] && (now.state == 0 || now.changes != read.changes) {
		k.last++
		l.states[number] = k.last
		k.lanes[number] = laneState{k.last, read.changes}
	}
}

// doubt forgets the rows of a lane.
func (e *engine) doubt(number int64) {
	k := e.known
	if now, ok := k.lanes[number]; ok && !e.mutant["rows kept while the log was read"] {
		k.last++
		k.lanes[number] = laneState{k.last, now.changes}
	}
}

// keep ends a look, with the rows that it has found.
func (e *engine) keep(l *look, found map[int64]row) {
	k := e.known
	for _, id := range e.claiming {
		k.recent[id] = k.clock + 1
	}
	for id, r := range found {
		state := l.states[r.lane]
		if r.key == 0 && r.mark == 0 && state != 0 && state == k.lanes[r.lane].state && k.recent[id] <= l.began {
			k.rows[id] = knownRow{r, state}
		}
	}
	if k.looks--; k.looks == 0 {
		clear(k.recent)
	}
}

// meet notes that ids were claimed or settled.
func (e *engine) meet(ids ...int64) {
	k := e.known
	k.clock++
	for _, id := range ids {
		if k.looks > 0 {
			k.recent[id] = k.clock
		}
	}
}

// takeKnown takes what is known of the rows of a claim.
func (e *engine) takeKnown(c *claiming) {
	c.known, c.changes, c.server = map[int64]row{}, map[int64]int64{}, e.known.server
	for l := range c.epochs {
		c.changes[l] = e.known.lanes[l].changes
	}
	for _, id := range c.ids {
		r, ok := e.known.rows[id]
		if ok && !c.leased && r.state == e.known.lanes[r.lane].state && c.epochs[r.lane] != 0 {
			c.known[id] = r.row
		}
		delete(e.known.rows, id)
	}
}

// unchanged reports whether the rows that are known of a lane are as they were.
func (e *engine) unchanged(s *session, c *claiming, number int64) bool {
	now, _ := current(s, key{"lane", number, 0}, func(lane) bool { return true })
	return (now.changes == c.changes[number] || e.mutant["changes not compared"]) && (s.server == c.server || e.mutant["server not compared"])
}

// change counts a change of a pending row, under the lock of its lane.
func (s *session) change(number int64) {
	k := key{"lane", number, 0}
	now, _ := current(s, k, func(lane) bool { return true })
	now.changes++
	s.put(k, now)
}
