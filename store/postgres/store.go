// Package postgres keeps tasks in a schema of a PostgreSQL database, version 13
// or later, through a pool of pgx. Several processes use the same schema.
//
// Where to start reading: claim.go and settle.go with the statements that
// everything else exists for, tx.go (how statements become transactions),
// migrations/0001_init.sql (the tables).
//
// # Who locks what
//
// Statements run at READ COMMITTED. What keeps them from each other are two
// kinds of locks:
//
//   - The lock of a lane is that of its row in outlast_lane. A pending row is
//     changed only under the lock of its lane: by a claim, which writes a row
//     of the claim log or one in outlast_run, by a cancel, a reschedule, a park
//     mark. These three are counted in the lane's row, and each claim of a row
//     that has neither key nor mark writes a row of the log: by both numbers a
//     claim tells whether what was read ahead is still so. A claim's statement begins after it has the locks, so that what
//     its snapshot shows pending stays pending until it commits. Who takes or
//     frees a lane has its lock as well, and so waits for claims in flight.
//     The log of a lane changes only under its lock, and always by a row with
//     the greatest number.
//   - A row that runs by the claim log is changed under its own lock, by who
//     finds the number in it below that of the claim and writes that number: a
//     settlement, or who sets it apart. The lock of a row that runs apart is
//     that of its row in outlast_run. Only who has deleted that row, under its
//     claim number, changes the row in outlast_task: a settlement, a recovery.
//     A cancel request sets the row apart and updates it there.
//
// A step is added under a lock of its task's row in outlast_task that others may share:
// whatever ends a claim writes that row, and waits; see steps.go.
//
// A settlement takes no lane's lock, and a claim no running row's: neither
// waits for the other. Enqueues take no lock but that of their own new row.
// Everybody takes locks in one order: lanes by number, running rows by place,
// dedupe keys, counters of dead letters last. Where two wait for each other
// all the same, as settlements of the same rows by two callers may, the server
// ends one, and it is repeated here; so are lock timeouts and serialization
// failures.
//
// # How statements reach the server
//
// Package internal/wire has how one does, and what a statement is.
// A claim, a settlement of many and an enqueue are one round trip each:
// statements in a pipeline of the extended protocol, with one Sync at its end,
// are one transaction. Nothing is handed out before the answer to that Sync.
// No state of a session is relied upon, so that the store works behind a
// pooler that gives connections for one transaction, but for [Store.Watch],
// which says so and leaves the engine to its polls.
//
// Each hot statement finds its rows by one look-up per id. So no plan depends on statistics, which for tables
// that are empty in one second and hold a million rows in the next are always
// wrong.
//
// # Citus
//
// Where Citus has distributed the tables by lane ([Store.Distribute]), which a
// store notices when it is opened, statements and transactions are of one lane
// each, and nothing is partitioned. The lock of a lane is on the coordinator;
// its holder changes rows of that lane alone, so that they are committed when
// the lock is free.
//
// Stability: stable. Names and their meaning stay within a major version.
package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/claimlog"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
)

var (
	_ store.Backend = (*Store)(nil)
)

// cold is what the store shares with others; see package sqlstore.
type cold = sqlstore.Cold

// taskGroups is the same of groups of tasks.
type taskGroups = sqlstore.TaskGroups

// Store is a schema of a database. Safe for concurrent use.
type Store struct {
	cold
	taskGroups
	pool   *pgxpool.Pool // the caller's
	own    *pgxpool.Pool // few connections that nobody else can use up
	opened bool          // the store opened pool itself
	schema string
	owner  string   // of the tables, if the store works by having a part in that role
	spread bool     // Citus has distributed the tables by lane
	later  []string // tables of tasks that are not yet distributed, while others are
	book   *wire.Book
	sent   func(text string, values [][]byte) // is told each statement, in tests
	clock  func() time.Duration
	ahead  int // days whose partitions are made before they are needed

	log       *claimlog.Log // of the lanes that nodes of the process own
	readAhead *readAhead
	making    sync.Mutex      // of partitions
	claims    atomic.Int64    // rows claimed since outlast_claim was swept
	tidied    atomic.Int64    // when that was, in ns
	wanted    sync.Map        // days of what lasts of which all was wanted, and the days of ended tasks then
	life      context.Context // ends with Close
	end       context.CancelFunc
	closing   sync.Once
}

// Option changes how a store is opened.
type Option func(*options)

type options struct {
	schema    string
	offset    func() time.Duration
	noMigrate bool
	ahead     int
}

// WithSchema keeps the tables in a schema of this name, which is made if it
// is absent. Without it they are where the search path of the connections
// finds them, or in the first schema of the search path if they are nowhere.
func WithSchema(name string) Option {
	return func(o *options) { o.schema = name }
}

// WithClockOffset adds what offset returns to the clock of the database, in
// tests.
func WithClockOffset(offset func() time.Duration) Option {
	return func(o *options) { o.offset = offset }
}

// WithoutMigration opens the database as it is, for programs that may not change
// the schema; see [Store.Migrate]. A node refuses to start on one that lacks a
// migration.
func WithoutMigration() Option {
	return func(o *options) { o.noMigrate = true }
}

// Close waits for calls in flight and closes the connections that the store
// has opened itself. Idempotent.
func (s *Store) Close() error {
	s.closing.Do(func() {
		s.end()
		s.own.Close()
		if s.opened {
			s.pool.Close()
		}
	})
	return nil
}

// ended is ErrClosed once the store was closed.
func ended(s *Store) error {
	if s.life.Err() != nil {
		return store.ErrClosed
	}
	return nil
}

// offset is what is added to the database's clock, in µs.
func (s *Store) offset() int64 {
	if s.clock == nil {
		return 0
	}
	return s.clock().Microseconds()
}
