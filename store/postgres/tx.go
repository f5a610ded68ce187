package postgres

import (
	"context"
	"time"

	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

var (
	// settings hold for the transaction only. All hot statements look rows
	// up by key, whatever the statistics say of tables that are empty in one
	// second and have a million rows in the next: a plan that reads a table
	// whole must not look cheap. Locks are waited for in portions, between
	// which the context is looked at. A transaction in which nothing comes for
	// 3 s, since its process stands still or its network is gone, is ended: its
	// locks would keep others from taking over. The clock is read too.
	settings = newQuery(`SELECT `+nowMicro+`, set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
 set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true),
 set_config('plan_cache_mode', 'force_generic_plan', true), set_config('lock_timeout', '2000', true),
 set_config('idle_in_transaction_session_timeout', '3000', true)`, spreadSettings...)

	beginTx    = newQuery(`BEGIN ISOLATION LEVEL READ COMMITTED`)
	beginRead  = newQuery(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`)
	commitTx   = newQuery(`COMMIT`)
	rollbackTx = newQuery(`ROLLBACK`)
)

// spreadSettings are those where the tables are distributed: the coordinator
// makes a plan for each lane, the machines that it sends statements to wait
// for locks as long as it does itself, and each is sent them on one
// connection.
var spreadSettings = []string{
	`SELECT ` + nowMicro + `, set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true),
 set_config('lock_timeout', '2000', true), set_config('idle_in_transaction_session_timeout', '3000', true),
 set_config('citus.multi_shard_modify_mode', 'sequential', true), set_config('citus.propagate_set_commands', 'local', true)`,
	`SET LOCAL lock_timeout = 2000`,
	`SET LOCAL enable_seqscan = off`,
}

// localSettings makes a SET of a caller's transaction reach all machines.
var localSettings = newQuery(`SELECT set_config('citus.propagate_set_commands', 'local', true)`)

// tx is a transaction of the store's own.
type tx struct {
	session
	store   *Store
	now     int64           // µs
	callers bool            // it is a caller's
	dated   bool            // all statements see the snapshot of a caller, which may be old
	letters []stored.Letter // that are yet to be counted
	dead    []*task.Task    // of them, which may be of batches
}

func (t *tx) time() time.Time { return stored.Time(t.now) }

// pipeline runs calls in one transaction and one round trip, after the
// settings of the transaction. It returns the store's now.
func (s *Store) pipeline(ctx context.Context, calls ...*call) (now int64, err error) {
	first := &call{query: settings, args: []any{s.offset()}, scan: func(r row) error {
		now = r.Int(0)
		return nil
	}}
	all := append([]*call{first}, calls...)
	err = s.repeat(ctx, func() error {
		return s.connected(ctx, func(c *conn) error { return c.whole(ctx, all...) })
	})
	return now, err
}

// whole runs calls in one transaction and one round trip, at READ COMMITTED
// whatever the default of the database or its user is: statements rely on
// snapshots that are taken under the locks of those before them.
func (c *conn) whole(ctx context.Context, calls ...*call) error {
	err := c.run(ctx, append(append([]*call{{query: beginTx}}, calls...), &call{query: commitTx})...)
	if err != nil {
		c.rollback(ctx)
	}
	return err
}

// write runs fn in a transaction, which commits if fn returns nil. fn may be
// called several times.
func (s *Store) write(ctx context.Context, fn func(t *tx) error) error {
	return s.begun(ctx, func(t *tx, c *conn) error {
		if err := fn(t); err != nil {
			return err
		}
		return c.run(ctx, &call{query: commitTx})
	})
}

// begun runs fn in a transaction, which fn commits: otherwise nothing is done.
// first are calls of the round trip that begins it.
func (s *Store) begun(ctx context.Context, fn func(t *tx, c *conn) error, first ...*call) error {
	return s.repeat(ctx, func() error {
		return s.connected(ctx, func(c *conn) error {
			t := &tx{session: c, store: s}
			clock := &call{query: settings, args: []any{s.offset()}, scan: func(r row) error {
				t.now = r.Int(0)
				return nil
			}}
			err := c.run(ctx, append([]*call{{query: beginTx}, clock}, first...)...)
			if err == nil {
				err = fn(t, c)
			}
			c.rollback(ctx)
			return err
		})
	})
}

// rollback ends a transaction that has failed. If that fails too, the pool
// closes the connection, which ends it as well.
func (c *conn) rollback(ctx context.Context) {
	if c.pg.IsClosed() || c.pg.TxStatus() == 'I' {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = c.run(ctx, &call{query: rollbackTx})
}

// read runs fn outside of a transaction: each round trip sees a snapshot of
// its own.
func (s *Store) read(ctx context.Context, fn func(session) error) error {
	return s.repeat(ctx, func() error {
		return s.connected(ctx, func(c *conn) error { return fn(c) })
	})
}

// snapshot runs fn in one snapshot, for statements that may read much.
func (s *Store) snapshot(ctx context.Context, fn func(session) error) error {
	return s.reading(ctx, fn, &call{query: beginRead})
}

// lookUp runs fn in one snapshot, for statements that look rows up. Now is the store's
// clock.
func (s *Store) lookUp(ctx context.Context, fn func(c session, now int64) error) error {
	var now int64
	return s.reading(ctx, func(c session) error { return fn(c, now) }, &call{query: beginRead},
		&call{query: settings, args: []any{s.offset()}, scan: func(r row) error {
			now = r.Int(0)
			return nil
		}})
}

func (s *Store) reading(ctx context.Context, fn func(session) error, begin ...*call) error {
	return s.repeat(ctx, func() error {
		return s.connected(ctx, func(c *conn) error {
			err := c.run(ctx, begin...)
			if err == nil {
				err = fn(c)
			}
			c.rollback(ctx)
			return err
		})
	})
}

// connected runs fn on a connection of the pool.
func (s *Store) connected(ctx context.Context, fn func(c *conn) error) error {
	held, err := s.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer held.Release()
	return fn(s.newConn(held.Conn()))
}
