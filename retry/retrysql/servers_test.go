//go:build unix

package retrysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/retry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(servertest.Wrap(m)) }

// openServer opens a database with two accounts and no money to lose.
func openServer(t *testing.T, driver, address string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, statement := range []string{
		"create table account (id int primary key, amount int not null)",
		"insert into account values (1, 1000), (2, 1000)",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// counting is a policy that counts attempts by the code of their error.
func counting(t *testing.T) (*retry.Policy, func() map[string]int) {
	codes, mu := map[string]int{}, sync.Mutex{}
	p := policy(t, retry.Attempts(200), retry.Exponential(time.Millisecond, 1.5, 50*time.Millisecond), retry.FullJitter(),
		retry.Observe(retry.Observer{Attempt: func(e retry.AttemptEvent) {
			mu.Lock()
			defer mu.Unlock()
			codes[e.Verdict.Code]++
		}}))
	return p, func() map[string]int { return codes }
}

// move takes from one account and gives to the other, in that order, so that two
// moves in opposite directions wait for each other.
func move(ctx context.Context, tx *sql.Tx, from, to int, between func()) error {
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("update account set amount = amount - 1 where id = %d", from)); err != nil {
		return err
	}
	between()
	_, err := tx.ExecContext(ctx, fmt.Sprintf("update account set amount = amount + 1 where id = %d", to))
	return err
}

// checkDeadlocks moves in both directions at once. The first two runs wait for each
// other between their statements, so that there is a deadlock at least once.
func checkDeadlocks(t *testing.T, db *sql.DB, code string) {
	t.Helper()
	p, codes := counting(t)
	var all, met sync.WaitGroup
	met.Add(2)
	began := time.Now()
	for _, direction := range [][2]int{{1, 2}, {2, 1}} {
		all.Go(func() {
			var once sync.Once
			for range 100 {
				err := Tx(t.Context(), db, p, nil, func(ctx context.Context, tx *sql.Tx) error {
					return move(ctx, tx, direction[0], direction[1], func() { once.Do(func() { met.Done(); met.Wait() }) })
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	t.Logf("200 moves in %v, attempts by code: %v", time.Since(began).Round(time.Millisecond), codes())
	if codes()[code] == 0 {
		t.Error("there were no deadlocks")
	}
	checkMoney(t, db)
}

// checkMoney: nothing was lost, nothing made twice, and no connection is dirty.
func checkMoney(t *testing.T, db *sql.DB) {
	t.Helper()
	var one, two int
	err := db.QueryRow("select a.amount, b.amount from account a, account b where a.id = 1 and b.id = 2").Scan(&one, &two)
	if err != nil || one+two != 2000 {
		t.Errorf("%d and %d, %v", one, two, err)
	}
	if used := db.Stats().InUse; used != 0 {
		t.Errorf("%d connections in use", used)
	}
}

func TestPostgres(t *testing.T) {
	db := openServer(t, "pgx", servertest.Postgres(t))
	t.Run("deadlocks", func(t *testing.T) { checkDeadlocks(t, db, "40P01") })
	t.Run("overlooked", func(t *testing.T) {
		err := Tx(t.Context(), db, policy(t), nil, func(ctx context.Context, tx *sql.Tx) error {
			_, _ = tx.ExecContext(ctx, "insert into account values (1, 0)")
			_, _ = tx.ExecContext(ctx, "update account set amount = 0")
			return nil
		})
		var ended *Error
		if !errors.As(err, &ended) || ended.First == nil || ended.Unknown || retry.Classify(err).Code != "23505" {
			t.Errorf("%v", err)
		}
		checkMoney(t, db)
	})
	t.Run("connections killed", func(t *testing.T) { checkKilled(t, db, "select pg_backend_pid()", "select pg_terminate_backend(%d)") })
}

func TestMariaDB(t *testing.T) {
	db := openServer(t, "mysql", servertest.MariaDB(t))
	t.Run("deadlocks", func(t *testing.T) { checkDeadlocks(t, db, "1213") })
	t.Run("lock wait timeout, overlooked", func(t *testing.T) { checkLockWait(t, db) })
	t.Run("what a plain transaction does", func(t *testing.T) { checkPlainLockWait(t, db) })
	t.Run("connections killed", func(t *testing.T) { checkKilled(t, db, "select connection_id()", "kill %d") })
}

// checkLockWait: after error 1205 the server would go on with the rest of the
// transaction. Nothing of the first run may be left.
func checkLockWait(t *testing.T, db *sql.DB) {
	blocker := block(t, db)
	runs := 0
	err := Tx(t.Context(), db, policy(t), nil, func(ctx context.Context, tx *sql.Tx) error {
		if runs++; runs == 2 {
			if err := blocker.Rollback(); err != nil {
				t.Error(err)
			}
		}
		return halfMove(ctx, tx)
	})
	if err != nil || runs != 2 {
		t.Errorf("%d runs, %v", runs, err)
	}
	checkMoney(t, db)
}

// checkPlainLockWait is the control: without the watch the careless function
// commits half of its work.
func checkPlainLockWait(t *testing.T, db *sql.DB) {
	blocker := block(t, db)
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(halfMove(t.Context(), tx), tx.Commit(), blocker.Rollback()); err != nil {
		t.Fatal(err)
	}
	var sum int
	if err := db.QueryRow("select sum(amount) from account").Scan(&sum); err != nil || sum != 2001 {
		t.Errorf("%d, %v: the server has become careful", sum, err)
	}
	if _, err := db.Exec("update account set amount = amount - 1 where id = 2"); err != nil {
		t.Fatal(err)
	}
}

// block locks the first account.
func block(t *testing.T, db *sql.DB) *sql.Tx {
	t.Helper()
	blocker, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := blocker.Exec("select * from account where id = 1 for update"); err != nil {
		t.Fatal(err)
	}
	return blocker
}

// halfMove overlooks that the first of its statements failed.
func halfMove(ctx context.Context, tx *sql.Tx) error {
	if _, err := tx.ExecContext(ctx, "set innodb_lock_wait_timeout = 1"); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "update account set amount = amount - 1 where id = 1")
	var refused *mysql.MySQLError
	if err != nil && (!errors.As(err, &refused) || refused.Number != 1205) {
		return err
	}
	_, _ = tx.ExecContext(ctx, "update account set amount = amount + 1 where id = 2")
	return nil
}

// checkKilled: a connection that dies in a transaction costs a run and nothing else.
func checkKilled(t *testing.T, db *sql.DB, id, kill string) {
	p, codes := counting(t)
	runs := 0
	err := Tx(t.Context(), db, p, nil, func(ctx context.Context, tx *sql.Tx) error {
		var number int
		if err := tx.QueryRowContext(ctx, id).Scan(&number); err != nil {
			return err
		}
		return move(ctx, tx, 1, 2, func() {
			if runs++; runs <= 2 {
				if _, err := db.Exec(fmt.Sprintf(kill, number)); err != nil {
					t.Error(err)
				}
			}
		})
	})
	if err != nil || runs != 3 {
		t.Errorf("%d runs, %v", runs, err)
	}
	t.Logf("attempts by code: %v", codes())
	checkMoney(t, db)
}
