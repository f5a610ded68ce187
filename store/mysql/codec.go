package mysql

import (
	"database/sql"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

// States as they are stored. Only known rows, see knownFrom, run.
const (
	live      = 0
	running   = 1
	succeeded = 2
	dead      = 3
	canceled  = 4
)

// taskColumns are what [sqlstore.ScanTask] reads from knownJoins: tasks as they stand. A
// running one has begun its next attempt.
const taskColumns = `t.id, t.queue, t.type, t.payload, t.priority, t.run_at, t.order_key, t.seq, t.target, t.policy, t.spec,
 COALESCE(e.attempt, d.attempt, t.attempt + (r.id IS NOT NULL)), t.crashes, COALESCE(r.claim, e.claim, d.claim, t.claim),
 r.node, COALESCE(r.started_at, e.started_at, d.started_at), COALESCE(r.cancel, e.cancel, d.cancel), t.created_at,
 COALESCE(e.last_error, d.last_error, t.last_error), ` + stateColumn + `,
 COALESCE(r.started_at, e.finished_at, d.finished_at, t.updated_at), t.park, COALESCE(e.finished_at, d.finished_at),
 d.reason, e.result, d.fallback, COALESCE(d.finished_at, t.failed_at)`

const stateColumn = `IF(t.state = 0, r.id IS NOT NULL, t.state)`

// knownJoins finds for every task of t what the other tables say of it.
const knownJoins = runJoin + doneJoin + deadJoin

const (
	runJoin  = ` LEFT JOIN outlast_run r ON r.id = t.id`
	doneJoin = ` LEFT JOIN outlast_done e ON e.id = t.id`
	deadJoin = ` LEFT JOIN outlast_dead d ON d.id = t.id`
)

// labelText is the label of an attempt, null for an empty one.
func labelText(s *store.Settlement) any { return optional(s.Label.String()) }

// tasks reads all rows of a statement that selects taskColumns.
func (s *session) tasks(query string, args ...any) (list []*task.Task, err error) {
	err = s.each(query, rowScanner(func(r sqlstore.Row) error {
		list = append(list, sqlstore.ScanTask(r))
		return nil
	}), args...)
	return list, err
}

// entryColumns are what scanEntry reads of pending rows.
const entryColumns = `t.id, t.run_at, t.run_rank, t.seq, t.park, t.order_key, t.type, t.target, t.attempt, t.crashes, t.size, t.share_key`

// scanEntry reads entryColumns, and more columns after them.
func scanEntry(rows *sql.Rows, more ...any) (store.Entry, error) {
	read := newEntryRow()
	err := rows.Scan(append(read.places[1:], more...)...)
	return read.Entry, err
}

// entryRow is where rows of entryColumns are read, with the number of a range before them.
type entryRow struct {
	store.Entry
	place  whole
	places []any
}

func newEntryRow() *entryRow {
	r, among := &entryRow{}, names{}
	r.places = []any{
		&r.place, (*identity)(&r.ID), (*number)(&r.RunAt), (*number)(&r.Rank), (*number)(&r.Seq), (*number)(&r.Park), (*text)(&r.Key), name{&r.Type, among},
		name{&r.Target, among}, (*whole)(&r.Attempt), (*whole)(&r.Crashes), (*whole)(&r.Size), (*text)(&r.Share),
	}
	return r
}

// categoryOf is the category column of a failure, null where there is none.
func categoryOf(failure *task.Failure) any {
	if failure == nil {
		return nil
	}
	return failure.Category
}

// encoded is the result of a package that encodes; what cannot be encoded is
// refused.
func encoded(text []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, refusedError{err.Error()}
	}
	return text, nil
}

func encodedFailure(failure *task.Failure) ([]byte, error) { return encoded(stored.Failure(failure)) }
