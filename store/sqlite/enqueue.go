package sqlite

import (
	"context"
	"errors"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// insertTask inserts a pending task unless its id is there already, live
	// or ended; changes 0 rows then. Inputs: see rowOf. Safe because look and
	// insert are one statement of one write transaction.
	insertTask = &query{sql: insertOf(1)}

	// insertMany is insertTask for many rows. It changes fewer rows than it
	// was given if one is there already.
	insertMany = &query{sql: insertOf(manyRows)}
	insertSome = &query{sql: insertOf(someRows)}

	// nextSeq reserves n numbers and returns the last of them. The counter's
	// row is written first, so a caller's deferred transaction takes the
	// write lock here and never sees a number that another one got.
	nextSeq = &query{sql: `UPDATE outlast_counter SET value = value + ? WHERE name = 'seq' RETURNING value`}

	// selectDedupe reads the entry of a dedupe key (lane, queue, key).
	selectDedupe = &query{sql: `SELECT d.id, d.content, d.expires > ?4 OR EXISTS (SELECT 1 FROM outlast_task t WHERE t.id = d.id AND t.state = 5)
FROM outlast_dedupe d WHERE d.lane = ?1 AND d.queue = ?2 AND d.key = ?3`}

	// putDedupe makes or replaces an entry that selectDedupe found absent or
	// over, in the same write transaction.
	putDedupe = &query{sql: `INSERT OR REPLACE INTO outlast_dedupe (lane, queue, key, id, content, expires) VALUES (?, ?, ?, ?, ?, ?)`}
)

func insertOf(rows int) string {
	return `WITH s (id, lane, rank, run_at, priority, key, seq, queue, type, target, policy, spec, now, payload, node, share_key) AS (VALUES ` +
		valueRows(rows, rowColumns) + `)
INSERT OR FAIL INTO outlast_task (id, state, lane, park, rank, run_at, claim, attempt, crashes, priority, updated_at, started_at, node,
 key, seq, queue, type, target, policy, spec, created_at, payload, share_key)
SELECT id, 5, lane, 0, rank, run_at, -now, 0, 0, priority, now, -now, node, key, seq, queue, type, target, policy, spec, now, payload, share_key FROM s
WHERE NOT EXISTS (SELECT 1 FROM outlast_dead d WHERE d.id = s.id)
ON CONFLICT (id) DO NOTHING`
}

// Enqueue implements [store.Store].
func (s *Store) Enqueue(ctx context.Context, batches []store.Batch) ([]store.BatchResult, error) {
	var results []store.BatchResult
	err := s.write(ctx, "enqueue", func(tx *tx) error {
		results = make([]store.BatchResult, len(batches))
		for i := 0; i < len(batches); i++ {
			if n, err := enqueueSingles(tx, batches[i:], results[i:]); n > 0 || err != nil {
				if err != nil {
					return err
				}
				i += n - 1
				continue
			}
			batch := batches[i]
			refused, err := tx.item(func() error { return enqueueBatch(tx, batch, &results[i]) })
			if err != nil {
				return err
			}
			if refused != nil && !errors.Is(refused, errPartly) {
				results[i] = store.BatchResult{Err: task.Invalid("task", "the database refused it: "+refused.Error(), "")}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return results, nil
}

// enqueueSingles inserts the first of the batches by one statement, if they
// are enough single tasks without keys, and returns how many it took. Should
// one of them not be new, the group starts again, carefully.
func enqueueSingles(tx *tx, batches []store.Batch, results []store.BatchResult) (int, error) {
	if tx.careful {
		return 0, nil
	}
	q, rows := insertMany, manyRows
	if len(batches) < rows {
		q, rows = insertSome, someRows
	}
	if len(batches) < rows {
		return 0, nil
	}
	items := make([]store.Insert, rows)
	for i, batch := range batches[:rows] {
		if len(batch.Items) != 1 || unusual(&batch.Items[0]) || check.Insert(&batch.Items[0]) != nil {
			return 0, nil
		}
		items[i] = batch.Items[0]
	}
	inserted := make([]store.Inserted, rows)
	if err := insertRows(tx, q, &arrival{tx.now, tx.store.standIn()}, 0, items, inserted); err != nil {
		return 0, err
	}
	for i := range inserted {
		results[i].Items = inserted[i : i+1 : i+1]
	}
	return rows, nil
}

// unusual reports whether a single task goes no way with others.
func unusual(item *store.Insert) bool {
	return item.Dedupe != nil || item.Task == nil || item.Task.Key != "" || !item.Task.Spec.Group.IsZero()
}

// enqueueBatch inserts one batch or, for a reason that is the batch's own,
// nothing.
func enqueueBatch(tx *tx, batch store.Batch, result *store.BatchResult) error {
	for i := range batch.Items {
		if err := check.Insert(&batch.Items[i]); err != nil {
			result.Err = err
			return nil
		}
	}
	items, err := insertAll(tx, &arrival{tx.now, tx.store.standIn()}, batch.Items, !tx.careful)
	*result = store.BatchResult{Items: items}
	if typed := new(*task.Error); errors.As(err, typed) {
		if *result = (store.BatchResult{Err: err}); len(batch.Items) == 1 && batch.Items[0].Task.Spec.Group.IsZero() {
			return nil // nothing was changed
		}
		return errPartly
	}
	return err
}

// errPartly undoes a batch that was refused when some of it was inserted.
// Outside a savepoint it makes the whole group start again, carefully.
var errPartly error = refusedError{"the batch was refused midway"}

// insertAll is insertEach for tasks that may be members of groups, which are counted.
func insertAll(s session, a *arrival, items []store.Insert, many bool) ([]store.Inserted, error) {
	inserted, err := insertEach(s, a, items, many)
	groups := grouped.Of(items)
	if err != nil || len(groups) == 0 {
		return inserted, err
	}
	standings, err := sqlstore.Standings(cold(s), groups, true)
	if err != nil {
		return nil, err
	}
	var counts grouped.Tally
	isNew := func(i int) bool { return inserted[i].Existing == nil }
	if err := counts.Inserted(items, isNew, standings); err != nil {
		return nil, err
	}
	return inserted, sqlstore.AddCounts(cold(s), counts, false)
}

// insertEach inserts items in order. A *task.Error says which was refused;
// what was inserted before it must be undone.
//
// With many set, it is quicker for many new tasks, and returns errPartly
// when one of them is not new.
func insertEach(s session, a *arrival, items []store.Insert, many bool) ([]store.Inserted, error) {
	seq, err := reserveSeq(s, items)
	if err != nil {
		return nil, err
	}
	inserted := make([]store.Inserted, len(items))
	for i := 0; i < len(items); i++ {
		if many && len(items)-i >= manyRows {
			n, err := insertPlain(s, a, &seq, items[i:i+manyRows], inserted[i:])
			if err != nil {
				return nil, err
			}
			if n > 0 {
				i += n - 1
				continue
			}
		}
		if items[i].Task.Key != "" {
			seq++
		}
		if inserted[i], err = insertOne(s, a, seq, &items[i]); err != nil {
			return nil, err
		}
	}
	return inserted, nil
}

// reserveSeq takes a number for each keyed item and returns the one before
// the first.
func reserveSeq(s session, items []store.Insert) (seq int64, err error) {
	keyed := 0
	for i := range items {
		if items[i].Task.Key != "" {
			keyed++
		}
	}
	if keyed == 0 {
		return 0, nil
	}
	_, err = one(s, nextSeq, func(r row) { seq = r.Int(0) - int64(keyed) }, keyed)
	return seq, err
}

// insertPlain inserts items by one statement if none has a dedupe key.
func insertPlain(s session, a *arrival, seq *int64, items []store.Insert, inserted []store.Inserted) (int, error) {
	keyed := int64(0)
	for i := range items {
		if items[i].Dedupe != nil {
			return 0, nil
		}
		if items[i].Task.Key != "" {
			keyed++
		}
	}
	err := insertRows(s, insertMany, a, *seq, items, inserted)
	*seq += keyed
	return len(items), err
}

// insertRows inserts items by one statement for so many rows; seq is the
// number before that of the first keyed one. errPartly if one is not new.
func insertRows(s session, q *query, a *arrival, seq int64, items []store.Insert, inserted []store.Inserted) error {
	args := make([]any, 0, rowColumns*len(items))
	for i := range items {
		if items[i].Task.Key != "" {
			seq++
		}
		row, entry, err := rowOf(&items[i], a, seq)
		if err != nil {
			return err
		}
		args = append(args, row[:]...)
		inserted[i] = store.Inserted{Entry: entry, Created: stored.Time(a.now)}
	}
	n, err := s.exec(q, args...)
	if err == nil && n != int64(len(items)) {
		err = errPartly
	}
	return err
}

// arrival is what new rows of a call have in common.
type arrival struct {
	now  int64
	node string // see standIn
}

const rowColumns = 16

// rowOf is the row and the entry of a new task.
func rowOf(item *store.Insert, a *arrival, seq int64) (row [rowColumns]any, entry store.Entry, err error) {
	t := item.Task
	spec, err := specText(&t.Spec)
	entry = stored.NewEntry(item, a.now)
	if t.Key != "" {
		entry.Seq = seq
	}
	return [rowColumns]any{t.ID, int64(t.ID.Lane()), entry.Rank, entry.RunAt, int64(t.Priority), optional(t.Key), entry.Seq,
		t.Queue, t.Type, t.Target, optional(t.Policy), spec, a.now, t.Payload, a.node, optional(t.Spec.ShareKey)}, entry, err
}

func insertOne(s session, a *arrival, seq int64, item *store.Insert) (store.Inserted, error) {
	if item.Dedupe != nil {
		found, existing, err := lookDedupe(s, a.now, item)
		if found || err != nil {
			return existing, err
		}
	}
	t := item.Task
	row, entry, err := rowOf(item, a, seq)
	if err != nil {
		return store.Inserted{}, err
	}
	n, err := s.exec(insertTask, row[:]...)
	if err != nil {
		return store.Inserted{}, err
	}
	if n == 0 {
		return sameTask(s, t)
	}
	if item.Dedupe != nil {
		d := item.Dedupe
		if _, err := s.exec(putDedupe, d.Lane, t.Queue, d.Key, t.ID, d.Content[:], a.now+d.Window.Microseconds()); err != nil {
			return store.Inserted{}, err
		}
	}
	return store.Inserted{Entry: entry, Created: stored.Time(a.now)}, nil
}

// sameTask answers for an id that is there already.
func sameTask(s session, t *task.Task) (store.Inserted, error) {
	existing, err := get(s, t.ID)
	if err != nil {
		return store.Inserted{}, err
	}
	return store.Inserted{Existing: existing, Created: existing.CreatedAt}, check.Same(existing, t)
}

// lookDedupe looks for a live entry of the item's dedupe key. The repeat of a
// task that is there is left to the look-up by id.
func lookDedupe(s session, now int64, item *store.Insert) (found bool, inserted store.Inserted, err error) {
	d := item.Dedupe
	var id task.ID
	var content [16]byte
	found, err = one(s, selectDedupe, func(r row) {
		if r.Bool(2) {
			id = r.ID(0)
			copy(content[:], r.Blob(1))
		}
	}, d.Lane, item.Task.Queue, d.Key, now)
	if err != nil || !found || id.IsZero() {
		return false, inserted, err
	}
	if known, err := get(s, item.Task.ID); err == nil && known != nil {
		return false, inserted, nil
	}
	if err := check.SameKey(d, id, content); err != nil {
		return true, inserted, err
	}
	existing, err := get(s, id)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		existing, err = check.Forgotten(id, item.Task.Queue), nil
	}
	if err != nil {
		return true, inserted, err
	}
	return true, store.Inserted{Existing: existing, Created: existing.CreatedAt}, nil
}

// insertFollow inserts the tasks that follow an ended one. A repeat finds
// them there.
func insertFollow(s session, a *arrival, items []store.Insert) error {
	if len(items) == 0 {
		return nil
	}
	_, err := insertAll(s, a, items, false)
	var typed *task.Error
	if errors.As(err, &typed) {
		return refusedError{err.Error()} // what it follows has changed already
	}
	return err
}

// hasID finds whether there is a task of an id, live or ended.
var hasID = &query{sql: `SELECT EXISTS (SELECT 1 FROM outlast_task WHERE id = ?1) OR EXISTS (SELECT 1 FROM outlast_dead WHERE id = ?1)`}

// Known implements [store.Query].
func (s *Store) Known(ctx context.Context, items []store.Insert) (known []bool, err error) {
	err = s.read(ctx, func(c *conn) error {
		known = make([]bool, len(items))
		for i := range items {
			if known[i], err = isKnown(c, s.now(), &items[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return known, nil
}

func isKnown(s session, now int64, item *store.Insert) (known bool, err error) {
	_, err = one(s, hasID, func(r row) { known = r.Int(0) != 0 }, item.Task.ID)
	if err != nil || known || item.Dedupe == nil {
		return known, err
	}
	_, err = one(s, selectDedupe, func(r row) { known = r.Int(2) != 0 }, item.Dedupe.Lane, item.Task.Queue, item.Dedupe.Key, now)
	return known, err
}
