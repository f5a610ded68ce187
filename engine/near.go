package engine

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// near is the near future of the lanes that this node owns, and of rows that
// it borrows: which rows are pending, when they are due, which of them may
// start. It is bounded: rows beyond a lane's window stay on disk until there
// is room. Two structures hold it: waiting, by time, and ready, by aged
// priority (see queue). It knows no store and no clock, and it is not safe
// for concurrent use; the engine guards it with one lock.
type near struct {
	known   map[task.ID]*entry
	waiting pile[*entry] // not due yet, by at
	lanes   map[uint16]*lane
	queues  map[string]*queue
	order   []*queue // the same, for the round over queues
	turn    int
	targets map[string]*target
	lines   map[lineID]*line
	limit   int   // entries over all lanes
	horizon int64 // µs: rows due later stay on disk
	slots   int
	share   float64 // of the slots that one target may hold
	running int

	expiries  pile[*expiry]            // ready entries whose deadline is known, by that
	wakes     pile[*target]            // targets with a gate that is shut for a time, by that
	yielding  map[*target]bool         // targets where some give way to others, see fares
	elsewhere map[string]store.Breaker // what other nodes say of targets
	orders    map[string]store.TargetOrder
	crowd     crowd
	limits    func(target string) int // see [Config.TargetLimit]
	untested  func(target string) bool
	unguarded func(taskType string) bool
	sharers   int      // nodes between which the floors of budgets are divided
	changes   []change // of breakers, still to be told
	later     []func() // what takes long, to be done without the lock
	random    retry.Rand
	grants    []grant // not given yet

	served served                       // what remote workers can start
	local  func(capability string) bool // whether this node itself can
	polls  *[]*poll                     // of remote workers that wait, the oldest first

	clock    time.Time // as of the last look at it
	now      int64     // the same, µs
	watched  int64     // when the suspect began
	suspect  *entry    // the task with crashes >= 2 that is claimed or runs
	suspects []*entry  // others like it, waiting for their turn
	ready    int
}

// entry is a pending or claimed row in memory.
type entry struct {
	store.Entry
	lane   *lane // nil for a borrowed row
	queue  *queue
	stream *stream
	line   *line   // nil without an ordering key
	at     int64   // when it may start, µs: RunAt, or later after a refusal
	mark   int64   // the park mark that the row has, for a borrowed row
	gates  gates   // of its target that it must pass
	cost   float64 // budget tokens that its start takes
	local  bool    // its target is no more than its type
	free   bool    // its handler wants no guards
	grant  *grant  // what it holds while it is claimed
	poll   *poll   // whose worker gets it, while it is being claimed; nil for this node
	// attempt is set from the commit of its claim until that of its settlement.
	attempt *attempt
	where   spot
	index   int

	expires int64 // µs: the deadline of the task; 0 for none, or unknown
	read    bool  // it is known
	doom    int   // in near.expiries
	overdue bool  // claimed because its deadline has passed
}

func (e *entry) place() *int { return &e.index }

// spot says which structure holds an entry.
type spot uint8

const (
	nowhere spot = iota
	isWaiting
	isReady
	isBehind  // behind the head of its ordering key
	isSuspect // waits for another suspect to end
	isClaimed // handed to a claim, or running
)

// lane is what the node knows of a lane that it owns.
type lane struct {
	number  uint16
	epoch   int64
	queue   *queue
	count   int   // entries in memory, running ones included
	after   int64 // pending rows without a mark up to (after, afterID) by (rank, id) are in memory
	afterID task.ID
	done    bool  // after is the horizon of the last load, not the end of a full page
	skipped int64 // µs: the least RunAt beyond the horizon of the rows read and left on disk
	missed  int64 // the least rank that rewind was called with while a page is being read
	behind  int   // entries behind the heads of their keys
	drained int64 // µs: no keyed task starts until then
	drains  int64 // µs: it may be drained again from then on
	marks   map[int64]*parked
}

// lastID is greater than every id of a task.
var lastID = task.ID{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

func newNear(limit, slots int, share float64) *near {
	return &near{
		known:   map[task.ID]*entry{},
		waiting: pile[*entry]{rank: func(e *entry) rank { return rank{first: e.at} }},
		lanes:   map[uint16]*lane{},
		queues:  map[string]*queue{},
		targets: map[string]*target{},
		lines:   map[lineID]*line{},
		limit:   limit,
		slots:   slots,
		share:   share,
		sharers: 1,

		local: func(string) bool { return true },
		polls: new([]*poll),

		expiries: pile[*expiry]{rank: func(x *expiry) rank { return rank{first: x.expires} }},
		yielding: map[*target]bool{},
		wakes:    pile[*target]{rank: func(t *target) rank { return rank{first: t.wakes} }},
	}
}

// draw is a random number in [0, 1).
func (n *near) draw() float64 {
	if n.random == nil {
		return rand.Float64()
	}
	return n.random.Float64()
}

// window is how many entries one lane may have in memory.
func (n *near) window() int {
	return max(64, n.limit/max(1, len(n.lanes)))
}

// own adds a lane that the node has taken.
func (n *near) own(number uint16, epoch int64, q *queue) *lane {
	l := &lane{number: number, epoch: epoch, queue: q, after: math.MinInt64, skipped: math.MaxInt64, missed: math.MaxInt64, marks: map[int64]*parked{}}
	n.lanes[number] = l
	return l
}

// disown forgets a lane and its entries, except for those that run.
func (n *near) disown(l *lane) {
	delete(n.lanes, l.number)
	for _, e := range n.known {
		if e.lane != l {
			continue
		}
		if e.where == isClaimed {
			e.lane = nil
			continue
		}
		n.forget(e)
	}
	for id, line := range n.lines {
		if id.lane == l.number {
			if line.head == nil {
				delete(n.lines, id)
			}
		}
	}
}

// add puts a pending row into memory, if it is due within the horizon, there
// is room for it and it is not known. Rows that a scan has brought are
// wanted; others (fresh ones, retries) may be left on disk. A row that is
// known otherwise, because it was moved elsewhere, replaces what is known.
func (n *near) add(q *queue, row store.Entry, wanted bool) *entry {
	if e := n.known[row.ID]; e != nil {
		same := e.RunAt == row.RunAt && e.Rank == row.Rank && e.Attempt == row.Attempt && e.Crashes == row.Crashes &&
			e.mark == row.Park && e.lane == n.lanes[row.ID.Lane()]
		if e.where == isClaimed || same {
			return nil
		}
		n.forget(e)
	}
	l := n.lanes[row.ID.Lane()]
	if row.RunAt > n.horizon {
		l.pass(row)
		return nil
	}
	if !wanted && l != nil && !n.admit(l, q, row) {
		return nil
	}
	e := &entry{Entry: row, lane: l, queue: q, at: row.RunAt, index: -1, doom: -1, local: row.Target == row.Type}
	e.free = e.local && n.unguarded != nil && n.unguarded(row.Type)
	if l != nil {
		l.count++
	}
	n.known[row.ID] = e
	e.stream = q.stream(n, row.Target)
	e.stream.count++
	e.pays(usualToll)
	if row.Key != "" {
		n.lineUp(e)
	} else {
		n.schedule(e)
	}
	return e
}

// admit decides whether a row that memory learned of outside a scan is kept.
// One that a later scan will meet may be left on disk; but a target that has
// next to nothing in memory must not wait behind the backlog of others.
func (n *near) admit(l *lane, q *queue, row store.Entry) bool {
	covered := row.Rank <= l.after
	if l.count < n.window() {
		return true
	}
	if all, _ := q.has(row.Target); all < 32 && l.count < 2*n.window() {
		return true
	}
	if covered {
		l.rewind(row.Rank)
	}
	return false
}

// pass notes a row that was seen and left on disk because it is due beyond
// the horizon, so that the lane is read again in time.
func (l *lane) pass(row store.Entry) {
	if l != nil && row.Rank <= l.after {
		l.skipped = min(l.skipped, row.RunAt)
	}
}

// rewind makes the loader read the lane again from a rank on, also if it is reading
// there just now: its page may be older than the row.
func (l *lane) rewind(rank int64) {
	l.missed = min(l.missed, rank)
	if rank <= l.after {
		l.after, l.afterID, l.done = rank-1, lastID, false
	}
}

// schedule puts an entry that nothing but time holds back where it belongs.
func (n *near) schedule(e *entry) {
	if e.at <= n.now && e.held(n.now) {
		e.at = e.lane.drained
	}
	if e.at > n.now {
		e.where = isWaiting
		n.waiting.push(e)
		return
	}
	e.where = isReady
	e.stream.push(e)
	n.ready++
	n.awaitExpiry(e)
}

// reads notes the time. It does not go back.
func (n *near) reads(now time.Time) {
	if now.After(n.clock) {
		n.clock, n.now = now, micros(now)
	}
}

// due moves entries whose time has come to the ready structure.
func (n *near) due(at time.Time) {
	n.reads(at)
	now := micros(at)
	n.waken(now)
	n.endWatch()
	n.endTurns()
	n.askYielding()
	for n.waiting.len() > 0 && n.waiting.first().at <= now {
		n.schedule(n.waiting.pop())
	}
}

// next is when the next entry will be due or the next gate is to be asked
// again; false if nothing waits.
func (n *near) next() (int64, bool) {
	at := int64(math.MaxInt64)
	if n.waiting.len() > 0 {
		at = n.waiting.first().at
	}
	if n.wakes.len() > 0 {
		at = min(at, n.wakes.first().wakes)
	}
	at = min(at, n.nextExpiry())
	if len(n.suspects) > 0 && n.suspect != nil {
		at = min(at, n.watched+watchFor.Microseconds())
	}
	at = min(at, n.nextYielding())
	return at, at != math.MaxInt64
}

// lift takes an entry out of the structure that holds it.
func (n *near) lift(e *entry) {
	switch e.where {
	case isWaiting:
		n.waiting.remove(e)
	case isReady:
		e.stream.remove(e)
		n.ready--
		n.leaveExpiries(e)
	case isBehind:
		e.line.behind.remove(e)
		if e.lane != nil {
			e.lane.behind--
		}
	case isSuspect:
		for i, other := range n.suspects {
			if other == e {
				n.suspects = append(n.suspects[:i], n.suspects[i+1:]...)
				break
			}
		}
	}
	e.where = nowhere
}

// forget drops an entry; its row stays on disk.
func (n *near) forget(e *entry) {
	if n.known[e.ID] != e {
		return
	}
	n.lift(e)
	delete(n.known, e.ID)
	if e.lane != nil {
		e.lane.count--
	}
	e.stream.count--
	if e.gates&byBudget != 0 {
		e.stream.retries--
	}
	if e.line != nil {
		n.leaveLine(e)
	}
	if n.suspect == e {
		n.suspect = nil
		n.freeSuspects()
	}
	e.queue.tidy(n, e.stream)
}

// delay makes an entry wait until at, whatever its RunAt.
func (n *near) delay(e *entry, at int64) {
	n.lift(e)
	e.at = at
	n.schedule(e)
}

// again puts a task that was settled as pending back, or leaves it on disk
// if it is due beyond the horizon or there is no room.
func (n *near) again(e *entry, row store.Entry, next toll) {
	e.Entry, e.at, e.mark = row, row.RunAt, 0
	e.pays(next)
	if l := n.lanes[row.ID.Lane()]; e.lane == nil && l != nil {
		e.lane = l
		l.count++
	}
	if e.lane == nil || !n.stays(e.lane, row) {
		n.forget(e)
		return
	}
	n.schedule(e)
}

// stays decides like admit about a row that is in memory already.
func (n *near) stays(l *lane, row store.Entry) bool {
	if row.RunAt > n.horizon {
		l.pass(row)
		return false
	}
	if l.count <= n.window() {
		return true
	}
	l.rewind(row.Rank)
	return false
}

// lookFor makes the loader look at a lane again from a rank on: a row that
// memory has not seen was written there.
func (n *near) lookFor(number uint16, rank int64) {
	if l := n.lanes[number]; l != nil {
		l.rewind(rank)
	}
}

// hungry reports whether rows that are due soon are left on disk.
func (l *lane) hungry(n *near) bool {
	return !l.done || l.after < n.horizon-horizonSlack || l.skipped <= n.horizon
}

// horizonSlack is how far the horizon moves on before it is read up to again.
const horizonSlack = int64(15 * time.Second / time.Microsecond)

// wants reports whether the loader has work in the lane: it runs low, or
// rows of it are parked.
func (n *near) wants(l *lane) bool {
	return l != nil && (l.hungry(n) && l.count <= n.window()/2 || len(l.marks) > 0)
}
