package outlast_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// What a caller's transaction accepts is started within a second of its
// commit, and is nothing after its rollback, not even a dedupe key.
func TestTransactionDecides(t *testing.T) {
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
	started := make(chan int, 10)
	outlast.Handle(client, "n", func(_ context.Context, m mail) error { started <- m.N; return nil })
	db, err := sql.Open("sqlite3", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(ctx, `CREATE TABLE orders (n INTEGER PRIMARY KEY)`); err != nil {
		t.Fatal(err)
	}
	draft := func(payload string) outlast.Draft {
		return outlast.Draft{Type: "n", DedupeKey: "order", Payload: []byte(payload)}
	}
	begin := func() *sql.Tx {
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO orders DEFAULT VALUES`); err != nil {
			t.Fatal(err)
		}
		return tx
	}
	enqueue := func(tx *sql.Tx, payload string) outlast.Receipt {
		receipts, err := client.EnqueueTx(ctx, tx, draft(payload))
		if err != nil {
			t.Fatal(err)
		}
		return receipts[0]
	}

	tx := begin()
	lost := enqueue(tx, `{"n":1}`)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	_, err = client.Inspector().Tasks.Get(ctx, lost.Task.ID)
	wantCode(t, err, task.CodeNotFound)

	// The key of the lost task is free for another content.
	tx = begin()
	first, second := enqueue(tx, `{"n":2}`), enqueue(tx, `{"n":2}`)
	if first.Existing || !second.Existing || second.Task.ID != first.Task.ID {
		t.Errorf("the same twice: %+v, %+v", first, second)
	}
	if _, err := client.EnqueueTx(ctx, tx, draft(`{"n":3}`)); err == nil {
		t.Error("another content has the same key")
	} else {
		wantCode(t, err, task.CodeDedupeConflict)
	}
	select {
	case n := <-started:
		t.Errorf("%d started before the commit", n)
	case <-time.After(50 * time.Millisecond):
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	select {
	case n := <-started:
		if n != 2 {
			t.Errorf("%d started", n)
		}
	case <-time.After(2 * time.Minute): // it is found in a second, but for a busy machine; a lane is read anew once a minute
		t.Fatal("not started though it was committed")
	}

	// Outside of transactions, what was committed is known.
	again, err := client.Enqueue(ctx, draft(`{"n":2}`))
	if err != nil || !again.Existing || again.Task.ID != first.Task.ID {
		t.Errorf("after the commit: %+v, %v", again, err)
	}
	tx = begin()
	if inside := enqueue(tx, `{"n":2}`); !inside.Existing || inside.Task.ID != first.Task.ID {
		t.Errorf("in the next transaction: %+v", inside)
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	var orders int
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM orders`).Scan(&orders); err != nil || orders != 2 {
		t.Errorf("%d orders, %v", orders, err)
	}
	if len(started) != 0 {
		t.Errorf("%d started as well", <-started)
	}
}
