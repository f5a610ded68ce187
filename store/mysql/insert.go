package mysql

import (
	"slices"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/literal"
	"github.com/outlast-dev/outlast/store/internal/newest"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const (
	// insertTasks inserts pending tasks. An id that is known in any state
	// makes it fail as a whole, by the primary key.
	insertTasks = `INSERT INTO outlast_task (id, lane, run_rank, run_at, priority, size, created_at, updated_at, seq, turn, line, order_key,
 queue, type, target, policy, trace, spec, payload) VALUES `

	// reserveSeq takes numbers for keyed tasks; the last of them is its insert
	// id. It commits by itself, before the rows are inserted, so that nobody
	// waits for another's transaction: an enqueue that returned before another
	// was called still has the smaller number.
	reserveSeq = `UPDATE outlast_counter SET value = LAST_INSERT_ID(value + ?) WHERE name = 'seq'`
)

// notStarted is added to the seq of a task that has not started to make its
// turn: those that have go first.
const notStarted = int64(1) << 62

// maxTrace is how much of a trace parent can be searched for.
const maxTrace = 255

// newRow is one task to insert and what became of it.
type newRow struct {
	item  *store.Insert
	entry store.Entry
	text  []byte // as a row of insertTasks
	// existing is the task that was there already, not inserted.
	existing *task.Task
	created  int64
}

// rowsOf makes rows of items that were checked. seq is the number before that
// of the first keyed one.
func rowsOf(items []*store.Insert, now, seq int64) ([]*newRow, error) {
	rows := make([]*newRow, len(items))
	for i, item := range items {
		if item.Task.Key != "" {
			seq++
		}
		row, err := rowOf(item, now, seq)
		if err != nil {
			return nil, err
		}
		rows[i] = row
	}
	return rows, nil
}

func rowOf(item *store.Insert, now, seq int64) (*newRow, error) {
	t := item.Task
	runAt := t.RunAt
	if runAt.IsZero() {
		runAt = stored.Time(now).Add(item.Delay)
	}
	spec, err := encoded(stored.Spec(&t.Spec))
	if err != nil {
		return nil, err
	}
	entry := store.Entry{ID: t.ID, RunAt: runAt.UnixMicro(), Rank: task.Rank(runAt, t.Priority), Key: t.Key, Type: t.Type,
		Target: t.Target, Size: len(t.Payload)}
	var turn any
	if t.Key != "" {
		entry.Seq, turn = seq, seq+notStarted
	}
	trace := t.Spec.TraceParent[:min(len(t.Spec.TraceParent), maxTrace)]
	text, err := literal.AppendRow(make([]byte, 0, 256+len(spec)+len(t.Payload)), []any{
		t.ID, t.ID.Lane(), entry.Rank, entry.RunAt, t.Priority, entry.Size, now, now, fromNull(entry.Seq), turn, optional(t.Key), optional(t.Key),
		t.Queue, t.Type, t.Target, t.Policy, optional(trace), spec, t.Payload,
	})
	return &newRow{item: item, entry: entry, created: now, text: text}, err
}

func (r *newRow) inserted() store.Inserted {
	if r.existing != nil {
		return store.Inserted{Existing: r.existing, Created: r.existing.CreatedAt}
	}
	return store.Inserted{Entry: r.entry, Created: stored.Time(r.created)}
}

func sizeOfRows(rows []*newRow) (bytes int) {
	for _, row := range rows {
		bytes += len(row.text)
	}
	return bytes
}

// insertRows inserts rows whose ids must be new, in the order of ids. If one
// is not, the error has the number of a duplicate key, and nothing was
// inserted, or it is errAgain.
func (s *session) insertRows(rows []*newRow) error {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b *newRow) int { return a.entry.ID.Compare(b.entry.ID) })
	into := insertion{on: s, head: insertTasks, most: len(rows)}
	for _, row := range rows {
		if err := into.addText(row.text); err != nil {
			return into.duplicate(err)
		}
	}
	return into.duplicate(into.flush())
}

// note has a spotter know rows that its own store is about to insert.
func note(s *spotter, rows []*newRow) {
	for _, row := range rows {
		newest.Note(s, row.entry.ID)
	}
}

// keyed counts the items that need a number.
func keyed(items []*store.Insert) (n int64) {
	for _, item := range items {
		if item.Task.Key != "" {
			n++
		}
	}
	return n
}

// seqs reserves n numbers for keyed tasks, outside of a transaction, and
// returns the one before the first.
func (s *session) seqs(n int64) (int64, error) {
	if n == 0 {
		return 0, nil
	}
	result, err := s.exec(reserveSeq, n)
	if err != nil {
		return 0, err
	}
	last, err := result.LastInsertId()
	return last - n, err
}

// knownTasks reads tasks of any state by their ids, with a lock to see them as
// they are committed whatever the isolation.
func (s *session) knownTasks(all []task.ID, lock string) (map[task.ID]*task.Task, error) {
	known := make(map[task.ID]*task.Task, len(all))
	err := ids(all, `SELECT `+taskColumns+` FROM outlast_task t`+knownJoins+` WHERE t.id IN (@ids)`+lock, func(query string) error {
		found, err := s.tasks(query)
		for _, t := range found {
			known[t.ID] = t
		}
		return err
	})
	return known, err
}

// sameTask answers an insert whose id is there already.
func sameTask(existing, t *task.Task) (*task.Task, error) {
	if !store.SameContent(existing, t) {
		return nil, &task.Error{Code: task.CodeIDConflict, Message: "the id belongs to a task of other content", Existing: t.ID}
	}
	return existing, nil
}
