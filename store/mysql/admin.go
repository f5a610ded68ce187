package mysql

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/steer"
	"github.com/outlast-dev/outlast/task"
)

// lockTask locks a row, in the order of all: the task, what runs, what
// ended.
var lockTask = coldQuery(`SELECT ` + taskColumns + ` FROM outlast_task t` + knownJoins + ` WHERE t.id = $1::uuid FOR UPDATE`)

const (
	// requestCancel leaves the claim alone: a success that still arrives is
	// kept.
	requestCancel = `UPDATE outlast_run SET cancel = 1 WHERE id = ?`
	noteCancel    = `INSERT INTO outlast_cancel (id, node) VALUES (?, ?) ON DUPLICATE KEY UPDATE node = VALUES(node)`

	// cancelTask ends a row that waits; how it ended is the row in
	// outlast_done.
	cancelTask = `INSERT INTO outlast_done (id, claim, attempt, node, started_at, finished_at, cancel, outcome)
SELECT id, claim, attempt, '', started_at, ?, 0, '' FROM outlast_task WHERE id = ?`

	// moveRun moves a row that waits.
	moveRun = `UPDATE outlast_task SET run_at = ?, run_rank = ?, park = 0, updated_at = ? WHERE id = ?`
)

// Steer implements [sqlstore.Changer].
func (t coldTx) Steer(steering *store.Steering, id task.ID) (*task.Task, error) {
	before, err := sqlstore.Get(coldSession{t.session}, lockTask, id)
	if err == nil {
		_, err = before.State.Next(steering.Event)
	}
	switch {
	case err != nil:
	case steering.Event == task.Reschedule:
		runAt := steer.RunAt(steering, t.time())
		_, err = t.exec(moveRun, runAt.UnixMicro(), task.Rank(runAt, before.Priority), t.now, id)
	case before.State == task.Running:
		if _, err = t.exec(requestCancel, id); err == nil {
			_, err = t.exec(noteCancel, id, before.Node)
		}
	default:
		if _, err = t.exec(cancelTask, t.now, id); err == nil {
			_, err = t.execIDs([]task.ID{id}, endTasks, canceled)
		}
		if err == nil {
			t.counts.Ended(before, task.Canceled)
		}
	}
	return before, err
}

// SteerAll implements [sqlstore.Changer].
func (t coldTx) SteerAll(steering *store.Steering) ([]store.Steered, error) {
	return sqlstore.SteerEach(t.whole(), steering)
}

// Hold implements [sqlstore.Changer].
func (t coldTx) Hold(id task.ID, _ bool) (*task.Task, error) {
	return sqlstore.Get(coldSession{t.session}, lockTask, id)
}

// Steps implements [sqlstore.Changer].
func (t coldTx) Steps(id task.ID) ([]task.Step, error) { return t.steps([]task.ID{id}) }

// AddSignal implements [sqlstore.Changer].
func (t coldTx) AddSignal(of *task.Task, step *task.Step) error {
	signal := *step
	signal.Claim = of.Claim
	row, err := stepRow(&signal)
	if err != nil {
		return task.Invalid("payload", "it cannot be stored: "+err.Error(), "")
	}
	into := insertion{on: t.session, head: insertSteps, tail: insertStepsOver, most: 1}
	if err := into.addText(row); err != nil {
		return err
	}
	return into.flush()
}

// database implements [sqlstore.Database].
type database struct{ store *Store }

// Read implements [sqlstore.Database].
func (d database) Read(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.store.read(ctx, func(c *session) error { return fn(coldSession{c}) })
}

// Snapshot implements [sqlstore.Database].
func (d database) Snapshot(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.store.snapshot(ctx, func(c *session) error { return fn(coldSession{c}) })
}

// Survey implements [sqlstore.Database].
func (d database) Survey(ctx context.Context, fn func(sqlstore.Session) error) error {
	return d.Snapshot(ctx, fn)
}

// Write implements [sqlstore.Database].
func (d database) Write(ctx context.Context, kind string, fn func(sqlstore.Tx) error) error {
	return d.store.write(ctx, kind, func(tx *tx) error {
		if err := fn(coldTx{tx, 0}.whole()); err != nil {
			return err
		}
		return sqlstore.AddCounts(coldSession{tx.session}, tx.counts, false) // after the locks of all tasks
	})
}

// Change implements [sqlstore.Database].
func (d database) Change(ctx context.Context, keyed int64, fn func(sqlstore.Tx) error) error {
	seq, err := d.store.reserve(ctx, keyed)
	if err != nil {
		return err
	}
	return d.store.write(ctx, "change", func(tx *tx) error { return fn(coldTx{tx, seq}.whole()) })
}

// coldTx implements [sqlstore.Changer].
type coldTx struct {
	*tx
	seq int64 // before that of the first keyed task
}

func (t coldTx) whole() sqlstore.Tx {
	return sqlstore.Tx{Session: coldSession{t.session}, Changer: t, Now: t.now}
}

// Insert implements [sqlstore.Changer].
func (t coldTx) Insert(items []store.Insert) ([]store.Inserted, error) {
	wanted := make([]*store.Insert, len(items))
	for i := range items {
		wanted[i] = &items[i]
	}
	rows, err := rowsOf(wanted, t.now, t.seq)
	if err != nil {
		return nil, task.Invalid("task", "it cannot be stored: "+err.Error(), "")
	}
	if err := t.insertAll(rows); err != nil {
		return nil, err
	}
	inserted := make([]store.Inserted, len(rows))
	for i, row := range rows {
		inserted[i] = row.inserted()
	}
	return inserted, nil
}

// Get implements [store.Query].
func (s *Store) Get(ctx context.Context, id task.ID) (found *task.Task, err error) {
	err = s.read(ctx, func(c *session) (err error) {
		found, err = sqlstore.Get(coldSession{c}, getTask, id)
		return err
	})
	return found, err
}
