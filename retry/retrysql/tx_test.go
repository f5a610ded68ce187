package retrysql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"maps"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

type body = func(ctx context.Context, tx *sql.Tx) error

// ordinary is a function that returns what it meets.
func ordinary(ctx context.Context, tx *sql.Tx) error { return exec(ctx, tx, "read", "write") }

// careless goes on after every error and reports none.
func careless(ctx context.Context, tx *sql.Tx) error {
	for _, statement := range []string{"read", "write"} {
		_, _ = tx.ExecContext(ctx, statement)
	}
	return nil
}

// What a function returns about a step outside of the transaction.
var (
	errNotSent = fmt.Errorf("charged; audit: %w", &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED})
	errQuoted  = errors.New("charged; the ledger: timed out in a failed transaction")
)

// renaming returns an error of its own for every failure.
func renaming(ctx context.Context, tx *sql.Tx) error {
	if ordinary(ctx, tx) != nil {
		return errOwn
	}
	return nil
}

const good = "1 BEGIN, 1 read, 1 write, 1 COMMIT"

// sequence is a rule with the statements that the server sees.
type sequence struct {
	script map[string][]error
	fn     body
	opts   []retry.CallOption
	log    string
	is     error // nil for a success
}

// conflictsAndLosses: what is repeated, and after a COMMIT in doubt is not.
var conflictsAndLosses = map[string]sequence{
	"success": {nil, ordinary, nil, good, nil},
	"serialization failure in a statement": {
		map[string][]error{"write": {errSerialization}}, ordinary, nil,
		"1 BEGIN, 1 read, 1 write, 1 ROLLBACK, " + good, nil,
	},
	"the first statement is run again too": {
		map[string][]error{"write": {errDeadlock, errDeadlock}}, ordinary, nil,
		"1 BEGIN, 1 read, 1 write, 1 ROLLBACK, 1 BEGIN, 1 read, 1 write, 1 ROLLBACK, " + good, nil,
	},
	"serialization failure at COMMIT": {
		map[string][]error{"COMMIT": {errSerialization}}, ordinary, nil,
		good + ", " + good, nil,
	},
	"lock wait timeout is rolled back": {
		map[string][]error{"write": {errLockWait}}, ordinary, nil,
		"1 BEGIN, 1 read, 1 write, 1 ROLLBACK, " + good, nil,
	},
	"lock wait timeout, overlooked: nothing is sent after it": {
		map[string][]error{"read": {errLockWait}}, careless, nil,
		"1 BEGIN, 1 read, 1 ROLLBACK, " + good, nil,
	},
	"deadlock, overlooked: nothing is sent after it": {
		map[string][]error{"read": {errDeadlock}}, careless, nil,
		"1 BEGIN, 1 read, 1 ROLLBACK, " + good, nil,
	},
	"deadlock, renamed": {
		map[string][]error{"write": {errDeadlock}}, renaming, nil,
		"1 BEGIN, 1 read, 1 write, 1 ROLLBACK, " + good, nil,
	},
	"deadlock for ever": {
		map[string][]error{"read": {errDeadlock, errDeadlock, errDeadlock}}, ordinary, nil,
		"1 BEGIN, 1 read, 1 ROLLBACK, 1 BEGIN, 1 read, 1 ROLLBACK, 1 BEGIN, 1 read, 1 ROLLBACK", errDeadlock,
	},
	"deadlock for ever, overlooked": {
		map[string][]error{"read": {errDeadlock, errDeadlock, errDeadlock}}, careless, nil,
		"1 BEGIN, 1 read, 1 ROLLBACK, 1 BEGIN, 1 read, 1 ROLLBACK, 1 BEGIN, 1 read, 1 ROLLBACK", errDeadlock,
	},
	"lost connection in a statement": {
		map[string][]error{"write": {errLost}, "ROLLBACK": {driver.ErrBadConn}}, ordinary, nil,
		"1 BEGIN, 1 read, 1 write, 1 ROLLBACK, 1 close, 2 BEGIN, 2 read, 2 write, 2 COMMIT", nil,
	},
	"lost connection at COMMIT": {
		map[string][]error{"COMMIT": {errLost}}, ordinary, nil,
		good + ", 1 close", ErrUnknownOutcome,
	},
	"lost connection at COMMIT, idempotent": {
		map[string][]error{"COMMIT": {errLost}}, ordinary, []retry.CallOption{retry.Idempotent()},
		good + ", 1 close, 2 BEGIN, 2 read, 2 write, 2 COMMIT", nil,
	},
	"40003 at COMMIT": {
		map[string][]error{"COMMIT": {coded("40003")}}, ordinary, nil,
		good + ", 1 close", ErrUnknownOutcome,
	},
	"08007 at COMMIT": {
		map[string][]error{"COMMIT": {coded("08007")}}, ordinary, nil,
		good + ", 1 close", ErrUnknownOutcome,
	},
	"08007 at COMMIT, idempotent": {
		map[string][]error{"COMMIT": {coded("08007")}}, ordinary, []retry.CallOption{retry.Idempotent()},
		good + ", 1 close, 2 BEGIN, 2 read, 2 write, 2 COMMIT", nil,
	},
	"COMMIT was not sent": {
		map[string][]error{"COMMIT": {driver.ErrBadConn}}, ordinary, nil,
		good + ", 1 close, 2 BEGIN, 2 read, 2 write, 2 COMMIT", nil,
	},
	"constraint at COMMIT": {
		map[string][]error{"COMMIT": {errUnique}}, ordinary, nil, good, errUnique,
	},
}

// whoseError: which error decides and is reported.
var whoseError = map[string]sequence{
	"PostgreSQL, overlooked: the first error is reported": {
		map[string][]error{"read": {errUnique}, "write": {errAborted}, "COMMIT": {errors.New("commit unexpectedly resulted in rollback")}},
		careless, nil, good, errUnique,
	},
	"PostgreSQL, overlooked and run into 25P02": {
		map[string][]error{"read": {errUnique}, "write": {errAborted}},
		func(ctx context.Context, tx *sql.Tx) error {
			_, _ = tx.ExecContext(ctx, "read")
			return exec(ctx, tx, "write")
		}, nil, "1 BEGIN, 1 read, 1 write, 1 ROLLBACK", errUnique,
	},
	"PostgreSQL, undone by a savepoint": {
		map[string][]error{"read": {errUnique}},
		func(ctx context.Context, tx *sql.Tx) error {
			_, _ = tx.ExecContext(ctx, "read")
			return exec(ctx, tx, "rollback to x", "write")
		}, nil, "1 BEGIN, 1 read, 1 rollback to x, 1 write, 1 COMMIT", nil,
	},
	"an expected error is the function's": {
		map[string][]error{"read": {&MySQLError{1062}}}, careless, nil, good, nil,
	},
	"the function's own error": {
		nil, func(context.Context, *sql.Tx) error { return errOwn }, nil, "1 BEGIN, 1 ROLLBACK", errOwn,
	},
	"rollback fails, too": {
		map[string][]error{"write": {errUnique}, "ROLLBACK": {errLost}}, ordinary, nil,
		"1 BEGIN, 1 read, 1 write, 1 ROLLBACK, 1 close", errUnique,
	},
	"rollback fails after the function's own error": {
		map[string][]error{"ROLLBACK": {errLost}}, func(context.Context, *sql.Tx) error { return errOwn }, nil,
		"1 BEGIN, 1 ROLLBACK, 1 close", errOwn,
	},
	"a step of the function's own was not sent": {
		nil, func(context.Context, *sql.Tx) error { return errNotSent }, nil, "1 BEGIN, 1 ROLLBACK", errNotSent,
	},
	"a step was not sent, and rollback fails": {
		map[string][]error{"ROLLBACK": {errLost}}, func(context.Context, *sql.Tx) error { return errNotSent }, nil,
		"1 BEGIN, 1 ROLLBACK, 1 close", errNotSent,
	},
	"a step's text is that of an aborted transaction": {
		nil, func(context.Context, *sql.Tx) error { return errQuoted }, nil, "1 BEGIN, 1 ROLLBACK", errQuoted,
	},
	"BEGIN fails": {
		map[string][]error{"BEGIN": {coded("53300")}}, ordinary, nil, "1 BEGIN, " + good, nil,
	},
	"BEGIN is lost": {
		map[string][]error{"BEGIN": {errLost}}, ordinary, nil,
		"1 BEGIN, 1 close, 2 BEGIN, 2 read, 2 write, 2 COMMIT", nil,
	},
}

// overlooked: no way of dropping an error drops it.
var overlooked = map[string]sequence{
	"an error that comes with a row": {
		map[string][]error{"row": {errDeadlock}},
		func(ctx context.Context, tx *sql.Tx) error {
			found, err := tx.QueryContext(ctx, "rows")
			if err != nil {
				return err
			}
			defer found.Close()
			for found.Next() {
			}
			return nil
		}, nil, "1 BEGIN, 1 rows, 1 row, 1 ROLLBACK, 1 BEGIN, 1 rows, 1 row, 1 COMMIT", nil,
	},
	"an error of one row, dropped": {
		map[string][]error{"row": {errDeadlock}},
		func(ctx context.Context, tx *sql.Tx) error {
			n := 0
			_ = tx.QueryRowContext(ctx, "rows").Scan(&n)
			return nil
		}, nil, "1 BEGIN, 1 rows, 1 row, 1 ROLLBACK, 1 BEGIN, 1 rows, 1 row, 1 COMMIT", nil,
	},
	"an error of a prepared statement, dropped": {
		map[string][]error{"write": {errDeadlock}},
		func(ctx context.Context, tx *sql.Tx) error {
			prepared, err := tx.PrepareContext(ctx, "write")
			if err != nil {
				return err
			}
			defer prepared.Close()
			_, _ = prepared.ExecContext(ctx, 1)
			_, _ = prepared.ExecContext(ctx, 1)
			return nil
		}, nil, "1 BEGIN, 1 prepare write, 1 write, 1 ROLLBACK, 1 BEGIN, 1 prepare write, 1 write, 1 write, 1 COMMIT", nil,
	},
	"NOWAIT, forgiven": {
		map[string][]error{"read": {errNoWait}},
		func(ctx context.Context, tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, "read"); err == nil || !Forgive(ctx) || Forgive(ctx) {
				return errOwn
			}
			return exec(ctx, tx, "write")
		}, nil, good, nil,
	},
	"a deadlock is not forgiven": {
		map[string][]error{"read": {errDeadlock}},
		func(ctx context.Context, tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, "read"); err != nil && Forgive(ctx) {
				return errOwn
			}
			return exec(ctx, tx, "write")
		}, nil, "1 BEGIN, 1 read, 1 ROLLBACK, " + good, nil,
	},
	"the function rolls back and returns its error": {
		map[string][]error{"write": {errDeadlock}},
		func(ctx context.Context, tx *sql.Tx) error {
			err := ordinary(ctx, tx)
			if err != nil {
				_ = tx.Rollback()
			}
			return err
		}, nil, "1 BEGIN, 1 read, 1 write, 1 ROLLBACK, " + good, nil,
	},
}

func TestConflictsAndLosses(t *testing.T) { runSequences(t, conflictsAndLosses) }
func TestWhoseError(t *testing.T)         { runSequences(t, whoseError) }
func TestOverlooked(t *testing.T)         { runSequences(t, overlooked) }

func runSequences(t *testing.T, rules map[string]sequence) {
	for name, c := range rules {
		t.Run(name, func(t *testing.T) {
			s := &server{script: maps.Clone(c.script)}
			err := Tx(context.Background(), s.open(t), policy(t), nil, c.fn, c.opts...)
			if !errors.Is(err, c.is) || (err == nil) != (c.is == nil) {
				t.Errorf("%v", err)
			}
			if log := s.done(); log != c.log {
				t.Errorf("the server saw\n%s\nand should have seen\n%s", log, c.log)
			}
		})
	}
}

// TestErrorKeepsBoth: an overlooked error and what came of it are both there, and
// neither is hidden by the rollback.
func TestErrorKeepsBoth(t *testing.T) {
	s := &server{script: map[string][]error{"read": {errUnique}, "write": {errAborted}, "ROLLBACK": {errLost}}}
	err := Tx(context.Background(), s.open(t), policy(t), nil, func(ctx context.Context, tx *sql.Tx) error {
		_, _ = tx.ExecContext(ctx, "read")
		return fmt.Errorf("transfer: %w", exec(ctx, tx, "write"))
	})
	var ended *Error
	var all *retry.Error
	if !errors.As(err, &ended) || !errors.As(err, &all) {
		t.Fatal(err)
	}
	if ended.First != error(errUnique) || !errors.Is(ended.Err, errAborted) || ended.Rollback != errLost || ended.Unknown { //nolint:errorlint // the very values
		t.Errorf("%+v", ended)
	}
	if errors.Is(err, errLost) {
		t.Error("the rollback's error is among the causes")
	}
	const want = "SQLSTATE 23505; the function went on, to: transfer: SQLSTATE 25P02; rollback: unexpected EOF"
	if ended.Error() != want || all.Attempts != 1 {
		t.Errorf("%q after %d", ended.Error(), all.Attempts)
	}
	if v := retry.Classify(err); v.Category != retry.Permanent || v.Code != "23505" {
		t.Errorf("%+v", v)
	}
}

// TestFunctionEndsTransaction: what the function ends itself is out of our hands
// and never repeated.
func TestFunctionEndsTransaction(t *testing.T) {
	for name, c := range map[string]struct {
		fn  body
		log string
	}{
		"commit": {func(_ context.Context, tx *sql.Tx) error { return tx.Commit() }, "1 BEGIN, 1 COMMIT"},
		"commit, then an error": {func(_ context.Context, tx *sql.Tx) error {
			return errors.Join(tx.Commit(), errSerialization)
		}, "1 BEGIN, 1 COMMIT"},
		"rollback": {func(_ context.Context, tx *sql.Tx) error { return tx.Rollback() }, "1 BEGIN, 1 ROLLBACK"},
	} {
		s := &server{}
		err := Tx(context.Background(), s.open(t), policy(t), nil, c.fn, retry.Idempotent())
		if !errors.Is(err, retry.ErrPermanent) || s.done() != c.log {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPanic rolls back and goes on; so does the end of the goroutine.
func TestPanic(t *testing.T) {
	s := &server{}
	db := s.open(t)
	func() {
		defer func() {
			if got := recover(); got != "boom" {
				t.Errorf("recovered %v", got)
			}
		}()
		_ = Tx(context.Background(), db, policy(t), nil, func(ctx context.Context, tx *sql.Tx) error {
			_ = exec(ctx, tx, "write")
			panic("boom")
		})
	}()
	if log := s.done(); log != "1 BEGIN, 1 write, 1 ROLLBACK, 1 close" {
		t.Error(log)
	}
	if used := db.Stats().InUse; used != 0 {
		t.Errorf("%d connections in use", used)
	}
}

// TestStale: connections that died in the pool are replaced at once, however many,
// and are no attempts.
func TestStale(t *testing.T) {
	s := &server{}
	db := s.open(t)
	db.SetMaxIdleConns(10)
	var held []*sql.Conn
	for range 5 {
		conn, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	for _, conn := range held {
		conn.Close()
	}
	bad := driver.ErrBadConn
	s.script = map[string][]error{"BEGIN": {bad, bad, bad, bad, bad}}
	if err := Tx(context.Background(), db, policy(t, retry.Attempts(1)), nil, ordinary); err != nil {
		t.Fatal(err)
	}
	if s.opened != 6 {
		t.Errorf("%d connections were made", s.opened)
	}
	// A server that refuses every BEGIN is not asked for ever.
	s.script = map[string][]error{"BEGIN": {bad, bad, bad, bad, bad, bad, bad, bad, bad}}
	if err := Tx(context.Background(), db, policy(t, retry.Attempts(1)), nil, ordinary); !errors.Is(err, bad) {
		t.Error(err)
	}
	if left := len(s.script["BEGIN"]); left != 7 {
		t.Errorf("%d answers are left", left)
	}
}

// TestBadConnectionInside: ErrBadConn from a statement is a lost transaction, and an
// attempt.
func TestBadConnectionInside(t *testing.T) {
	s := &server{script: map[string][]error{"write": {driver.ErrBadConn, driver.ErrBadConn, driver.ErrBadConn}}}
	err := Tx(context.Background(), s.open(t), policy(t), nil, ordinary)
	var all *retry.Error
	if !errors.As(err, &all) || all.Attempts != 3 {
		t.Errorf("%v", err)
	}
}

// TestAttemptContext: BEGIN and statements end with the attempt, the rollback does
// not, and an attempt that timed out before COMMIT is repeated.
func TestAttemptContext(t *testing.T) {
	for _, statement := range []string{"BEGIN", "write"} {
		t.Run(statement, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &server{waits: map[string]bool{statement: true}}
				db := s.open(t)
				defer db.Close()
				err := Tx(t.Context(), db, policy(t, retry.PerAttempt(time.Second), retry.Attempts(2)), nil, ordinary)
				var all *retry.Error
				if !errors.As(err, &all) || all.Attempts != 2 || !errors.Is(err, retry.ErrAttempts) {
					t.Errorf("%v", err)
				}
				if log := s.done(); statement == "write" && log != "1 BEGIN, 1 read, 1 write, 1 ROLLBACK, 1 BEGIN, 1 read, 1 write, 1 ROLLBACK" {
					t.Error(log)
				}
			})
		})
	}
}

// TestStatementsWithoutContext end with the attempt, too.
func TestStatementsWithoutContext(t *testing.T) {
	s := &server{}
	ctx, cancel := context.WithCancel(context.Background())
	err := Tx(ctx, s.open(t), policy(t), nil, func(_ context.Context, tx *sql.Tx) error {
		cancel()
		_, err := tx.Exec("write")
		return err
	})
	if !errors.Is(err, context.Canceled) || s.done() != "1 BEGIN, 1 ROLLBACK" {
		t.Error(err)
	}
}

// TestOptions reach BEGIN, and the pool's connection comes back.
func TestOptions(t *testing.T) {
	s := &server{}
	db := s.open(t)
	db.SetMaxOpenConns(1)
	for range 3 {
		err := Tx(context.Background(), db, policy(t), &sql.TxOptions{Isolation: sql.LevelSerializable, ReadOnly: true}, ordinary)
		if err != nil {
			t.Fatal(err)
		}
		if log := s.done(); log != "1 BEGIN Serializable true, 1 read, 1 write, 1 COMMIT" {
			t.Error(log)
		}
	}
	if stats := db.Stats(); stats.InUse != 0 || stats.OpenConnections != 1 {
		t.Errorf("%+v", stats)
	}
}

// TestUserClassifiers come before the tables, and keep what is known of the effect
// to themselves.
func TestUserClassifiers(t *testing.T) {
	s := &server{script: map[string][]error{"write": {errUnique}}}
	generated := retry.Classifiers(func(err error) (retry.Verdict, bool) {
		return retry.Verdict{Category: retry.Conflict, Effect: retry.NotSent}, errors.Is(err, errUnique)
	})
	if err := Tx(context.Background(), s.open(t), policy(t, generated), nil, ordinary); err != nil {
		t.Error(err)
	}
}
