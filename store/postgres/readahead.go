package postgres

import (
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ahead"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
	"github.com/outlast-dev/outlast/task"
)

var (
	// lockToChange takes the lock of a lane, as lockLanes does, to change pending rows
	// of it otherwise than by a claim, and tells its queue: what scans have read of
	// them is no longer believed.
	lockToChange = wire.NewQuery(`UPDATE outlast_lane SET changes = changes + 1 WHERE lane = $1::integer RETURNING lane, queue`)

	// noteChanges is that for lanes that are locked.
	noteChanges = wire.NewQuery(`UPDATE outlast_lane SET changes = changes + 1 WHERE lane = ANY($1::integer[])`)

	// countChanges reads how often that was said of lanes, and when the server began.
	// Whoever reads rows of the lanes after it can tell by both whether they are as they were.
	countChanges = wire.NewQuery(`SELECT lane, changes, ` + serverStart + ` FROM outlast_lane WHERE lane = ANY($1::integer[])`)
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

	lock  sync.Mutex
	lanes map[uint16]laneState
}

// laneState is what is known of a lane.
type laneState struct {
	owned bool  // nodes of the process claim in it
	count int64 // how often rows of it had to be forgotten
	laneVersion
}

// laneVersion is how often a lane had been changed when its rows were read, and on which
// server that was, by when it began: one that takes over may lack what another had.
type laneVersion struct{ changes, server int64 }

func newReadAhead() *readAhead {
	return &readAhead{rows: ahead.New(), lanes: map[uint16]laneState{}}
}

// own notes which lanes nodes of the process own, or own no more.
func (a *readAhead) own(lanes []store.LaneEpoch, owned bool) {
	a.lock.Lock()
	defer a.lock.Unlock()
	for _, lane := range lanes {
		if state := a.lanes[lane.Lane]; state.owned != owned {
			a.lanes[lane.Lane] = laneState{owned, state.count + 1, laneVersion{}}
		}
	}
}

// doubt forgets the rows of lanes: somebody else may have claimed some.
func (a *readAhead) doubt(lanes []uint16) {
	a.lock.Lock()
	defer a.lock.Unlock()
	for _, lane := range lanes {
		state := a.lanes[lane]
		state.count++
		a.lanes[lane] = state
	}
}

// looking is a look at rows that are to be kept.
type looking struct {
	*readAhead
	began  int64
	counts map[uint16]int64 // before it, of owned lanes: what others claim would stay for ever
	room   bool             // for what it finds
	found  []ahead.Row
}

// begin begins to look at rows of lanes. End has to be called. Where Citus has distributed
// the tables nobody looks: the methods of none do nothing.
func (a *readAhead) begin(lanes []uint16) *looking {
	a.lock.Lock()
	defer a.lock.Unlock()
	l := &looking{readAhead: a, counts: make(map[uint16]int64, len(lanes))}
	for _, lane := range lanes {
		if state := a.lanes[lane]; state.owned {
			l.counts[lane] = state.count
		}
	}
	l.began, l.room = a.rows.Begin()
	l.room = l.room && len(l.counts) > 0
	return l
}

// beginOf is begin for rows of lanes of which a scan has read some, else nil.
func (a *readAhead) beginOf(ids []task.ID) *looking {
	lanes := map[uint16]bool{}
	a.lock.Lock()
	for _, id := range ids {
		if a.lanes[id.Lane()].server != 0 {
			lanes[id.Lane()] = true
		}
	}
	a.lock.Unlock()
	if len(lanes) == 0 {
		return nil
	}
	return a.begin(slices.Collect(maps.Keys(lanes)))
}

// laneVersions are those of lanes, as countChanges has read them before the rows.
type laneVersions map[uint16]laneVersion

func (v *laneVersions) call(lanes []int32) *wire.Call {
	return &wire.Call{Query: countChanges, Args: []any{lanes}, Start: func() { *v = laneVersions{} }, Scan: func(r wire.Row) error {
		(*v)[uint16(r.Int(0))] = laneVersion{r.Int(1), r.Int(2)}
		return nil
	}}
}

// learn takes over the versions of lanes that were read in the look, before its rows.
func (l *looking) learn(read laneVersions) {
	if l == nil {
		return
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	for lane, count := range l.counts {
		if now, version := l.lanes[lane], read[lane]; now.count == count && now.laneVersion != version {
			l.counts[lane] = count + 1
			l.lanes[lane] = laneState{now.owned, count + 1, version}
		}
	}
}

// end keeps what was found in lanes that are as they were when the look began, but for what
// it has learned itself.
func (l *looking) end() {
	if l == nil {
		return
	}
	l.lock.Lock()
	defer l.lock.Unlock()
	found := slices.DeleteFunc(l.found, func(r ahead.Row) bool {
		_, owned := l.counts[r.ID.Lane()]
		return !owned || l.lanes[r.ID.Lane()].server == 0
	})
	l.rows.End(l.began, found, func(lane uint16) int64 {
		if count, looked := l.counts[lane]; looked {
			return count
		}
		return l.lanes[lane].count
	})
}

// knownRows is what a claim knows of its rows before it begins.
type knownRows struct {
	tasks    map[uint16][]*task.Task // by lane, as they will be claimed
	versions laneVersions            // of the lanes that the node owns
	ids      []task.ID
	lanes    []int32           // of ids
	others   []store.ClaimItem // of which nothing is known
	latest   int64             // when the last of them is due
	least    int64             // the number that the claim must reach
	bytes    int
}

// take takes rows of items that a claim of the owner of lanes may claim as they were read.
// They are read ahead no more, whatever becomes of the claim, which says when it has ended.
func (a *readAhead) take(claim *store.Claim, items []store.ClaimItem) *knownRows {
	a.lock.Lock()
	defer a.lock.Unlock()
	k := &knownRows{tasks: map[uint16][]*task.Task{}, versions: laneVersions{}}
	for _, lane := range claim.Lanes {
		k.versions[lane.Lane] = a.lanes[lane.Lane].laneVersion
	}
	scratch := make(wire.Row, 0, keptWidth)
	for i, packed := range a.rows.Take(items, func(lane uint16) int64 { return a.lanes[lane].count }) {
		if _, owned := k.versions[items[i].ID.Lane()]; packed == nil || items[i].Mark != 0 || !owned || claim.Lease != 0 {
			k.others = append(k.others, items[i])
			continue
		}
		scratch = unpack(scratch[:0], packed)
		k.add(scratch, claim.Holder())
	}
	if k.bytes > claim.MaxBytes/2 {
		return &knownRows{others: items}
	}
	return k
}

// keptColumns are what is read of rows t for claims, after an entry; the last is null for
// those that are not kept: keyed ones, large ones, those due after a time, and those that
// cannot run by the log. Past is the number of the row.
func keptColumns(past, until, now string) string {
	return `, ` + past + ` AS past, t.priority, t.policy, t.created_at, t.queue,
 CASE WHEN octet_length(t.spec) <= 1024 THEN t.spec END AS kept_spec, CASE WHEN octet_length(t.last_error) <= 2048 THEN t.last_error END AS kept_error,
 CASE WHEN t.run_at <= ` + until + ` AND t.key IS NULL AND t.park = 0 AND octet_length(t.payload) <= 1024 AND ` + past + ` <= ` + now + ` + ` + strconv.Itoa(farAhead) + `
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
func (k *knownRows) add(r wire.Row, holder string) {
	t := &task.Task{
		State: task.Running, Node: holder, ID: r.ID(0), RunAt: r.Time(1), Seq: r.Int(3), Type: r.Text(6), Target: r.Text(7),
		Attempt: int(r.Int(8)) + 1, Crashes: int(r.Int(9)), Priority: int(r.Int(keptPriority)), Policy: r.Text(keptPolicy),
		CreatedAt: r.Time(keptCreated), Queue: r.Text(keptQueue), Payload: r[keptPayload],
	}
	t.Spec, t.LastError = stored.SpecOf(r[keptSpec]), stored.FailureOf(r[keptError])
	lane := t.ID.Lane()
	k.tasks[lane] = append(k.tasks[lane], t)
	k.ids, k.lanes = append(k.ids, t.ID), append(k.lanes, int32(lane))
	k.latest, k.least = max(k.latest, r.Int(1)), max(k.least, r.Int(keptPast)+1)
	k.bytes += len(t.Payload)
}

// args are arguments of claimRows: the versions of the owned lanes, the ids, their lanes,
// and when the last of them is due.
func (k *knownRows) args(owned []int32) []any {
	changes, servers := make([]int64, len(owned)), make([]int64, len(owned))
	for i, lane := range owned {
		version := k.versions[uint16(lane)]
		changes[i], servers[i] = version.changes, version.server
	}
	return []any{changes, servers, k.ids, k.lanes, k.latest}
}

// claimed are the tasks of a lane, as a claim has taken them.
func (k *knownRows) claimed(lane uint16, claim int64, now time.Time) []*task.Task {
	for _, t := range k.tasks[lane] {
		t.Claim, t.StartedAt, t.UpdatedAt = claim, now, now
	}
	return k.tasks[lane]
}

// wants reports whether rows are to be read whole.
func (l *looking) wants() bool { return l != nil && l.room }

// anew forgets what was found: the statement is repeated.
func (l *looking) anew() {
	if l != nil {
		l.found = nil
	}
}

// inserted keeps a row that was made of a task, with its spec and payload as they are stored.
func (l *looking) inserted(t *task.Task, made *store.Inserted, spec, payload []byte) {
	e := &made.Entry
	if !l.wants() || t.Key != "" || e.RunAt > made.Created.UnixMicro() || len(payload) > ahead.Largest || len(spec) > ahead.Largest {
		return
	}
	number := func(n int64) []byte { return binary.BigEndian.AppendUint64(make([]byte, 0, 8), uint64(n)) }
	created := number(made.Created.UnixMicro())
	l.found = append(l.found, ahead.Row{ID: t.ID, Packed: pack(wire.Row{
		t.ID[:], number(e.RunAt), nil, nil, nil, nil, []byte(t.Type), []byte(t.Target), nil, nil, nil, []byte(t.Spec.ShareKey), created,
		number(int64(t.Priority)), []byte(t.Policy), created, []byte(t.Queue), spec, nil, payload,
	})})
}

// read keeps a row as it was read, if it is worth it.
func (l *looking) read(r wire.Row) {
	if l.wants() && r[keptPayload] != nil {
		l.found = append(l.found, ahead.Row{ID: r.ID(0), Packed: pack(r)})
	}
}

// pack is a row that holds.
func pack(r wire.Row) []byte {
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

func unpack(r wire.Row, packed []byte) wire.Row {
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

// entryColumns are what scanEntry reads.
const (
	entryColumns = `id, run_at, rank, seq, park, key, type, target, attempt, crashes, octet_length(payload), share_key`
	entryWidth   = 12
)

func scanEntry(r wire.Row) store.Entry {
	return store.Entry{
		ID: r.ID(0), RunAt: r.Int(1), Rank: r.Int(2), Seq: r.Int(3), Park: r.Int(4), Key: r.Text(5),
		Type: r.Text(6), Target: r.Text(7), Attempt: int(r.Int(8)), Crashes: int(r.Int(9)), Size: int(r.Int(10)), Share: r.Text(11),
	}
}

// farAhead is how far the number of a row may be ahead of the clock, in µs,
// before it is claimed apart: numbers of the log belong to many rows.
const farAhead = 600_000_000
