package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// repeatable is a store on a database whose default isolation is another one.
func repeatable(t *testing.T) (*ground, *pgxpool.Pool) {
	url := servertest.Postgres(t)
	_, err := pool(t, url).Exec(t.Context(),
		`do $$ begin execute format('alter database %I set default_transaction_isolation = ''repeatable read''', current_database()); end $$`)
	if err != nil {
		t.Fatal(err)
	}
	return newGround(t, open(t, url), 1), pool(t, url)
}

// commitWhenAwaited commits a transaction as soon as another connection waits for a
// lock of it, and fails the test if none ever does.
func commitWhenAwaited(t *testing.T, p *pgxpool.Pool, tx pgx.Tx) {
	t.Helper()
	ended := make(chan struct{})
	t.Cleanup(func() { <-ended })
	holder := tx.Conn().PgConn().PID()
	go func() {
		defer close(ended)
		defer tx.Commit(context.Background())                                                                             //nolint:errcheck // what the test finds next says it
		for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) { // sleep: a server tells nobody who waits
			awaited := false
			err := p.QueryRow(context.Background(), "select exists (select from pg_stat_activity where $1::int = any(pg_blocking_pids(pid)))", int64(holder)).Scan(&awaited)
			if err != nil || awaited {
				return
			}
		}
		t.Error("nobody waits for the transaction")
	}()
}

// A claim sees what was committed while it waited for the lock of its lane:
// here a cancel, whose transaction is held open.
func TestClaimWhereTheDefaultIsRepeatableRead(t *testing.T) {
	g, p := repeatable(t)
	ids := g.add(2)
	// A cancel of a pending row, as Cancel does it, held open: the lock of the lane, then the row moves to done.
	tx, err := p.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	g.ok(err)
	_, err = tx.Exec(t.Context(), "select lane from outlast_lane where lane = $1 for no key update", int32(g.queue.Numbers[0]))
	g.ok(err)
	_, err = tx.Exec(t.Context(), "delete from outlast_task where id = $1::text::uuid", ids[0].String())
	g.ok(err)
	commitWhenAwaited(t, p, tx)
	claimed := g.claim(ids...)
	for _, one := range claimed.Tasks {
		if one.ID == ids[0] {
			t.Error("a row that was canceled under the lock of its lane was claimed")
		}
	}
}

// A repeat of an enqueue finds a task that ends at that moment.
func TestEnqueueWhereTheDefaultIsRepeatableRead(t *testing.T) {
	g, p := repeatable(t)
	batch, ids := g.batch(1)
	g.ok(g.enqueue(batch)[0].Err)
	running := g.claim(ids...).Tasks[0]
	tx, err := p.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: pgx.ReadCommitted})
	g.ok(err)
	_, err = g.s.SettleTx(t.Context(), tx, store.Settlement{Task: running, Outcome: task.OutcomeSucceeded, StartedAt: running.StartedAt, EndedAt: time.Now()})
	g.ok(err)
	commitWhenAwaited(t, p, tx)
	result := g.enqueue(batch)[0]
	g.ok(result.Err)
	if result.Items[0].Existing == nil {
		t.Errorf("a task that has ended was inserted again: %+v", result.Items[0])
	}
}

// The snapshot of a caller's transaction is older than the end of a task that it
// enqueues again: it has to begin again, and then finds the task.
func TestEnqueueTxOfATaskThatEndedSinceTheSnapshot(t *testing.T) {
	for _, level := range []pgx.TxIsoLevel{pgx.RepeatableRead, pgx.Serializable} {
		url := database(t)
		g := newGround(t, open(t, url), 1)
		p := pool(t, url)
		batch, ids := g.batch(1)
		g.ok(g.enqueue(batch)[0].Err)
		old, err := p.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
		g.ok(err)
		defer old.Rollback(context.Background())
		_, err = old.Exec(t.Context(), "select 1")
		g.ok(err)
		g.settle(g.claim(ids...).Tasks, task.OutcomeSucceeded)
		var refused *pgconn.PgError
		if _, err := g.s.EnqueueTx(t.Context(), old, batch.Items); !errors.As(err, &refused) || refused.Code != "40001" {
			t.Errorf("%s: %v", level, err)
		}
		g.ok(old.Commit(t.Context())) // nothing of it is left
		again, err := p.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
		g.ok(err)
		defer again.Rollback(context.Background())
		inserted, err := g.s.EnqueueTx(t.Context(), again, batch.Items)
		if err != nil || inserted[0].Existing == nil || inserted[0].Existing.State != task.Succeeded {
			t.Errorf("%s: %+v, %v", level, inserted, err)
		}
		g.ok(again.Commit(t.Context()))
		g.sound()
	}
}

// The window of a dedupe key passes while the transaction that took it is open:
// the key is that of its task as long as this lives.
func TestDedupeWindowThatPassesInAnOpenTransaction(t *testing.T) {
	url := database(t)
	g := newGround(t, open(t, url), 1)
	p := pool(t, url)
	dedupe := &store.Dedupe{Lane: g.queue.Numbers[0], Key: "k", Window: 300 * time.Millisecond}
	one, two := g.task(), g.task()
	one.RunAt = time.Now().Add(time.Hour)
	tx, err := p.Begin(t.Context())
	g.ok(err)
	_, err = g.s.EnqueueTx(t.Context(), tx, []store.Insert{{Task: one, Dedupe: dedupe}})
	g.ok(err)
	time.Sleep(2 * dedupe.Window) // sleep: the window is that of the server's clock
	commitWhenAwaited(t, p, tx)
	result := g.enqueue(store.Batch{Items: []store.Insert{{Task: two, Dedupe: dedupe}}})[0]
	g.ok(result.Err)
	if result.Items[0].Existing == nil {
		t.Error("two live tasks have the same dedupe key")
	}
}
