// Package postgres keeps tasks in PostgreSQL 13 or later.
package postgres

import (
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/store"
)

var (
	_ store.Backend = (*Store)(nil)
)

// Store is a schema of a database. Safe for concurrent use.
type Store struct {
	pool   *pgxpool.Pool // the caller's
	own    *pgxpool.Pool // few connections that nobody else can use up
	opened bool          // the store opened pool itself
	schema string
	texts  []statement
	clock  func() time.Duration

	partitions partitions
	life       context.Context // ends with Close
	end        context.CancelFunc
	closing    sync.Once
}

// Option changes how a store is opened.
type Option func(*options)

type options struct {
	schema    string
	offset    func() time.Duration
	noMigrate bool
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

// WithoutMigration opens the database as it is; see [Store.Migrate].
func WithoutMigration() Option {
	return func(o *options) { o.noMigrate = true }
}

// Open uses a database through the caller's pool and brings its schema up to
// date. The caller closes the store before the pool.
//
// The store prepares statements on the connections of the pool, unless the
// pool is configured with another [pgx.QueryExecMode] than the default one
// (default_query_exec_mode=exec in the URL): choose that behind a pooler in
// transaction mode.
func Open(ctx context.Context, pool *pgxpool.Pool, opts ...Option) (*Store, error) {
	var chosen options
	for _, opt := range opts {
		opt(&chosen)
	}
	s := &Store{pool: pool, clock: chosen.offset}
	s.life, s.end = context.WithCancel(context.WithoutCancel(ctx))
	if err := s.open(ctx, chosen); err != nil {
		s.end()
		return nil, err
	}
	return s, nil
}

// OpenURL is Open with a pool of its own, which Close closes.
func OpenURL(ctx context.Context, url string, opts ...Option) (*Store, error) {
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, err
	}
	s, err := Open(ctx, pool, opts...)
	if err != nil {
		pool.Close()
		return nil, err
	}
	s.opened = true
	return s, nil
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

// offset is what is added to the database's clock, in µs.
func (s *Store) offset() int64 {
	if s.clock == nil {
		return 0
	}
	return s.clock().Microseconds()
}
