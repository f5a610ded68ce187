package postgres

import (
	"time"

	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// A row version never changes: a statement that finds, at the place (ctid)
// where it was read, a version by the same transaction (xmin) that its
// snapshot sees, has found the row as it was read. So a claim of rows that a
// scan has just brought looks up nothing and returns nothing but which of them
// it has; and a settlement of what this store has claimed finds its rows by
// their places. What is remembered is advice: wherever it does not fit, rows
// are looked up by id.

// place is where a row version is, as the server sends it (type tid).
type place [6]byte

// version is the transaction that wrote a row version (type xid).
type version [4]byte

// knownTask is a pending row as it was read.
type knownTask struct {
	task    *task.Task
	place   place
	version version
}

// knownRun is where a running task has its rows.
type knownRun struct {
	claim     int64
	task, run place
}

// How much is remembered, and how long.
const (
	knownTaskBytes  = 32 << 20
	knownRunBytes   = 16 << 20
	knownGeneration = 10 * time.Second

	packedWeight = 150 // bytes beside the row, roughly
	runWeight    = 100
)

// memory is what the store remembers of rows.
type memory struct {
	tasks recent[packed] // an entry and the columns that are kept of pending rows
	runs  recent[knownRun]
}

func newMemory() *memory {
	return &memory{
		tasks: recent[packed]{room: knownTaskBytes, generation: knownGeneration},
		runs:  recent[knownRun]{room: knownRunBytes, generation: knownGeneration},
	}
}

// isKept says of a row of outlast_task whether it is worth to be read whole
// before it is claimed: it can be claimed soon, for itself alone, and is not
// large. $1 is the clock.
const isKept = `(t.key IS NULL AND t.park = 0 AND t.run_at <= ` + nowMicro + ` + 5000000 AND octet_length(t.payload) <= 4096
 AND coalesce(octet_length(t.spec), 0) <= 4096 AND coalesce(octet_length(t.last_error), 0) <= 4096)`

// keptColumns are what scanKnown reads after an entry, of a row t with the
// columns kept, tid and version; null if the row is not kept.
const (
	keptColumns = `CASE WHEN t.kept THEN t.tid END, CASE WHEN t.kept THEN t.version END, CASE WHEN t.kept THEN t.queue END,
 CASE WHEN t.kept THEN t.priority END, CASE WHEN t.kept THEN t.policy END, CASE WHEN t.kept THEN t.claim END, CASE WHEN t.kept THEN t.created_at END,
 CASE WHEN t.kept THEN t.spec END, CASE WHEN t.kept THEN t.last_error END, CASE WHEN t.kept THEN t.payload END`
)

// keep remembers a row: an entry, followed by keptColumns.
func (m *memory) keep(at time.Time, id task.ID, r packed) {
	m.tasks.put(at, id, r, packedWeight+len(r))
}

// isRemembered reports whether a row has its keptColumns.
func isRemembered(r row) bool { return r[entryWidth] != nil }

// scanKnown reads a row that was kept.
func scanKnown(r row, names names) (k knownTask, err error) {
	e, rest := scanNamed(r, names), r[entryWidth:]
	k = knownTask{place: place(rest[0]), version: version(rest[1]), task: &task.Task{
		ID: e.ID, Queue: names.text(rest[2]), Type: e.Type, Payload: rest.blob(9), Priority: int(rest.int(3)), RunAt: stored.Time(e.RunAt), Target: e.Target,
		Policy: names.text(rest[4]), Attempt: e.Attempt, Crashes: e.Crashes, Claim: rest.int(5), CreatedAt: rest.time(6),
	}}
	if k.task.Spec, err = stored.ParseSpec(rest[7]); err == nil {
		k.task.LastError, err = stored.ParseFailure(rest[8])
	}
	return k, err
}

// claimed is the row as a claim has made it.
func (k *knownTask) claimed(node string, now int64) *task.Task {
	t, at := k.task, stored.Time(now)
	t.State, t.Node, t.StartedAt, t.UpdatedAt = task.Running, node, at, at
	t.Attempt, t.Claim = t.Attempt+1, max(t.Claim+1, now)
	return t
}

// names are texts that many rows share; nil shares none.
type names map[string]string

func (n names) text(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	text, found := n[string(b)]
	if !found {
		text = string(b)
		if n != nil {
			n[text] = text
		}
	}
	return text
}
