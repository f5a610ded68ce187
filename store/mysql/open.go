package mysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/store/internal/newest"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/task"
)

// defaultConnections is how many connections a store uses unless told.
const defaultConnections = 8

// Option changes how a store is opened.
type Option func(*options)

type options struct {
	connections int
	offset      func() time.Duration
	hook        func(point string)
	noMigrate   bool
}

// WithConnections sets how many connections of the pool the store uses at
// most, beside the one of its heartbeats: 8 unless told, and never more than
// the pool allows. It keeps those that it has used, with settings of its own,
// until it is closed.
func WithConnections(n int) Option {
	return func(o *options) { o.connections = n }
}

// WithClockOffset adds to the database's clock, in tests.
func WithClockOffset(offset func() time.Duration) Option {
	return func(o *options) { o.offset = offset }
}

// WithHook calls hook at "enqueue.before_commit", "enqueue.after_commit" and
// the like for claim, settle and recover, and at "migrate.statement" after
// every statement of a migration, so that tests can kill the process there.
func WithHook(hook func(point string)) Option {
	return func(o *options) { o.hook = hook }
}

// WithoutMigration opens the database as it is, for programs that may not change
// the schema; see [Store.Migrate]. A node refuses to start on one that lacks a
// migration.
func WithoutMigration() Option {
	return func(o *options) { o.noMigrate = true }
}

// Open checks the server and brings the schema up to date, in the database
// that the connections of db use. The caller closes the store, and then db.
//
// The pool must allow at least three connections: one is for heartbeats alone,
// so that a node whose other connections are all busy is not taken for dead,
// and one must be free while a caller's transaction holds another.
func Open(ctx context.Context, db *sql.DB, opts ...Option) (*Store, error) {
	chosen := options{connections: defaultConnections, offset: func() time.Duration { return 0 }, hook: func(string) {}}
	for _, opt := range opts {
		opt(&chosen)
	}
	if chosen.connections < 1 {
		return nil, task.Invalid("connections", fmt.Sprintf("%d is less than 1", chosen.connections), "the default is 8")
	}
	if most := db.Stats().MaxOpenConnections; most > 0 {
		if most < 3 {
			return nil, task.Invalid("max_open_connections", fmt.Sprintf("a pool of %d is less than 3", most), "SetMaxOpenConns(10) is a good size")
		}
		chosen.connections = min(chosen.connections, most-2)
	}
	s := &Store{
		sessions: newSessions(db, chosen.connections), beats: newSessions(db, 1),
		offset: chosen.offset, hook: chosen.hook,
	}
	s.cold = sqlstore.New(database{s})
	s.spotter = newest.New(func(ctx context.Context, after task.ID, most int) (all []task.ID, err error) {
		err = s.read(ctx, func(c *session) (err error) {
			all, err = c.newest(after, most)
			return err
		})
		return all, err
	})
	err := s.accountOf(ctx)
	if err == nil {
		err = s.checkServer(ctx)
	}
	if err == nil && !chosen.noMigrate {
		err = s.Migrate(ctx)
	}
	if err != nil {
		return nil, errors.Join(Explain(err), s.Close())
	}
	return s, nil
}
