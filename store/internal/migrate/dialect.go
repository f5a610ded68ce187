package migrate

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Dialect is what differs among databases. Statements need no arguments, so
// that what is printed for people is what is run.
type Dialect struct {
	create string // the table of records, if it is absent
	exists string // counts tables of that name in the schema in use
	record string // reads version, statements done, and whether that is all
	now    string // µs since 1970, an expression

	begin, commit string // around a printed migration
	lock          string // held to the end of the transaction

	// stepwise is set where a change of the schema commits by itself, so that
	// no transaction can hold a whole migration: statements are then counted.
	stepwise bool
}

// SQLite takes a whole migration in one write transaction, which excludes all
// other writers.
var SQLite = &Dialect{
	create: `CREATE TABLE IF NOT EXISTS outlast_migration (
  version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)`,
	exists: `SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'outlast_migration'`,
	record: `SELECT version, 0, 1 FROM outlast_migration`,
	now:    `unixepoch('subsec') * 1000000`,
	begin:  `BEGIN IMMEDIATE`, commit: `COMMIT`,
}

// PostgreSQL takes a whole migration in one transaction, which begins with an
// advisory lock. The lock ends with the transaction whatever becomes of its
// connection, also behind a pool that gives a connection for one transaction
// at a time. The table is looked for where the search path would find it.
var PostgreSQL = &Dialect{
	create: `CREATE TABLE IF NOT EXISTS outlast_migration (
  version integer PRIMARY KEY, name text NOT NULL, applied_at bigint NOT NULL)`,
	exists: `SELECT count(to_regclass('outlast_migration'))`,
	record: `SELECT version::bigint, 0::bigint, 1::bigint FROM outlast_migration`,
	now:    `(extract(epoch FROM clock_timestamp()) * 1000000)::bigint`,
	begin:  `BEGIN`, commit: `COMMIT`,
	// The number spells "outlast"; it is one for all schemas of a database.
	lock: `SELECT pg_advisory_xact_lock(31372865309864820)`,
}

// MySQL (and MariaDB) commit every change of the schema by itself. One
// process at a time works, by a named lock of its connection, and counts the
// statements that are done in the record, so that the next process goes on
// where one ended. The lock belongs to one server: of a cluster with several
// that write, let one process migrate.
var MySQL = &Dialect{
	create: `CREATE TABLE IF NOT EXISTS outlast_migration (
  version int PRIMARY KEY, name varbinary(200) NOT NULL, done int NOT NULL, applied_at bigint) ENGINE=InnoDB`,
	exists:   `SELECT count(*) FROM information_schema.tables WHERE table_schema = DATABASE() AND table_name = 'outlast_migration'`,
	record:   `SELECT version, done, applied_at IS NOT NULL FROM outlast_migration`,
	now:      `CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)`,
	stepwise: true,
}

// The named lock, one for each database. Waiting is bounded, so that the
// context is looked at now and then.
const (
	takeNamedLock = `SELECT COALESCE(GET_LOCK(CONCAT('outlast.migrate.', MD5(DATABASE())), 1), 0)`
	freeNamedLock = `SELECT RELEASE_LOCK(CONCAT('outlast.migrate.', MD5(DATABASE())))`
)

// exclusive waits until no other process migrates. The end given back must be
// called; it does nothing where the lock ends with the transaction.
func (d *Dialect) exclusive(ctx context.Context, session Session) (end func(), err error) {
	if d.lock != "" {
		return func() {}, session.Exec(ctx, d.lock)
	}
	if !d.stepwise {
		return func() {}, nil
	}
	for ctx.Err() == nil {
		got, err := session.Query(ctx, takeNamedLock)
		if err != nil {
			return nil, err
		}
		if len(got) == 1 && got[0][0] == 1 {
			// A connection that cannot free its lock is broken, and loses it.
			return func() { last(ctx, func(ctx context.Context) { _, _ = session.Query(ctx, freeNamedLock) }) }, nil
		}
	}
	return nil, fmt.Errorf("wait for another process that migrates: %w", context.Cause(ctx))
}

// last does something that must be done although the context may have ended.
func last(ctx context.Context, do func(ctx context.Context)) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), 5*time.Second, errors.New("the database did not answer within 5s"))
	defer cancel()
	do(ctx)
}

// script is all that applies a migration of which the first statements are
// done already; none is recorded yet when done is negative.
func (d *Dialect) script(m Migration, done int) []string {
	if !d.stepwise {
		insert := fmt.Sprintf("INSERT INTO outlast_migration (version, name, applied_at) VALUES (%d, '%s', %s)", m.Version, m.Name, d.now)
		return append(m.Statements[:len(m.Statements):len(m.Statements)], insert)
	}
	var all []string
	if done < 0 {
		all = append(all, fmt.Sprintf("INSERT INTO outlast_migration (version, name, done) VALUES (%d, '%s', 0)", m.Version, m.Name))
		done = 0
	}
	for i, statement := range m.Statements[min(done, len(m.Statements)):] {
		// A change of rows and its count are one transaction. A change of the
		// schema ends it, and is found there when it comes again.
		all = append(all, "START TRANSACTION", statement,
			fmt.Sprintf("UPDATE outlast_migration SET done = %d WHERE version = %d", done+i+1, m.Version), "COMMIT")
	}
	return append(all, fmt.Sprintf("UPDATE outlast_migration SET applied_at = %s WHERE version = %d", d.now, m.Version))
}
