package retrypgx

import (
	"context"
	"errors"
	"io"
	"maps"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/retry"
)

type body = func(ctx context.Context, tx pgx.Tx) error

var (
	errSerialization = code("40001")
	errDeadlock      = code("40P01")
	errUnique        = code("23505")
	errAborted       = code("25P02")
	errLocked        = code("55P03")
	errLost          = io.ErrUnexpectedEOF
	errOwn           = errors.New("not enough money")
)

// ordinary is a function that returns what it meets, careless one that drops it.
func ordinary(ctx context.Context, tx pgx.Tx) error { return exec(ctx, tx, "read", "write") }

func careless(ctx context.Context, tx pgx.Tx) error {
	_, _ = tx.Exec(ctx, "read")
	_, _ = tx.Exec(ctx, "write")
	return nil
}

const good = "BEGIN, read, write, COMMIT"

// sequence is a rule with the statements that the server sees.
type sequence struct {
	script map[string][]error
	fn     body
	opts   []retry.CallOption
	log    string
	is     error // nil for a success
}

var sequences = map[string]sequence{
	"success": {nil, ordinary, nil, good, nil},
	"serialization failure in a statement": {
		map[string][]error{"write": {errSerialization}}, ordinary, nil, "BEGIN, read, write, ROLLBACK, " + good, nil,
	},
	"serialization failure at COMMIT": {
		map[string][]error{"COMMIT": {errSerialization}}, ordinary, nil, good + ", " + good, nil,
	},
	"deadlock, overlooked: nothing is sent after it": {
		map[string][]error{"read": {errDeadlock}}, careless, nil, "BEGIN, read, ROLLBACK, " + good, nil,
	},
	"lost connection in a statement": {
		map[string][]error{"write": {errLost}, "ROLLBACK": {errLost}}, ordinary, nil, "BEGIN, read, write, ROLLBACK, " + good, nil,
	},
	"lost connection at COMMIT": {
		map[string][]error{"COMMIT": {errLost}}, ordinary, nil, good, ErrUnknownOutcome,
	},
	"lost connection at COMMIT, idempotent": {
		map[string][]error{"COMMIT": {errLost}}, ordinary, []retry.CallOption{retry.Idempotent()}, good + ", " + good, nil,
	},
	"08007 at COMMIT": {
		map[string][]error{"COMMIT": {code("08007")}}, ordinary, nil, good, ErrUnknownOutcome,
	},
	"40003 at COMMIT": {
		map[string][]error{"COMMIT": {code("40003")}}, ordinary, nil, good, ErrUnknownOutcome,
	},
	"constraint at COMMIT": {
		map[string][]error{"COMMIT": {errUnique}}, ordinary, nil, good, errUnique,
	},
	"overlooked: the first error is reported": {
		map[string][]error{"read": {errUnique}, "write": {errAborted}, "COMMIT": {pgx.ErrTxCommitRollback}}, careless, nil,
		good, errUnique,
	},
	"run into 25P02": {
		map[string][]error{"read": {errUnique}, "write": {errAborted}},
		func(ctx context.Context, tx pgx.Tx) error {
			_, _ = tx.Exec(ctx, "read")
			return exec(ctx, tx, "write")
		}, nil, "BEGIN, read, write, ROLLBACK", errUnique,
	},
	"undone by a savepoint, then another error": {
		map[string][]error{"read": {errUnique}, "write": {code("22003")}, "last": {errAborted}},
		func(ctx context.Context, tx pgx.Tx) error {
			_ = pgx.BeginFunc(ctx, tx, func(nested pgx.Tx) error { return exec(ctx, nested, "read") })
			_, _ = tx.Exec(ctx, "write")
			return exec(ctx, tx, "last")
		}, nil, "BEGIN, SAVEPOINT, read, ROLLBACK savepoint, write, last, ROLLBACK", code("22003"),
	},
	"nested, committed": {
		nil,
		func(ctx context.Context, tx pgx.Tx) error {
			return pgx.BeginFunc(ctx, tx, func(nested pgx.Tx) error { return exec(ctx, nested, "read") })
		}, nil, "BEGIN, SAVEPOINT, read, COMMIT savepoint, COMMIT", nil,
	},
	"a lock that was not to be had, forgiven": {
		map[string][]error{"read": {errLocked}},
		func(ctx context.Context, tx pgx.Tx) error {
			err := pgx.BeginFunc(ctx, tx, func(nested pgx.Tx) error { return exec(ctx, nested, "read") })
			if err == nil || !Forgive(ctx) {
				return errOwn
			}
			return exec(ctx, tx, "write")
		}, nil, "BEGIN, SAVEPOINT, read, ROLLBACK savepoint, write, COMMIT", nil,
	},
	"a deadlock is not forgiven": {
		map[string][]error{"read": {errDeadlock}},
		func(ctx context.Context, tx pgx.Tx) error {
			err := pgx.BeginFunc(ctx, tx, func(nested pgx.Tx) error { return exec(ctx, nested, "read") })
			if err != nil && Forgive(ctx) {
				return errOwn
			}
			return exec(ctx, tx, "write")
		}, nil, "BEGIN, SAVEPOINT, read, ROLLBACK savepoint, ROLLBACK, BEGIN, SAVEPOINT, read, COMMIT savepoint, write, COMMIT", nil,
	},
	"the function's own error": {
		nil, func(context.Context, pgx.Tx) error { return errOwn }, nil, "BEGIN, ROLLBACK", errOwn,
	},
	"the function rolls back and returns its error": {
		map[string][]error{"write": {errDeadlock}},
		func(ctx context.Context, tx pgx.Tx) error {
			defer func() { _ = tx.Rollback(ctx) }()
			if err := ordinary(ctx, tx); err != nil {
				return err
			}
			return nil
		}, nil, "BEGIN, read, write, ROLLBACK, BEGIN, read, write, ROLLBACK", retry.ErrPermanent,
	},
	"the function commits": {
		nil, func(ctx context.Context, tx pgx.Tx) error { return tx.Commit(ctx) }, nil, "BEGIN, COMMIT", retry.ErrPermanent,
	},
	"BEGIN fails": {
		map[string][]error{"BEGIN": {code("53300")}}, ordinary, nil, "BEGIN, " + good, nil,
	},
}

func TestSequences(t *testing.T) {
	for name, c := range sequences {
		t.Run(name, func(t *testing.T) {
			s := &server{script: maps.Clone(c.script)}
			err := Tx(context.Background(), s, policy(t), pgx.TxOptions{}, c.fn, c.opts...)
			if (err == nil) != (c.is == nil) || !errors.Is(err, c.is) && retry.Classify(err).Code != retry.Classify(c.is).Code {
				t.Errorf("%v", err)
			}
			if s.seen() != c.log {
				t.Errorf("the server saw\n%s\nand should have seen\n%s", s.seen(), c.log)
			}
		})
	}
}

// TestOverlooked: an error is seen wherever pgx reports it, and after it nothing is
// sent by any method.
func TestOverlooked(t *testing.T) {
	methods := map[string]func(ctx context.Context, tx pgx.Tx) error{
		"read": func(ctx context.Context, tx pgx.Tx) error { return exec(ctx, tx, "read") },
		"query": func(ctx context.Context, tx pgx.Tx) error {
			rows, _ := tx.Query(ctx, "query")
			rows.Close()
			return rows.Err()
		},
		"rows": func(ctx context.Context, tx pgx.Tx) error {
			rows, _ := tx.Query(ctx, "rows")
			for rows.Next() {
			}
			return rows.Err()
		},
		"row":     func(ctx context.Context, tx pgx.Tx) error { return tx.QueryRow(ctx, "row").Scan() },
		"prepare": func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Prepare(ctx, "p", ""); return err },
		"copy":    func(ctx context.Context, tx pgx.Tx) error { _, err := tx.CopyFrom(ctx, nil, nil, nil); return err },
		"batch": func(ctx context.Context, tx pgx.Tx) error {
			results := tx.SendBatch(ctx, nil)
			_, err := results.Exec()
			rows, _ := results.Query()
			return errors.Join(err, rows.Err(), results.QueryRow().Scan(), results.Close())
		},
		"SAVEPOINT": func(ctx context.Context, tx pgx.Tx) error { _, err := tx.Begin(ctx); return err },
	}
	for statement, method := range methods {
		t.Run(statement, func(t *testing.T) {
			s, runs := &server{script: map[string][]error{statement: {errDeadlock}}}, 0
			err := Tx(context.Background(), s, policy(t), pgx.TxOptions{}, func(ctx context.Context, tx pgx.Tx) error {
				if runs++; runs > 1 {
					return nil
				}
				if err := method(ctx, tx); !errors.Is(err, errDeadlock) {
					t.Errorf("%v", err)
				}
				for other, method := range methods {
					if err := method(ctx, tx); !errors.Is(err, errDeadlock) {
						t.Errorf("%s after it: %v", other, err)
					}
				}
				return nil
			})
			if want := "BEGIN, " + statement + ", ROLLBACK, BEGIN, COMMIT"; err != nil || s.seen() != want {
				t.Errorf("%v: %s", err, s.seen())
			}
		})
	}
}

// TestRowErrors: what goes wrong on this side is no error of the database.
func TestRowErrors(t *testing.T) {
	s := &server{script: map[string][]error{"row": {pgx.ErrNoRows}, "write": {errUnique}, "last": {errAborted}}}
	err := Tx(context.Background(), s, policy(t), pgx.TxOptions{}, func(ctx context.Context, tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, "row").Scan(); !errors.Is(err, pgx.ErrNoRows) {
			t.Errorf("%v", err)
		}
		_, _ = tx.Exec(ctx, "write")
		return exec(ctx, tx, "last")
	})
	var ended *Error
	if !errors.As(err, &ended) || !errors.Is(ended.First, errUnique) {
		t.Errorf("%v", err)
	}
}

// TestEndOfContext: COMMIT is not sent, and the rollback still is.
func TestEndOfContext(t *testing.T) {
	s := &server{}
	ctx, cancel := context.WithCancel(context.Background())
	err := Tx(ctx, s, policy(t), pgx.TxOptions{IsoLevel: pgx.Serializable}, func(ctx context.Context, tx pgx.Tx) error {
		cancel()
		return exec(ctx, tx, "write")
	})
	if !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnknownOutcome) || s.seen() != "BEGIN serializable, ROLLBACK" {
		t.Errorf("%v: %s", err, s.seen())
	}
}

func TestPanic(t *testing.T) {
	s := &server{}
	func() {
		defer func() {
			if got := recover(); got != "boom" {
				t.Errorf("recovered %v", got)
			}
		}()
		_ = Tx(context.Background(), s, policy(t), pgx.TxOptions{}, func(context.Context, pgx.Tx) error { panic("boom") })
	}()
	if s.seen() != "BEGIN, ROLLBACK" {
		t.Error(s.seen())
	}
}

// TestSafeToRetry: pgx's own errors say when nothing was sent.
func TestSafeToRetry(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := pgx.Connect(ctx, "postgres://127.0.0.1:1/x")
	if v := retry.Classify(err); v.Effect != retry.NotSent {
		t.Errorf("%+v for %v", v, err)
	}
	_, err = pgx.Connect(context.Background(), "postgres://127.0.0.1:1/x?connect_timeout=2")
	if v := retry.Classify(err); v.Category != retry.Unsent || v.Effect != retry.NotSent || v.Code != "ECONNREFUSED" {
		t.Errorf("%+v for %v", v, err)
	}
}
