package postgres_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// A key is not given away while its task lives, also where a caller's snapshot
// shows it dead still: that transaction has to begin again.
func TestDedupeKeyOfATaskThatLivesAgainUnderAnOldSnapshot(t *testing.T) {
	for _, level := range []pgx.TxIsoLevel{pgx.ReadCommitted, pgx.RepeatableRead, pgx.Serializable} {
		t.Run(string(level), func(t *testing.T) {
			url := database(t)
			g, p := newGround(t, open(t, url), 1), pool(t, url)
			dedupe := &store.Dedupe{Lane: g.queue.Numbers[0], Key: "k", Window: time.Millisecond}
			one, two := g.task(), g.task()
			g.ok(g.enqueue(store.Batch{Items: []store.Insert{{Task: one, Dedupe: dedupe}}})[0].Err)
			g.settle(g.claim(one.ID).Tasks, task.OutcomeDead)
			tx, err := p.BeginTx(t.Context(), pgx.TxOptions{IsoLevel: level})
			g.ok(err)
			defer tx.Rollback(context.Background())
			_, err = tx.Exec(t.Context(), "select 1")
			g.ok(err)
			_, _, err = g.s.Redrive(t.Context(), []task.ID{one.ID}, store.RedriveOptions{})
			g.ok(err)
			inserted, err := g.s.EnqueueTx(t.Context(), tx, []store.Insert{{Task: two, Dedupe: dedupe}})
			if refused := new(pgconn.PgError); level != pgx.ReadCommitted && errors.As(err, &refused) && refused.Code == "40001" {
				return
			}
			g.ok(err)
			if existing := inserted[0].Existing; existing == nil || existing.ID != one.ID || existing.State != task.Pending {
				t.Errorf("the dedupe key of a live task was given to another one: %+v", inserted[0])
			}
		})
	}
}
