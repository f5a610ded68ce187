package postgres

import (
	"encoding/binary"
	"maps"
	"slices"
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

// readAhead has pending rows that scans and settlements have read, and that enqueues have
// made, for the claims that follow. What becomes of a pending row of a lane is a claim, by
// which the greatest number in the lane's log is another one, or a change, which is counted.
// So a claim that finds, under the lock of the lane, both as memory has them need not look
// at the rows.
type readAhead struct {
	rows *ahead.Rows

	lock   sync.Mutex
	server int64
	last   int64 // state of a lane that was given
	lanes  map[uint16]laneState
}

// laneState is what is known of a lane that a scan has read.
type laneState struct {
	state   int64 // another one whenever its rows have to be forgotten; 0 for none
	changes int64
}

func newReadAhead() *readAhead {
	return &readAhead{rows: ahead.New(), lanes: map[uint16]laneState{}}
}

func (a *readAhead) next() int64 {
	a.last++
	return a.last
}

// looking is a look at rows that are to be kept, of lanes in the states in which they were
// before it.
type looking struct {
	*readAhead
	began  int64
	states map[uint16]int64
	room   bool // for what it finds
	found  []ahead.Row
}

// begin begins to look at rows of lanes. End has to be called.
func (a *readAhead) begin(lanes []uint16) *looking {
	a.lock.Lock()
	defer a.lock.Unlock()
	l := &looking{readAhead: a, states: make(map[uint16]int64, len(lanes))}
	l.began, l.room = a.rows.Begin()
	for _, lane := range lanes {
		l.states[lane] = a.lanes[lane].state
	}
	return l
}

// beginOf is begin for rows of which some lane is known, else nil.
func (a *readAhead) beginOf(ids []task.ID) *looking {
	a.lock.Lock()
	known := slices.ContainsFunc(ids, func(id task.ID) bool { return a.lanes[id.Lane()].state != 0 })
	a.lock.Unlock()
	if !known {
		return nil
	}
	lanes := map[uint16]bool{}
	for _, id := range ids {
		lanes[id.Lane()] = true
	}
	return a.begin(slices.Collect(maps.Keys(lanes)))
}

// lanesRead is what countChanges has read before the rows.
type lanesRead struct {
	server  int64
	changes map[uint16]int64
}

func (r *lanesRead) call(lanes []int32) *call {
	return &call{query: countChanges, args: []any{lanes}, start: func() { r.changes = map[uint16]int64{} }, scan: func(row row) error {
		r.changes[uint16(row.int(0))], r.server = row.int(1), row.int(2)
		return nil
	}}
}

// learn takes over what was read of the lanes in the look, before the rows.
func (l *looking) learn(read *lanesRead) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if read.server != l.server {
		l.server = read.server
		for lane := range l.lanes {
			l.doubt(lane)
		}
	}
	for lane, changes := range read.changes {
		now, asked := l.lanes[lane], l.states[lane]
		if now.state == asked && (now.state == 0 || now.changes != changes) {
			l.states[lane] = l.next()
			l.lanes[lane] = laneState{l.states[lane], changes}
		}
	}
}

// end keeps what was found in lanes that are as they were.
func (l *looking) end() {
	if l == nil {
		return
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	found := slices.DeleteFunc(l.found, func(r ahead.Row) bool { return l.states[r.ID.Lane()] == 0 })
	l.rows.End(l.began, found, func(lane uint16) int64 {
		if state := l.states[lane]; state != 0 {
			return state
		}
		return l.lanes[lane].state
	})
}

func (a *readAhead) doubt(lane uint16) {
	if now, known := a.lanes[lane]; known {
		now.state = a.next()
		a.lanes[lane] = now
	}
}

// doubtAll forgets the rows of lanes: somebody else may have claimed some.
func (a *readAhead) doubtAll(lanes []uint16) {
	a.lock.Lock()
	defer a.lock.Unlock()
	for _, lane := range lanes {
		a.doubt(lane)
	}
}

// forget forgets all lanes, when the node takes or frees some.
func (a *readAhead) forget() {
	a.lock.Lock()
	defer a.lock.Unlock()
	clear(a.lanes)
	a.rows.Forget()
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
	for i, packed := range a.rows.Take(items, func(lane uint16) int64 { return a.lanes[lane].state }) {
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

// keptColumns are what is read of rows t for claims, after an entry; the last is null for
// those that are not kept: keyed ones, large ones, those due after a time, and those that
// cannot run by the log. Past is the number of the row.
func keptColumns(past, until, now string) string {
	return `, ` + past + ` AS past, t.priority, t.policy, t.created_at, t.queue,
 CASE WHEN octet_length(t.spec) <= 1024 THEN t.spec END AS kept_spec, CASE WHEN octet_length(t.last_error) <= 2048 THEN t.last_error END AS kept_error,
 CASE WHEN t.run_at <= ` + until + ` AND t.key IS NULL AND t.park = 0 AND octet_length(t.payload) <= 1024 AND ` + past + ` <= ` + now + ` + ` + farAhead + `
  AND (octet_length(t.spec) > 1024) IS NOT TRUE AND (octet_length(t.last_error) > 2048) IS NOT TRUE THEN t.payload END AS kept_payload`
}

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

// anew forgets what was found: the statement is repeated.
func (l *looking) anew() {
	if l != nil {
		l.found = nil
	}
}

// inserted keeps a row that was made.
func (l *looking) inserted(item *store.Insert, made *store.Inserted, spec []byte) {
	t, e := item.Task, &made.Entry
	if l == nil || !l.room || t.Key != "" || e.RunAt > made.Created.UnixMicro() || len(t.Payload) > ahead.Largest || len(spec) > ahead.Largest {
		return
	}
	number := func(n int64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 0, 8), uint64(n)) }
	created := number(made.Created.UnixMicro())
	l.found = append(l.found, ahead.Row{ID: t.ID, Packed: pack(row{
		t.ID[:], number(e.RunAt), nil, nil, nil, nil, []byte(t.Type), []byte(t.Target), nil, nil, nil, created,
		number(int64(t.Priority)), []byte(t.Policy), created, []byte(t.Queue), spec, nil, append([]byte{}, t.Payload...),
	})})
}

// read keeps a row as it was read, if it is worth it.
func (l *looking) read(r row) {
	if l != nil && l.room && r[keptPayload] != nil {
		l.found = append(l.found, ahead.Row{ID: r.id(0), Packed: pack(r)})
	}
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
