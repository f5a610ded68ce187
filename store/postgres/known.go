package postgres

import (
	"time"

	"github.com/outlast-dev/outlast/store"
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
	texts   int // bytes of the payload, the spec and the error
}

// knownRun is where a running task has its rows.
type knownRun struct {
	claim     int64
	task, run place
}

// How much is remembered, and how long. Rows are about 1 kB in memory.
const (
	knownTaskBytes  = 32 << 20
	knownRunBytes   = 16 << 20
	knownGeneration = 10 * time.Second

	taskWeight = 900 // bytes beside the texts, roughly
	runWeight  = 100
)

// memory is what the store remembers of rows.
type memory struct {
	tasks recent[knownTask]
	runs  recent[knownRun]
}

func newMemory() *memory {
	return &memory{
		tasks: recent[knownTask]{room: knownTaskBytes, generation: knownGeneration},
		runs:  recent[knownRun]{room: knownRunBytes, generation: knownGeneration},
	}
}

// isKept says of a row of outlast_task whether it is worth to be read whole
// before it is claimed: it can be claimed soon, for itself alone, and is not
// large. $1 is the clock.
const isKept = `(t.key IS NULL AND t.park = 0 AND t.run_at <= ` + nowMicro + ` + 5000000 AND octet_length(t.payload) <= 4096
 AND coalesce(octet_length(t.spec), 0) <= 4096 AND coalesce(octet_length(t.last_error), 0) <= 4096)`

// keptColumns are what scanKnown reads beside an entry, of a row t with the
// columns kept, tid and version; null if the row is not kept.
const (
	keptColumns = `CASE WHEN t.kept THEN t.tid END, CASE WHEN t.kept THEN t.version END, CASE WHEN t.kept THEN t.queue END,
 CASE WHEN t.kept THEN t.priority END, CASE WHEN t.kept THEN t.policy END, CASE WHEN t.kept THEN t.claim END, CASE WHEN t.kept THEN t.created_at END,
 CASE WHEN t.kept THEN t.spec END, CASE WHEN t.kept THEN t.last_error END, CASE WHEN t.kept THEN t.payload END`
)

// scanKnown reads keptColumns; false if the row is not kept.
func scanKnown(r row, e *store.Entry, names names) (k knownTask, kept bool, err error) {
	if r[0] == nil {
		return k, false, nil
	}
	k = knownTask{place: place(r[0]), version: version(r[1]), texts: len(r[7]) + len(r[8]) + len(r[9]), task: &task.Task{
		ID: e.ID, Queue: names.text(r[2]), Type: e.Type, Payload: r.blob(9), Priority: int(r.int(3)), RunAt: stored.Time(e.RunAt), Target: e.Target,
		Policy: names.text(r[4]), Attempt: e.Attempt, Crashes: e.Crashes, Claim: r.int(5), CreatedAt: r.time(6),
	}}
	if k.task.Spec, err = stored.ParseSpec(r[7]); err == nil {
		k.task.LastError, err = stored.ParseFailure(r[8])
	}
	return k, true, err
}

// keep remembers a row.
func (m *memory) keep(at time.Time, one knownTask) {
	m.tasks.put(at, one.task.ID, one, taskWeight+one.texts)
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
