package postgres

import (
	"cmp"
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/store/internal/sqlstore"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/store/postgres/internal/wire"
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
	settings = wire.NewQuery(`SELECT `+wire.NowMicro+`, set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
 set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('jit', 'off', true),
 set_config('plan_cache_mode', 'force_generic_plan', true), set_config('lock_timeout', '2000', true),
 set_config('idle_in_transaction_session_timeout', '3000', true)`, spreadSettings...)
)

// spreadSettings are those where the tables are distributed: the coordinator
// makes a plan for each lane, the machines that it sends statements to wait
// for locks as long as it does itself, and each is sent them on one
// connection.
var spreadSettings = []string{
	`SELECT ` + wire.NowMicro + `, set_config('jit', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true),
 set_config('lock_timeout', '2000', true), set_config('idle_in_transaction_session_timeout', '3000', true),
 set_config('citus.multi_shard_modify_mode', 'sequential', true), set_config('citus.propagate_set_commands', 'local', true)`,
	`SET LOCAL lock_timeout = 2000`,
	`SET LOCAL enable_seqscan = off`,
}

// localSettings makes a SET of a caller's transaction reach all machines.
var localSettings = wire.NewQuery(`SELECT set_config('citus.propagate_set_commands', 'local', true)`)

// tx is a transaction of the store's own.
type tx struct {
	wire.Session
	store   *Store
	now     int64           // µs
	callers bool            // it is a caller's
	dated   bool            // all statements see the snapshot of a caller, which may be old
	letters []stored.Letter // that are yet to be counted
	dead    []*task.Task    // of them, which may be of batches
	counts  grouped.Tally   // of groups, that are yet to be added
}

func (t *tx) time() time.Time { return stored.Time(t.now) }

// pipeline runs calls in one transaction and one round trip, after the
// settings of the transaction. It returns the store's now.
func (s *Store) pipeline(ctx context.Context, calls ...*wire.Call) (now int64, err error) {
	first := &wire.Call{Query: settings, Args: []any{s.offset()}, Scan: func(r wire.Row) error {
		now = r.Int(0)
		return nil
	}}
	all := append([]*wire.Call{first}, calls...)
	err = s.repeat(ctx, func() error {
		return s.connected(ctx, func(c *wire.Conn) error { return c.Whole(ctx, all...) })
	})
	return now, err
}

// fewTogether is how many of those that go apart share a transaction.
const fewTogether = 64

var selectNow = wire.NewQuery(`SELECT ` + wire.NowMicro)

// write runs fn in a transaction, which commits if fn returns nil. fn may be
// called several times.
func (s *Store) write(ctx context.Context, fn func(t *tx) error) error {
	return s.begun(ctx, func(t *tx, c *wire.Conn) error {
		if err := fn(t); err != nil {
			return err
		}
		if err := t.addCounts(ctx); err != nil {
			return err
		}
		return c.Run(ctx, &wire.Call{Query: wire.CommitTx})
	})
}

// addCounts adds what was counted of the members of groups, last of all, so that everybody
// changes the counts of several in one order. A transaction of a caller keeps nobody waiting.
func (t *tx) addCounts(ctx context.Context) error {
	counts := t.counts
	t.counts = nil
	return sqlstore.AddCounts(t.reader(ctx), counts, t.callers)
}

// begun runs fn in a transaction, which fn commits: otherwise nothing is done.
// first are calls of the round trip that begins it.
func (s *Store) begun(ctx context.Context, fn func(t *tx, c *wire.Conn) error, first ...*wire.Call) error {
	return s.repeat(ctx, func() error {
		return s.connected(ctx, func(c *wire.Conn) error {
			t := &tx{Session: c, store: s}
			clock := &wire.Call{Query: settings, Args: []any{s.offset()}, Scan: func(r wire.Row) error {
				t.now = r.Int(0)
				return nil
			}}
			err := c.Run(ctx, append([]*wire.Call{{Query: wire.BeginTx}, clock}, first...)...)
			if err == nil {
				err = fn(t, c)
			}
			c.Rollback(ctx)
			return err
		})
	})
}

// read runs fn outside of a transaction: each round trip sees a snapshot of
// its own.
func (s *Store) read(ctx context.Context, fn func(wire.Session) error) error {
	return s.repeat(ctx, func() error {
		return s.connected(ctx, func(c *wire.Conn) error { return fn(c) })
	})
}

// snapshot runs fn in one snapshot, for statements that may read much.
func (s *Store) snapshot(ctx context.Context, fn func(wire.Session) error) error {
	return s.reading(ctx, fn, &wire.Call{Query: wire.BeginRead})
}

// lookUp runs fn in one snapshot, for statements that look rows up. Now is the store's
// clock.
func (s *Store) lookUp(ctx context.Context, fn func(c wire.Session, now int64) error) error {
	var now int64
	return s.reading(ctx, func(c wire.Session) error { return fn(c, now) }, &wire.Call{Query: wire.BeginRead},
		&wire.Call{Query: settings, Args: []any{s.offset()}, Scan: func(r wire.Row) error {
			now = r.Int(0)
			return nil
		}})
}

func (s *Store) reading(ctx context.Context, fn func(wire.Session) error, begin ...*wire.Call) error {
	return s.repeat(ctx, func() error {
		return s.connected(ctx, func(c *wire.Conn) error {
			err := c.Run(ctx, begin...)
			if err == nil {
				err = fn(c)
			}
			c.Rollback(ctx)
			return err
		})
	})
}

// connected runs fn on a connection of the pool.
func (s *Store) connected(ctx context.Context, fn func(c *wire.Conn) error) error {
	return on(ctx, s, s.pool, fn)
}

// reserved runs fn on a connection that the store keeps for itself.
func (s *Store) reserved(ctx context.Context, fn func(c *wire.Conn) error) error {
	return on(ctx, s, s.own, fn)
}

// on runs fn on a connection of a pool. That of the caller is open when the store is closed.
func on(ctx context.Context, s *Store, pool *pgxpool.Pool, fn func(c *wire.Conn) error) error {
	if err := ended(s); err != nil {
		return err
	}
	held, err := pool.Acquire(ctx)
	if err != nil {
		return cmp.Or(ended(s), err) // meanwhile
	}
	defer held.Release()
	return fn(s.newConn(held.Conn()))
}

// newConn uses a connection as its owner has configured it.
func (s *Store) newConn(c *pgx.Conn) *wire.Conn { return wire.Use(c, s.book, s.sent) }
