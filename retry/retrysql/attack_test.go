package retrysql

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

// SQLite rolls the whole transaction back when a statement that writes is
// interrupted. A function that goes on after that must not have the rest of its
// work committed by itself.
func TestSQLiteInterruptEndsTheTransaction(t *testing.T) {
	db := openSQLite(t)
	if _, err := db.Exec("create table log (what text)"); err != nil {
		t.Fatal(err)
	}
	runs := 0
	err := Tx(context.Background(), db, policy(t, retry.Attempts(2), retry.Fixed(time.Millisecond)), nil, func(ctx context.Context, tx *sql.Tx) error {
		runs++
		if _, err := tx.ExecContext(ctx, "insert into log values ('before')"); err != nil {
			return err
		}
		if runs == 1 {
			short, cancel := context.WithTimeout(ctx, 500*time.Millisecond) // it has begun long before
			defer cancel()
			_, err := tx.ExecContext(short, "insert into log with recursive n(i) as (select 1 union all select i+1 from n where i < 300000000) select 'x' from n where i % 10000000 = 1")
			if err == nil {
				t.Error("the statement was not interrupted")
			}
		}
		_, err := tx.ExecContext(ctx, "insert into log values ('after')")
		_ = err // the function makes nothing of errors
		return nil
	})
	var before, after int
	if err := db.QueryRow("select (select count(*) from log where what = 'before'), (select count(*) from log where what = 'after')").Scan(&before, &after); err != nil {
		t.Fatal(err)
	}
	if err != nil || runs != 2 || before != 1 || after != 1 {
		t.Errorf("%d runs, %v, before %d, after %d: a part of a transaction was committed", runs, err, before, after)
	}
}
