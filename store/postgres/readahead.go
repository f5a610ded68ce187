package postgres

import (
	"encoding/binary"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ahead"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// lockToChange takes the lock of a lane, as lockLanes does, to change pending rows
	// of it otherwise than by a claim, and tells its queue: what scans have read of
	// them is no longer believed.
	lockToChange = newQuery(`UPDATE outlast_lane SET changes = changes + 1 WHERE lane = $1::integer RETURNING lane, queue`)

	// noteChanges is that for lanes that are locked.
	noteChanges = newQuery(`UPDATE outlast_lane SET changes = changes + 1 WHERE lane = ANY($1::integer[])`)

	// countChanges reads how often that was said of lanes, and when the server began.
	// Whoever reads rows of the lanes after it can tell by both whether they are as they were.
	countChanges = newQuery(`SELECT lane, changes, ` + serverStart + ` FROM outlast_lane WHERE lane = ANY($1::integer[])`)
)

// serverStart tells servers apart: one that takes over may lack what another had.
const serverStart = `(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint`

// readAhead has the pending rows that scans have read, for the claims that follow. What
// becomes of a pending row of a lane is a claim, by which the greatest number in the
// lane's log is another one, or a change, which is counted. So a claim that finds, under
// the lock of the lane, both as memory has them need not look at the rows.
type readAhead struct {
	rows *ahead.Rows

	lock   sync.Mutex
	server int64
	lanes  map[uint16]laneState
}

// laneState is what is known of a lane.
type laneState struct {
	count   int64 // how often rows of it had to be forgotten
	changes int64
}

func newReadAhead() *readAhead {
	return &readAhead{rows: ahead.New(), lanes: map[uint16]laneState{}}
}

// begin begins a scan of lanes, and says in which states they are and whether there is
// room for what it finds.
func (a *readAhead) begin(lanes []uint16) (before map[uint16]int64, room bool) {
	a.lock.Lock()
	defer a.lock.Unlock()
	before = make(map[uint16]int64, len(lanes))
	for _, lane := range lanes {
		before[lane] = a.lanes[lane].count
	}
	return before, a.rows.Begin()
}

// lanesRead is what countChanges has read before the rows.
type lanesRead struct {
	server  int64
	changes map[uint16]int64
}

func (l *lanesRead) call(lanes []int32) *call {
	return &call{query: countChanges, args: []any{lanes}, start: func() { l.changes = map[uint16]int64{} }, scan: func(r row) error {
		l.changes[uint16(r.int(0))], l.server = r.int(1), r.int(2)
		return nil
	}}
}

// end ends a scan, with the rows that it has found. It keeps those of lanes that are in
// the states in which it began, but for what it has read of their changes itself.
func (a *readAhead) end(found []ahead.Row, before map[uint16]int64, read *lanesRead) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if len(read.changes) > 0 && read.server != a.server {
		a.server = read.server
		for lane := range a.lanes {
			a.doubt(lane)
		}
	}
	states := make(map[uint16]int64, len(before))
	for lane, count := range before {
		now := a.lanes[lane]
		if changes := read.changes[lane]; now.count == count && now.changes != changes {
			a.lanes[lane] = laneState{count + 1, changes}
			count++
		}
		states[lane] = count
	}
	a.rows.End(found, func(lane uint16) int64 {
		if count, scanned := states[lane]; scanned {
			return count
		}
		return a.lanes[lane].count
	})
}

func (a *readAhead) doubt(lane uint16) {
	now := a.lanes[lane]
	now.count++
	a.lanes[lane] = now
}

// doubtAll forgets the rows of lanes: somebody else may have claimed some.
func (a *readAhead) doubtAll(lanes []uint16) {
	a.lock.Lock()
	defer a.lock.Unlock()
	for _, lane := range lanes {
		a.doubt(lane)
	}
}

// foreknown is what a claim knows of its rows before it begins.
type foreknown struct {
	tasks   map[uint16][]*task.Task // by lane, as they will be claimed
	changes map[uint16]int64        // of the lanes that the node owns
	server  int64
	ids     []task.ID
	lanes   []int32           // of ids
	others  []store.ClaimItem // of which nothing is known
	latest  int64             // when the last of them is due
	least   int64             // the number that the claim must reach
	bytes   int
}

// take takes rows of items that a claim of the owner of lanes may claim as they were read.
// They are read ahead no more, whatever becomes of the claim, which says when it has ended.
func (a *readAhead) take(claim *store.Claim, items []store.ClaimItem) *foreknown {
	a.lock.Lock()
	defer a.lock.Unlock()
	k := &foreknown{tasks: map[uint16][]*task.Task{}, changes: map[uint16]int64{}, server: a.server}
	for _, lane := range claim.Lanes {
		k.changes[lane.Lane] = a.lanes[lane.Lane].changes
	}
	scratch := make(row, 0, keptWidth)
	for i, packed := range a.rows.Take(items, func(lane uint16) int64 { return a.lanes[lane].count }) {
		if _, owned := k.changes[items[i].ID.Lane()]; packed == nil || items[i].Mark != 0 || !owned || claim.Lease != 0 {
			k.others = append(k.others, items[i])
			continue
		}
		scratch = unpack(scratch[:0], packed)
		k.add(scratch, claim.Holder())
	}
	if k.bytes > claim.MaxBytes/2 {
		return &foreknown{others: items}
	}
	return k
}

// keptColumns are what a scan reads of rows that are due, for claims; the last is null for
// those that are not kept: keyed ones, large ones, and those that cannot run by the log.
const keptColumns = `, t.priority, t.policy, t.created_at, t.queue,
 CASE WHEN octet_length(t.spec) <= 1024 THEN t.spec END, CASE WHEN octet_length(t.last_error) <= 2048 THEN t.last_error END,
 CASE WHEN t.run_at <= n.now AND t.key IS NULL AND t.park = 0 AND octet_length(t.payload) <= 1024 AND n.past <= n.now + ` + farAhead + `
  AND (octet_length(t.spec) > 1024) IS NOT TRUE AND (octet_length(t.last_error) > 2048) IS NOT TRUE THEN t.payload END`

// Places of the columns of a row that is kept: those of an entry, its number, and keptColumns.
const (
	keptPast = entryWidth + iota
	keptPriority
	keptPolicy
	keptCreated
	keptQueue
	keptSpec
	keptError
	keptPayload
	keptWidth
)

// add adds a row. The task keeps the memory of its payload.
func (k *foreknown) add(r row, holder string) {
	t := &task.Task{
		State: task.Running, Node: holder, ID: r.id(0), RunAt: r.time(1), Seq: r.int(3), Type: r.text(6), Target: r.text(7),
		Attempt: int(r.int(8)) + 1, Crashes: int(r.int(9)), Priority: int(r.int(keptPriority)), Policy: r.text(keptPolicy),
		CreatedAt: r.time(keptCreated), Queue: r.text(keptQueue), Payload: r[keptPayload],
	}
	t.Spec, t.LastError = stored.SpecOf(r[keptSpec]), stored.FailureOf(r[keptError])
	lane := t.ID.Lane()
	k.tasks[lane] = append(k.tasks[lane], t)
	k.ids, k.lanes = append(k.ids, t.ID), append(k.lanes, int32(lane))
	k.latest, k.least = max(k.latest, r.int(1)), max(k.least, r.int(keptPast)+1)
	k.bytes += len(t.Payload)
}

// args are arguments of claimRows: how often the owned lanes have changed, the ids, their
// lanes, when the last of them is due, and the server.
func (k *foreknown) args(owned []int32) []any {
	changes := make([]int64, len(owned))
	for i, lane := range owned {
		changes[i] = k.changes[uint16(lane)]
	}
	return []any{changes, k.ids, k.lanes, k.latest, k.server}
}

// claimed are the tasks of a lane, as a claim has taken them.
func (k *foreknown) claimed(lane uint16, claim int64, now time.Time) []*task.Task {
	for _, t := range k.tasks[lane] {
		t.Claim, t.StartedAt, t.UpdatedAt = claim, now, now
	}
	return k.tasks[lane]
}

// pack is a row that holds.
func pack(r row) []byte {
	size := 0
	for _, value := range r {
		size += len(value) + 2 // of lengths below 16 384
	}
	packed := make([]byte, 0, size)
	for _, value := range r {
		if value == nil {
			packed = append(packed, 0)
			continue
		}
		packed = append(binary.AppendUvarint(packed, uint64(len(value))+1), value...)
	}
	return packed
}

func unpack(r row, packed []byte) row {
	for len(packed) > 0 {
		size, n := binary.Uvarint(packed)
		packed = packed[n:]
		if size == 0 {
			r = append(r, nil)
			continue
		}
		r, packed = append(r, packed[:size-1:size-1]), packed[size-1:]
	}
	return r
}
