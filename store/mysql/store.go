// Package mysql keeps tasks in a database of MySQL 8.0 or later, or of MariaDB
// 10.6 or later. It takes a *sql.DB of any driver for them, such as
// github.com/go-sql-driver/mysql, and imports none itself.
//
// Where to start reading: migrations/0001_init.sql, then transaction.go (every
// write is a short transaction at READ COMMITTED that starts again after a
// deadlock), claim.go and settle.go.
//
// Rows are found by primary keys that the caller has in memory, and locked in
// the order of outlast_lane, outlast_task by id, outlast_run by id, and then
// the rest; counters come last. No statement depends on whether the driver
// counts rows found or rows changed.
//
// Stability: stable. Names and their meaning stay within a major version.
package mysql

import (
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/newest"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

var (
	_ store.Backend    = (*Store)(nil)
	_ store.TxEnqueuer = (*Store)(nil)
	_ store.TxSettler  = (*Store)(nil)
	_ store.Migrator   = (*Store)(nil)
	_ store.Spotter    = (*Store)(nil)
)

type spotter = newest.Spotter

// cold and members are what the store shares with others; see package sqlstore.
type (
	cold       = sqlstore.Cold
	members    = sqlstore.Members
	taskGroups = sqlstore.TaskGroups
)

// Store is a database. Safe for concurrent use.
type Store struct {
	cold
	members
	taskGroups
	steps
	sessions *sessions // of all work but beats
	beats    *sessions
	offset   func() time.Duration
	hook     func(point string)
	account  account
	*spotter // sees what others insert
	// lookedForUnknown is when no unknown node was found, in µs.
	lookedForUnknown atomic.Int64

	closing  sync.Once
	closeErr error
}

// newestIDs reads the ids above one, the newest first: one look into the end of the primary
// key. Inputs: the id, how many.
const newestIDs = `SELECT id FROM outlast_task FORCE INDEX (PRIMARY) WHERE id > ? ORDER BY id DESC LIMIT ?`

func (s *session) newest(after task.ID, most int) (all []task.ID, err error) {
	err = s.each(newestIDs, func(rows *sql.Rows) error {
		var id identity
		err := rows.Scan(&id)
		all = append(all, task.ID(id))
		return err
	}, after, most)
	return all, err
}

// Close waits for writes in flight and gives the connections back, closed.
// Idempotent. The pool stays open.
func (s *Store) Close() error {
	s.closing.Do(func() { s.closeErr = errors.Join(s.sessions.close(), s.beats.close()) })
	return s.closeErr
}
