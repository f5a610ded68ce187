// Package agenda decides what may start next on a node, and when: by time, priority, the
// turns of queues and targets, ordering keys, limits, and the guards of what the tasks
// call. It is pure: it knows no store, no clock, no lock and no goroutine. Times come as
// arguments, what is random and what the node can do by functions of its [Config]. An
// [Agenda] and all that it returns is not safe for concurrent use: the engine drives it
// under one lock.
//
// The way of a task: [Agenda.Add] puts its row into memory, [Agenda.Due] sees that its time
// has come, Choose takes it past all gates. If the store refuses the claim, NotStarted gives
// back what it was granted. Else Conclude hears how the attempt went, and after the
// settlement End makes its place free, and [Agenda.Again] or [Agenda.Forget] follows.
//
// An agenda is made of parts, each in a file of its own, which know those before them: the
// targets and their guards (package guard), the timeline, the keys, the lanes, the queues,
// parking and starts. What a part does that concerns no other one is its own method.
package agenda

import (
	"math"
	"time"

	"github.com/outlast-dev/outlast/internal/agenda/guard"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Agenda is the near future of the lanes that a node owns, and of rows that
// it borrows: which rows are pending, when they are due, which of them may
// start. It is bounded: rows beyond a lane's window stay on disk until there
// is room. Two structures hold it: the timeline, by time, and the streams of queues,
// share keys and targets, by turns and aged priority (see [Queue]).
type Agenda struct {
	*guard.Targets
	timeline
	keys
	lanes
	queues
	parking
	starts

	known     map[task.ID]*Entry
	clock     guard.Clock
	unguarded func(taskType string) bool
}

// Config says how much there may be in memory, and what an agenda asks. Its functions
// are asked at every choice or for each row: they take no lock and must not block.
type Config struct {
	NearFuture int     // entries over all lanes
	Slots      int     // of this node
	Share      float64 // of the slots that one target may hold
	// Internal is the queue of the installation itself, for which a slot is kept.
	Internal string
	Rand     retry.Rand // math/rand/v2 when nil
	Once     *Once      // for a node that works what is due once; nil for one that goes on

	// TargetLimit is how many attempts of a target may run at once over all nodes, 0 for no
	// limit; nil for none at all.
	TargetLimit func(target string) int
	// Untested reports whether it is not known that anybody takes tasks of a target; nil
	// for never.
	Untested func(target string) bool
	// Unguarded reports whether the handler of a type wants no guards; nil for never.
	Unguarded func(taskType string) bool
	// Takes says who is given an entry of a capability: this node, nil, or a taker; ok is
	// false if nobody is there to take it now. Nil for this node.
	Takes func(queue, capability string) (to Taker, ok bool)
	// Returns reports whether rows that were left to nodes with a capability should come
	// back. It may be nil where no marks are read.
	Returns func(queue, capability string) bool
}

// New makes an agenda without lanes.
func New(config Config) *Agenda {
	if config.Takes == nil {
		config.Takes = func(string, string) (Taker, bool) { return nil, true }
	}
	a := &Agenda{known: map[task.ID]*Entry{}, unguarded: config.Unguarded}
	a.Targets = guard.New(guard.Config{
		Clock: &a.clock, Share: max(1, int(float64(config.Slots)*config.Share)), Rand: config.Rand,
		TargetLimit: config.TargetLimit, Untested: config.Untested, Unguarded: config.Unguarded,
	})
	a.timeline = newTimeline(&a.clock)
	a.keys = keys{timeline: &a.timeline, byID: map[keyID]*sequence{}}
	a.lanes = lanes{owned: map[uint16]*Lane{}, nearFuture: config.NearFuture}
	a.queues = queues{byName: map[string]*Queue{}, slots: config.Slots, internal: config.Internal, rand: config.Rand, rates: newRates(&a.clock)}
	a.parking = parking{timeline: &a.timeline, lanes: &a.lanes, keys: &a.keys, targets: a.Targets, returns: config.Returns}
	a.starts = starts{timeline: &a.timeline, queues: &a.queues, pass: newPass(config.Once), takes: config.Takes}
	return a
}

// Entry is what memory knows of a task, nil for nothing.
func (a *Agenda) Entry(id task.ID) *Entry { return a.known[id] }

// Entries yields all entries.
func (a *Agenda) Entries(yield func(*Entry) bool) {
	for _, e := range a.known {
		if !yield(e) {
			return
		}
	}
}

// Own adds a lane that the node has taken.
func (a *Agenda) Own(number uint16, epoch int64, queue string) *Lane {
	l := newLane(number, epoch, a.queueOf(queue))
	a.owned[number] = l
	return l
}

// Disown forgets a lane and its entries, except for those that run.
func (a *Agenda) Disown(l *Lane) {
	delete(a.owned, l.number)
	for _, e := range a.known {
		if e.lane != l {
			continue
		}
		if e.where == isClaimed {
			e.lane, e.portion = nil, nil
			continue
		}
		a.Forget(e)
	}
	a.keys.forget(l.number)
}

// SetQueue takes over the settings of a queue, which is new if need be.
func (a *Agenda) SetQueue(name string, s QueueSettings) {
	q := a.queueOf(name)
	if q.Paused && !s.Paused {
		a.awaitDeadlines(q)
	}
	each := q.Each
	if q.QueueSettings = s; each != s.Each {
		for _, sh := range q.shares {
			sh.refresh()
		}
	}
}

// Add puts a pending row into memory, if it is due within the horizon, there
// is room for it and it is not known. Rows that a scan has brought are
// wanted; others (fresh ones, retries) may be left on disk. A row that is
// known otherwise, because it was moved elsewhere, replaces what is known.
func (a *Agenda) Add(q *Queue, row store.Entry, wanted bool) *Entry {
	if a.pass != nil && !a.pass.wants(q, &row) {
		return nil
	}
	l := a.owned[row.ID.Lane()]
	if e := a.known[row.ID]; e != nil {
		same := e.RunAt == row.RunAt && e.Rank == row.Rank && e.Attempt == row.Attempt && e.Crashes == row.Crashes &&
			e.Mark == row.Park && e.lane == l
		if e.where == isClaimed || same {
			return nil
		}
		a.Forget(e)
	}
	if row.Share != "" && !q.keyed {
		a.useShares(q)
	}
	if a.TooFar(l, row) || l != nil && !a.keeps(l, q, &row, wanted) {
		return nil
	}
	e := &Entry{Entry: row, lane: l, queue: q, at: row.RunAt, index: -1, deadlineIndex: -1}
	local := row.Target == row.Type
	e.call = guard.Call{Local: local, Free: local && a.unguarded != nil && a.unguarded(row.Type), Push: Capability(&row) == Push}
	if l != nil {
		l.count++
		if q.keyed {
			e.joinPortion()
		}
	}
	a.known[row.ID] = e
	e.stream = q.stream(a.Targets, row.Share, row.Target)
	e.stream.count++
	e.stream.crowd.count++
	e.requires(guard.Usual)
	if row.Key != "" {
		a.insert(e)
	} else {
		a.schedule(e)
	}
	return e
}

// useShares makes portions of what is in memory of a queue in which a share key is seen
// for the first time.
func (a *Agenda) useShares(q *Queue) {
	q.keyed = true
	for _, sh := range q.shares {
		sh.runs(0)
	}
	for _, e := range a.known {
		if e.queue == q && e.lane != nil {
			e.joinPortion()
		}
	}
}

// Borrow puts a row of another node's lane into memory, which is claimed by its mark, and
// reports whether there was room.
func (a *Agenda) Borrow(queue string, row store.Entry) bool {
	if len(a.known) > a.nearFuture {
		return false
	}
	if e := a.Add(a.queueOf(queue), row, true); e != nil {
		e.Mark = row.Park
	}
	return true
}

// Due moves entries whose time has come to the streams.
func (a *Agenda) Due(at time.Time) {
	now := at.UnixMicro()
	a.clock.Advance(at)
	a.Wake(now)
	a.rates.wake(now)
	a.checkIsolation()
	a.endTurns(a.clock.Micros)
	a.AskYielding()
	a.advance(now)
}

// Next is when the next entry will be due or the next gate is to be asked
// again; false if nothing waits.
func (a *Agenda) Next() (int64, bool) {
	at := min(a.timeline.next(), a.NextWake(), a.rates.next())
	return at, at != math.MaxInt64
}

// Forget drops an entry; its row stays on disk.
func (a *Agenda) Forget(e *Entry) {
	if a.known[e.ID] != e {
		return
	}
	a.lift(e)
	delete(a.known, e.ID)
	e.leavePortion()
	if e.lane != nil {
		e.lane.count--
	}
	s := e.stream
	s.count--
	s.crowd.count--
	if e.call.Gates.Kind() == guard.Retries {
		s.crowd.retries--
	}
	if e.sequence != nil {
		a.leave(e)
	}
	if a.poison.alone == e {
		a.endIsolation()
	}
	if s.count == 0 {
		e.queue.drop(s)
	}
}

// LeaveToOthers drops what memory has of rows that are to be left to other nodes, which is found
// again when its lane is read.
func (a *Agenda) LeaveToOthers(which func(q *Queue, row *store.Entry) bool) {
	for _, e := range a.known {
		if e.where != isClaimed && which(e.queue, &e.Entry) {
			if e.lane != nil {
				e.lane.ReadAnew()
			}
			a.Forget(e)
		}
	}
}

// Again puts a task that was settled as pending back, or leaves it on disk
// if it is due beyond the horizon or there is no room.
func (a *Agenda) Again(e *Entry, row store.Entry, next guard.Requirement) {
	e.Entry, e.at, e.Mark = row, row.RunAt, 0
	e.requires(next)
	if l := a.owned[row.ID.Lane()]; e.lane == nil && l != nil {
		e.lane = l
		l.count++
		if e.queue.keyed {
			e.joinPortion()
		}
	}
	if e.lane == nil || !a.stays(e.lane, e.portion, row) {
		a.Forget(e)
		return
	}
	a.schedule(e)
}

// Lead makes the true head of a key, of which the store has told, the head in memory,
// if it stands there behind an entry of this key.
func (a *Agenda) Lead(e *Entry, head store.Entry) bool { return a.lead(e, a.known[head.ID], head) }

// Shelve forgets what memory has of an entry's key, but for a head that runs, to be
// parked: the key is blocked, by a dead task or by a head that is due beyond the
// horizon. It returns the marks to write.
func (a *Agenda) Shelve(e *Entry, now int64) (marks []store.Marking) {
	number := a.block(e, now)
	for _, shelved := range a.clear(e.sequence) {
		marks = append(marks, store.Marking{ID: shelved.ID, Mark: number})
		a.Forget(shelved)
	}
	return marks
}

// Parked forgets surplus entries, whose marks have been written or not: the rows of
// those that have none are read again.
func (a *Agenda) Parked(entries []Surplus, written bool) {
	for _, s := range entries {
		if l := s.lane; l != nil && !written {
			l.ReadAnew()
		}
		a.Forget(s.Entry)
	}
}

// Lend forgets the first tasks of a type, for which no taker asks, so that nodes take
// them where one does. It returns the marks to write; the rows stay on disk until then
// at least.
func (a *Agenda) Lend(queue, name string, most int, until int64) (marks []store.Marking) {
	q := a.queues.byName[queue]
	if q == nil || q.crowds[name] == nil || !q.crowds[name].unasked {
		return nil
	}
	for _, e := range q.crowds[name].front(most) {
		l := e.lane
		if a.Forget(e); l == nil {
			continue // borrowed, and marked already
		}
		number := l.NoteLeft(Capability(&e.Entry))
		l.marks[number].until = until
		marks = append(marks, store.Marking{ID: e.ID, Mark: number})
	}
	return marks
}

// NoteDeadlines notes the deadlines of entries that UnknownDeadlines has listed; zero for
// none.
func (a *Agenda) NoteDeadlines(deadlines map[task.ID]time.Time, ids []task.ID) {
	for _, id := range ids {
		if e := a.known[id]; e != nil && e.where == isReady && !e.read {
			e.stream.unread--
			if e.readDeadline(deadlines[id]); e.expires != 0 {
				a.awaitDeadline(e)
			}
		}
	}
}

// LookAhead moves the horizon: so far ahead of now, or as far as a pass goes.
func (a *Agenda) LookAhead(now time.Time, far time.Duration) {
	a.horizon = a.pass.horizon(now, now.Add(far).UnixMicro())
}

// Works reports whether the node is to work a row: all but a pass work every one.
func (a *Agenda) Works(q *Queue, row *store.Entry) bool {
	return a.pass == nil || a.pass.wants(q, row)
}

// Pass is what the node works once; nil for a node that goes on.
func (a *Agenda) Pass() *Pass { return a.pass }

// Widen reads share keys on of which nothing in memory may start although more of them is
// on disk: what they have there waits for a time, a target or the head of an ordering key,
// and must not hold back what is behind it. They may have more than their part, twice as
// much each time, as far as there is room; after that, what is behind gates is parked. It
// reports whether there are such.
func (a *Agenda) Widen() (some bool) {
	for _, l := range a.owned {
		some = a.lanes.widen(l) || some
	}
	return some
}

// Rests notes whether a pass has nothing to do, as the dispatcher finds that nothing may
// start. Busy says that attempts have not been settled, or marks not been written.
func (a *Agenda) Rests(now int64, busy bool) {
	p := a.pass
	if p == nil {
		return
	}
	p.rested = -1
	if busy || a.running > 0 {
		return
	}
	for _, l := range a.owned {
		if p.admits(l.queue) && (a.runsLow(l) || a.lags(l) || a.widen(l) || a.comeBack(l, now)) {
			return
		}
	}
	if at, ok := a.Next(); ok && p.left > 0 && at <= max(p.moved, p.until)+duePatience.Microseconds() {
		return
	}
	p.rested = p.looks
}
