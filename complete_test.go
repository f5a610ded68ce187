package outlast_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// app is a client on a SQLite file, and the application's own pool on it.
type app struct {
	*testing.T
	ctx    context.Context
	client *outlast.Client
	db     *sql.DB
}

func newApp(t *testing.T) *app {
	t.Helper()
	path := filepath.Join(t.TempDir(), "app.db")
	backend, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	ctx, client := really(t, backend)
	db, err := sql.Open("sqlite3", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := db.ExecContext(ctx, `CREATE TABLE payments (n INTEGER)`); err != nil {
		t.Fatal(err)
	}
	return &app{t, ctx, client, db}
}

// pay is a transaction with an effect and what else do does in it; it commits
// if do has no error.
func (a *app) pay(ctx context.Context, do func(tx *sql.Tx) error) error {
	tx, err := a.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if _, err = tx.ExecContext(ctx, `INSERT INTO payments VALUES (1)`); err == nil {
		err = do(tx)
	}
	if err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

func (a *app) payments() (n int) {
	a.Helper()
	if err := a.db.QueryRowContext(a.ctx, `SELECT count(*) FROM payments`).Scan(&n); err != nil {
		a.Fatal(err)
	}
	return n
}

// A handler ends its task in its own transaction, with its effect, result and
// follow-up task; a failure after the commit changes nothing any more.
func TestCompleteTx(t *testing.T) {
	a := newApp(t)
	receipts := make(chan string, 1)
	outlast.Handle(a.client, "pay", func(ctx context.Context, _ struct{}) error {
		err := a.pay(ctx, func(tx *sql.Tx) error { return outlast.CompleteTx(ctx, tx, map[string]int{"paid": 7}) })
		if err != nil {
			return err
		}
		return errors.New("the printer is out of paper")
	}, outlast.Interval(time.Millisecond))
	outlast.Handle(a.client, "receipt", func(_ context.Context, payload struct{ State, Type string }) error {
		receipts <- payload.Type + " " + payload.State
		return nil
	})
	done, err := a.client.Run(a.ctx, outlast.Draft{Type: "pay", OnSuccess: &task.Follow{Type: "receipt"}})
	if err != nil || done.State != task.Succeeded || string(done.Result) != `{"paid":7}` || done.Attempt != 1 {
		t.Errorf("%+v, %v", done, err)
	}
	select {
	case receipt := <-receipts:
		if receipt != "pay succeeded" {
			t.Errorf("told %q", receipt)
		}
	case <-a.ctx.Done():
		t.Fatal("what follows has not run")
	}
	if n := a.payments(); n != 1 {
		t.Errorf("%d payments", n)
	}
}

// A handler that returns nil without having committed has done nothing.
func TestCompleteTxThatDidNotCommit(t *testing.T) {
	a := newApp(t)
	runs := 0
	outlast.Handle(a.client, "pay", func(ctx context.Context, _ struct{}) error {
		runs++
		_ = a.pay(ctx, func(tx *sql.Tx) error {
			if err := outlast.CompleteTx(ctx, tx, nil); err != nil || runs > 1 {
				return err
			}
			return errors.New("the constraint says no")
		})
		return nil // an error overlooked
	}, outlast.Interval(time.Millisecond))
	done, err := a.client.Run(a.ctx, outlast.Draft{Type: "pay"})
	if err != nil || done.Attempt != 2 || runs != 2 || done.Result != nil {
		t.Errorf("%+v, %v after %d runs", done, err, runs)
	}
	if f := done.LastError; f == nil || f.Code != "not_committed" || f.Category != "local" || !strings.Contains(f.Message, "did not commit") {
		t.Errorf("the failure is %+v", f)
	}
	if n := a.payments(); n != 1 {
		t.Errorf("%d payments", n)
	}
}

// Every misuse has its answer, and no effect.
func TestCompleteTxRefusals(t *testing.T) {
	a := newApp(t)
	refused := map[string]error{}
	outlast.Handle(a.client, "pay", func(ctx context.Context, _ struct{}) error {
		refused["nil"] = outlast.CompleteTx(ctx, nil, nil)
		return a.pay(ctx, func(tx *sql.Tx) error {
			refused["no attempt"] = outlast.CompleteTx(context.Background(), tx, nil)
			refused["no JSON"] = outlast.CompleteTx(ctx, tx, func() {})
			refused["large"] = outlast.CompleteTx(ctx, tx, strings.Repeat("x", task.MaxResult))
			refused["kind"] = outlast.CompleteIn(ctx, a.db, nil)
			err := outlast.CompleteTx(ctx, tx, nil)
			refused["twice"] = outlast.CompleteTx(ctx, tx, nil)
			return err
		})
	})
	if _, err := a.client.Run(a.ctx, outlast.Draft{Type: "pay"}); err != nil {
		t.Fatal(err)
	}
	for name, code := range map[string]task.Code{
		"nil": task.CodeInvalid, "no attempt": task.CodeConflict, "no JSON": task.CodeInvalid, "large": task.CodeTooLarge,
		"kind": task.CodeInvalid, "twice": task.CodeConflict,
	} {
		if !errors.Is(refused[name], &outlast.Error{Code: code}) {
			t.Errorf("%s: %v", name, refused[name])
		}
	}
}

// Calls about transactions say so where there are none.
func TestStoreWithoutTransactions(t *testing.T) {
	ctx, client := really(t, struct{ store.Backend }{memory.New()})
	_, enqueue := client.EnqueueTx(ctx, &sql.Tx{}, outlast.Draft{Type: "n"})
	wantCode(t, enqueue, task.CodeUnavailable)
	wantCode(t, client.NotifyTx(ctx, &sql.Tx{}), task.CodeUnavailable)
	completed := make(chan error, 1)
	outlast.Handle(client, "n", func(ctx context.Context, _ struct{}) error {
		completed <- outlast.CompleteTx(ctx, &sql.Tx{}, nil)
		return nil
	})
	if _, err := client.Run(ctx, outlast.Draft{Type: "n"}); err != nil {
		t.Fatal(err)
	}
	wantCode(t, <-completed, task.CodeUnavailable)
}
