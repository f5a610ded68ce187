package postgres_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/postgres"
	"github.com/outlast-dev/outlast/task"
)

// A server that took over without the last commits has lost a claim that a process goes
// on with: what it settles is stale, and the task can be claimed again.
func TestLostBatch(t *testing.T) {
	t.Parallel()
	url := database(t)
	g := newGround(t, open(t, url), 1)
	ids := g.add(3)
	claim := func() store.Claimed { return g.claim(ids...) }
	lost := claim().Tasks
	if len(lost) != len(ids) {
		t.Fatalf("claimed %d", len(lost))
	}
	if _, err := pool(t, url).Exec(t.Context(), "DELETE FROM outlast_claim"); err != nil {
		t.Fatal(err)
	}
	for i, outcome := range []task.Outcome{task.OutcomeSucceeded, task.OutcomeReleased, task.OutcomeFailed} {
		settlement := store.Settlement{Task: lost[i], Outcome: outcome, StartedAt: time.Now(), EndedAt: time.Now(), RunAt: time.Now()}
		if outcome == task.OutcomeFailed {
			settlement.Failure = &task.Failure{Category: "x"}
		}
		settled, err := g.s.Settle(t.Context(), []store.Settlement{settlement})
		if err != nil || settled[0].Status != store.StatusStale {
			t.Errorf("%s: got %+v, %v", outcome, settled, err)
		}
	}
	if again := claim().Tasks; len(again) != len(ids) {
		t.Errorf("claimed %d again", len(again))
	}
}

// A program that knows the log does not make its tables beside one that does not.
func TestClaimLogWaitsForOldNodes(t *testing.T) {
	t.Parallel()
	url := servertest.Postgres(t)
	g := newGround(t, open(t, url), 1)
	p := pool(t, url)
	old := func(text string) {
		t.Helper()
		if _, err := p.Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	old("DELETE FROM outlast_migration WHERE version >= 7")
	ctx, cancel := context.WithCancel(t.Context())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		for ctx.Err() == nil {
			_, _ = g.s.Beat(ctx, "n1", store.Report{})
		}
	}()
	_, err := postgres.OpenURL(t.Context(), url)
	cancel()
	<-stopped
	if !errors.Is(err, &task.Error{Code: task.CodeUnavailable}) {
		t.Errorf("beside a node that beats: %v", err)
	}
	if _, err := p.Exec(t.Context(), `UPDATE outlast_node SET protocol = 1, counter = counter + 1`); err == nil {
		t.Error("a node of the protocol before this one beats")
	}
}

// A handler begins a transaction with a snapshot of its own, works for long, and settles
// in it: nothing has written into its task's row meanwhile.
func TestSettleTxOfALongRun(t *testing.T) {
	t.Parallel()
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		url := database(t)
		var offset atomic.Int64
		g := newGround(t, open(t, url, postgres.WithClockOffset(func() time.Duration { return time.Duration(offset.Load()) })), 1)
		running := g.claim(g.add(2)...).Tasks
		tx, err := pool(t, url).BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
		g.ok(err)
		_, err = tx.Exec(t.Context(), "SELECT 1")
		g.ok(err)
		g.settle(running[1:], task.OutcomeSucceeded)
		for range 3 {
			offset.Add(int64(30 * time.Second))
			_, err = g.s.Recover(t.Context(), []uint16{g.lanes[0].Lane}, 10)
			g.ok(err)
		}
		settled, err := g.s.SettleTx(t.Context(), tx, store.Settlement{Task: running[0], Outcome: task.OutcomeSucceeded, StartedAt: running[0].StartedAt, EndedAt: time.Now()})
		if err != nil || settled.Status != store.StatusOK {
			t.Errorf("%s: %+v, %v", level, settled, err)
		}
		g.ok(tx.Commit(t.Context()))
		g.sound()
	}
}

// A claim leaves in older batches of the lane what still runs by them.
func TestAClaimNarrowsOlderBatches(t *testing.T) {
	t.Parallel()
	url := database(t)
	g := newGround(t, open(t, url), 1)
	tasks := g.claim(g.add(8)...).Tasks
	g.settle(tasks[:7], task.OutcomeSucceeded)
	g.claim(g.add(1)...)
	var left int
	g.ok(pool(t, url).QueryRow(t.Context(), "SELECT cardinality(ids) FROM outlast_claim WHERE claim = $1", tasks[0].Claim).Scan(&left))
	if left != 1 {
		t.Errorf("%d tasks are left in the batch of which one runs", left)
	}
	g.settle(tasks[7:], task.OutcomeSucceeded)
	g.sound()
}
