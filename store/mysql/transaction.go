package mysql

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/outlast-dev/outlast/store/internal/grouped"
	"github.com/outlast-dev/outlast/store/internal/stored"
)

// clock is the database's clock in µs since 1970, whatever the time zone.
const clock = `TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))`

// tx is a transaction: of a session of ours, or a caller's.
type tx struct {
	*session
	store *Store
	now   int64 // µs; read once, see [tx.readClock]
	// foreign says that it is a caller's, which the store cannot start again,
	// of any isolation. It must not hold locks that are in the way of others.
	foreign bool
	// blind says that ids are taken for new until one has shown not to be.
	blind bool
	depth int // of what goes apart within one another
	// counts are of members of groups that were canceled, and yet to be added.
	counts grouped.Tally
}

func (tx *tx) time() time.Time { return stored.Time(tx.now) }

// readClock reads the store's now.
func (tx *tx) readClock() error {
	var now int64
	err := tx.one(`SELECT `+clock, &now)
	tx.setClock(now)
	return err
}

// setClock takes the database's clock for the store's now, unless that is
// known.
func (tx *tx) setClock(now int64) {
	if tx.now == 0 {
		tx.now = now + tx.store.offset().Microseconds()
	}
}

// write runs fn, with the clock read, in a transaction; see [Store.transact].
func (s *Store) write(ctx context.Context, kind string, fn func(tx *tx) error) error {
	return s.transact(ctx, kind, func(tx *tx) error {
		if err := tx.readClock(); err != nil {
			return err
		}
		return fn(tx)
	})
}

// transact runs fn in a transaction that it has committed when it returns nil. It
// starts again, with a new fn call, after a deadlock, after a wait for a lock
// and after a lost connection, as long as ctx lasts: fn begins from nothing
// each time. Only a commit that was not answered ends in doubt.
func (s *Store) transact(ctx context.Context, kind string, fn func(tx *tx) error) error {
	return s.repeated(ctx, func() error {
		return s.sessions.do(ctx, func(c *session) error {
			tx := &tx{session: c, store: s}
			if _, err := c.exec(`START TRANSACTION`); err != nil {
				return err
			}
			if err := tx.run(kind, fn); err != nil {
				return c.rollback(err)
			}
			return nil
		})
	})
}

func (tx *tx) run(kind string, fn func(tx *tx) error) error {
	if err := fn(tx); err != nil {
		return err
	}
	tx.store.hook(kind + ".before_commit")
	if _, err := tx.exec(`COMMIT`); err != nil {
		if numbered(err) == 0 {
			return unknownError{err}
		}
		return err
	}
	tx.store.hook(kind + ".after_commit")
	return nil
}

// rollback ends a transaction that failed. A lock timeout ends its statement
// only, so this is needed for every error that leaves the connection usable.
func (s *session) rollback(err error) error {
	if !usable(err) {
		return err // the connection is closed, and the transaction with it
	}
	if _, end := s.exec(`ROLLBACK`); end != nil {
		return fmt.Errorf("%w (after %v)", errors.Join(errLost, end), err) //nolint:errorlint // what came before must not be taken for it
	}
	return err
}

// read runs statements that each see what is committed.
func (s *Store) read(ctx context.Context, fn func(c *session) error) error {
	return s.repeated(ctx, func() error { return s.sessions.do(ctx, fn) })
}

// snapshot runs statements that all see the same.
func (s *Store) snapshot(ctx context.Context, fn func(c *session) error) error {
	return s.read(ctx, func(c *session) error {
		for _, begin := range [...]string{`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`, `START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY`} {
			if _, err := c.exec(begin); err != nil {
				return err
			}
		}
		if err := fn(c); err != nil {
			return c.rollback(err)
		}
		_, err := c.exec(`COMMIT`)
		return err
	})
}
