// Package sqlite keeps tasks in one SQLite file, which several processes of
// one host may share. It needs SQLite 3.51.3 or later through any
// database/sql driver that is registered as "sqlite3", such as
// github.com/ncruces/go-sqlite3/driver, and imports none itself.
//
// Where to start reading: writer.go (every write goes through one goroutine
// and is committed in groups), then claim.go and settle.go. Since a write
// transaction of SQLite excludes every other, operations read rows, decide
// in Go and write; no statement needs to be a compare-and-set by itself.
//
// Stability: stable. Names and their meaning stay within a major version.
package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/ahead"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/sqlite/internal/nodelock"
	"github.com/outlast-dev/outlast/task"
)

var (
	_ store.Backend    = (*Store)(nil)
	_ store.TxEnqueuer = (*Store)(nil)
	_ store.TxSettler  = (*Store)(nil)
	_ store.Waker      = (*Store)(nil)
)

// shared and members are what the store shares with others; see package sqlstore.
type (
	shared  = sqlstore.Cold
	members = sqlstore.Members

	taskGroups = sqlstore.TaskGroups
)

// Store is a database file. Safe for concurrent use.
type Store struct {
	shared
	members
	taskGroups
	path    string // absolute, without symbolic links
	db      *sql.DB
	writer  *writer
	readers chan *conn

	checkpoints *checkpointer

	clock  func() time.Time
	hook   func(point string)
	locks  *nodelock.Locks
	others atomic.Bool // another living node shares the file

	// cleaned is where Cleanup goes on.
	cleaned atomic.Int64
	// claimed tells where rows are that this process has claimed; the
	// writer's goroutine owns it. What it says must be checked.
	claimed places
	ahead   *ahead.Rows
	// likely is the node that will run what is inserted, most likely.
	likely atomic.Pointer[string]

	closing  sync.Once
	closed   chan struct{}
	closeErr error
}

// Option changes how a store is opened.
type Option func(*options)

type options struct {
	clock     func() time.Time
	hook      func(point string)
	noMigrate bool
}

// WithClock replaces the system clock, in tests.
func WithClock(now func() time.Time) Option {
	return func(o *options) { o.clock = now }
}

// WithHook calls hook at "enqueue.before_commit", "enqueue.after_commit" and
// the like for enqueue_, claim_, settle_ and recover_, and at
// "migrate.statement" after every statement of a migration, so that tests can
// kill the process there. The hook runs on the writer's goroutine, or in Open.
func WithHook(hook func(point string)) Option {
	return func(o *options) { o.hook = hook }
}

// WithoutMigration opens the file as it is, for programs that may not change
// the schema; see [Store.Migrate]. A node refuses to start on one that lacks a
// migration.
func WithoutMigration() Option {
	return func(o *options) { o.noMigrate = true }
}

// places are row numbers of outlast_task by id.
type places map[task.ID]int64

// maxPlaces bounds places: more than any process has slots.
const maxPlaces = 1 << 17

func (p places) put(id task.ID, num int64) {
	if len(p) >= maxPlaces {
		clear(p)
	}
	p[id] = num
}

// standIn is a name for the node column of rows that nobody has run: the
// length of the node's that will.
func (s *Store) standIn() string {
	if node := s.likely.Load(); node != nil {
		return *node
	}
	return "00000000-0000-0000-0000-000000000000"
}

// crowded reports whether another process may want to write.
func (s *Store) crowded() bool {
	foreign := time.Unix(0, s.writer.foreign.Load())
	return s.others.Load() || time.Since(foreign) < 5*time.Second
}

// at tells the hook that a point was reached.
func (s *Store) at(point string) {
	if s.hook != nil {
		s.hook(point)
	}
}

// now is the store's clock in µs.
func (s *Store) now() int64 { return s.clock().UnixMicro() }

// read runs fn in a read transaction: one snapshot.
func (s *Store) read(ctx context.Context, fn func(c *conn) error) (err error) {
	select {
	case <-s.closed:
		return store.ErrClosed
	default:
	}
	select {
	case reader := <-s.readers:
		defer func() {
			p := recover()
			if p != nil {
				reader = nil // its connection is closed, another is opened next time
			}
			if s.readers <- reader; p != nil {
				err = readFailed(p)
			}
		}()
		if reader == nil {
			if reader, err = connect(ctx, s.db, readerPragmas); err != nil {
				return err
			}
		}
		return reader.do(ctx, func() error { return snapshot(reader, fn) })
	case <-ctx.Done():
		return ctx.Err()
	case <-s.closed:
		return store.ErrClosed
	}
}

// readFailed is the error of a driver that panicked, as it does where its memory ends. It
// panics on with what is a mistake of the program.
func readFailed(p any) error {
	err, ok := p.(error)
	if _, mistake := p.(runtime.Error); !ok || mistake {
		panic(p)
	}
	return fmt.Errorf("sqlite: a read was given up: %w", err)
}

func snapshot(c *conn, fn func(c *conn) error) error {
	if _, err := c.exec(beginRead); err != nil {
		return err
	}
	err := fn(c)
	c.ctx = context.WithoutCancel(c.ctx)
	_, end := c.exec(rollback)
	return errors.Join(err, end)
}
