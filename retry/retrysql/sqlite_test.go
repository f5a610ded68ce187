package retrysql

import (
	"context"
	"database/sql"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast/retry"
)

// openSQLite opens a new database that does not wait for locks, so that there are
// conflicts.
func openSQLite(t *testing.T) *sql.DB {
	t.Helper()
	db, err := driver.Open("file:" + filepath.Join(t.TempDir(), "test.db") +
		"?_pragma=journal_mode(wal)&_pragma=busy_timeout(0)&_pragma=synchronous(off)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, statement := range []string{"create table counter (n integer not null)", "insert into counter values (0)"} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// increment reads and writes: of two that overlap, one gets SQLITE_BUSY_SNAPSHOT
// and must read again.
func increment(ctx context.Context, tx *sql.Tx, between func()) error {
	var n int
	if err := tx.QueryRowContext(ctx, "select n from counter").Scan(&n); err != nil {
		return err
	}
	between()
	_, err := tx.ExecContext(ctx, "update counter set n = ?", n+1)
	return err
}

// TestSQLiteIncrements: no increment of many at once is lost, none is made twice,
// and connections come back clean.
func TestSQLiteIncrements(t *testing.T) {
	const workers, each = 4, 25
	db := openSQLite(t)
	conflicts, mu := map[string]int{}, sync.Mutex{}
	p := policy(t, retry.Attempts(1000), retry.Exponential(time.Millisecond, 1.5, 20*time.Millisecond), retry.FullJitter(),
		retry.Observe(retry.Observer{Attempt: func(e retry.AttemptEvent) {
			mu.Lock()
			defer mu.Unlock()
			conflicts[e.Verdict.Code]++
		}}))
	// The first run of each worker waits between reading and writing until all have
	// read, so that all but one lose.
	var all, first sync.WaitGroup
	first.Add(workers)
	for range workers {
		all.Go(func() {
			var once sync.Once
			for range each {
				if err := Tx(context.Background(), db, p, nil, func(ctx context.Context, tx *sql.Tx) error {
					return increment(ctx, tx, func() { once.Do(func() { first.Done(); first.Wait() }) })
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	var n int
	if err := db.QueryRow("select n from counter").Scan(&n); err != nil || n != workers*each {
		t.Errorf("%d increments, %v", n, err)
	}
	t.Logf("attempts by code: %v", conflicts)
	if conflicts["SQLITE_BUSY"]+conflicts["SQLITE_BUSY_SNAPSHOT"] == 0 {
		t.Error("there were no conflicts")
	}
	if used := db.Stats().InUse; used != 0 {
		t.Errorf("%d connections in use", used)
	}
}

// TestSQLiteOverlooked: a write that met a lock is not dropped although the
// function ignores the error.
func TestSQLiteOverlooked(t *testing.T) {
	db := openSQLite(t)
	blocker, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blocker.Exec("update counter set n = 10"); err != nil {
		t.Fatal(err)
	}
	runs := 0
	err = Tx(context.Background(), db, policy(t), nil, func(ctx context.Context, tx *sql.Tx) error {
		if runs++; runs == 2 {
			if err := blocker.Commit(); err != nil {
				t.Error(err)
			}
		}
		_, _ = tx.ExecContext(ctx, "update counter set n = n + 1")
		return nil
	})
	var n int
	if scanErr := db.QueryRow("select n from counter").Scan(&n); err != nil || scanErr != nil || n != 11 || runs != 2 {
		t.Errorf("%d after %d runs: %v, %v", n, runs, err, scanErr)
	}
}

// TestSQLiteErrors: the driver's errors are recognized by their shape.
func TestSQLiteErrors(t *testing.T) {
	db := openSQLite(t)
	for statement, want := range map[string]retry.Verdict{
		"select nonsense":                   {Category: retry.Permanent, Effect: retry.Done, Code: "SQLITE_ERROR"},
		"insert into counter values (null)": {Category: retry.Permanent, Effect: retry.Done, Code: "SQLITE_CONSTRAINT"},
	} {
		_, err := db.Exec(statement)
		want.Type = "*sqlite3.Error"
		if v := retry.Classify(err); v != want {
			t.Errorf("%s: %+v for %v", statement, v, err)
		}
	}
}
