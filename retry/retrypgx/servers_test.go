//go:build unix

package retrypgx

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/retry"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(servertest.Wrap(m)) }

func openServer(t *testing.T) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), servertest.Postgres(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	for _, statement := range []string{
		"create table account (id int primary key, amount int not null)",
		"insert into account values (1, 1000), (2, 1000)",
	} {
		if _, err := pool.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return pool
}

// checkMoney: nothing was lost, nothing made twice, and no connection is in use.
func checkMoney(t *testing.T, pool *pgxpool.Pool) {
	t.Helper()
	var sum int
	if err := pool.QueryRow(t.Context(), "select sum(amount) from account").Scan(&sum); err != nil || sum != 2000 {
		t.Errorf("%d, %v", sum, err)
	}
	if used := pool.Stat().AcquiredConns(); used != 0 {
		t.Errorf("%d connections in use", used)
	}
}

// TestPostgres runs moves in both directions, at two isolations: deadlocks, and in
// one of them serialization failures. The first two runs meet between their
// statements, so that there is a conflict at least once.
func TestPostgres(t *testing.T) {
	pool := openServer(t)
	for _, isolation := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.Serializable} {
		t.Run(string(isolation), func(t *testing.T) {
			codes, mu := map[string]int{}, sync.Mutex{}
			p := policy(t, retry.Attempts(200), retry.Exponential(time.Millisecond, 1.5, 50*time.Millisecond), retry.FullJitter(),
				retry.Observe(retry.Observer{Attempt: func(e retry.AttemptEvent) {
					mu.Lock()
					defer mu.Unlock()
					codes[e.Verdict.Code]++
				}}))
			var all, met sync.WaitGroup
			met.Add(2)
			began := time.Now()
			for _, direction := range [][2]int{{1, 2}, {2, 1}} {
				all.Go(func() {
					var once sync.Once
					for range 100 {
						err := Tx(t.Context(), pool, p, pgx.TxOptions{IsoLevel: isolation}, func(ctx context.Context, tx pgx.Tx) error {
							return move(ctx, tx, isolation, direction, func() { once.Do(func() { met.Done(); met.Wait() }) })
						})
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			all.Wait()
			t.Logf("200 moves in %v, attempts by code: %v", time.Since(began).Round(time.Millisecond), codes)
			if codes["40P01"]+codes["40001"] == 0 {
				t.Error("there were no conflicts")
			}
			checkMoney(t, pool)
		})
	}
	t.Run("overlooked", func(t *testing.T) { checkOverlooked(t, pool) })
	t.Run("answer to a commit lost", checkLostCommit)
	t.Run("connection killed", func(t *testing.T) { checkKilled(t, pool) })
}

// move takes from one account and gives to the other. When serializable it reads
// both first, which is what the other one must not change.
func move(ctx context.Context, tx pgx.Tx, isolation pgx.TxIsoLevel, direction [2]int, between func()) error {
	if isolation == pgx.Serializable {
		if err := exec(ctx, tx, "select sum(amount) from account"); err != nil {
			return err
		}
		between()
	}
	if err := exec(ctx, tx, fmt.Sprintf("update account set amount = amount - 1 where id = %d", direction[0])); err != nil {
		return err
	}
	if isolation != pgx.Serializable {
		between()
	}
	return exec(ctx, tx, fmt.Sprintf("update account set amount = amount + 1 where id = %d", direction[1]))
}

func checkOverlooked(t *testing.T, pool *pgxpool.Pool) {
	err := Tx(t.Context(), pool, policy(t), pgx.TxOptions{}, func(ctx context.Context, tx pgx.Tx) error {
		_, _ = tx.Exec(ctx, "insert into account values (1, 0)")
		_, _ = tx.Exec(ctx, "update account set amount = 0")
		return nil
	})
	var ended *Error
	if !errors.As(err, &ended) || ended.First == nil || !errors.Is(err, pgx.ErrTxCommitRollback) || retry.Classify(err).Code != "23505" {
		t.Errorf("%v", err)
	}
	checkMoney(t, pool)
}

func checkKilled(t *testing.T, pool *pgxpool.Pool) {
	runs := 0
	err := Tx(t.Context(), pool, policy(t), pgx.TxOptions{}, func(ctx context.Context, tx pgx.Tx) error {
		return move(ctx, tx, pgx.ReadCommitted, [2]int{1, 2}, func() {
			if runs++; runs <= 2 {
				if _, err := pool.Exec(ctx, "select pg_terminate_backend($1)", tx.Conn().PgConn().PID()); err != nil {
					t.Error(err)
				}
			}
		})
	})
	if err != nil || runs != 3 {
		t.Errorf("%d runs, %v", runs, err)
	}
	checkMoney(t, pool)
}

// checkLostCommit: a transaction whose COMMIT was sent and not answered is not
// repeated, whatever pgx says of the error, since it may have taken place.
func checkLostCommit(t *testing.T) {
	url := servertest.Postgres(t)
	_, address, _ := strings.Cut(url, "@")
	address, _, _ = strings.Cut(address, "/")
	proxy := servertest.NewLossy(t, address)
	pool, err := pgxpool.New(t.Context(), strings.Replace(url, address, proxy.Addr(), 1))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if _, err := pool.Exec(t.Context(), "create table effect (id serial)"); err != nil {
		t.Fatal(err)
	}
	runs := 0
	err = Tx(t.Context(), pool, policy(t), pgx.TxOptions{}, func(ctx context.Context, tx pgx.Tx) error {
		runs++
		if err := exec(ctx, tx, "insert into effect default values"); err != nil {
			return err
		}
		proxy.Lose(1)
		return nil
	})
	var effects int
	if err := pool.QueryRow(t.Context(), "select count(*) from effect").Scan(&effects); err != nil {
		t.Fatal(err)
	}
	if runs != 1 || effects != 1 || !errors.Is(err, ErrUnknownOutcome) {
		t.Errorf("%d runs, %d effects, %v", runs, effects, err)
	}
	proxy.Lose(1)
	_, err = pool.Exec(t.Context(), "insert into effect default values")
	if v := retry.Classify(err); v.Effect != retry.Maybe || v.Category != retry.Network {
		t.Errorf("an insert without an answer: %+v for %v", v, err)
	}
}
