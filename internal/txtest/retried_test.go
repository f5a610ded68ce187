package txtest

import (
	"context"
	"database/sql"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retrysql"
)

// strict repeats whole transactions. What completes a task may be repeated also
// when the answer to its COMMIT was lost: it is never done twice.
func strict() (*retry.Policy, retry.BothOption) {
	policy, err := retry.New(retry.Attempts(100), retry.Exponential(5*time.Millisecond, 2, 200*time.Millisecond))
	if err != nil {
		panic(err) // the values stand above
	}
	return policy, retry.Idempotent()
}

// retried runs do in a transaction that sees nothing of others, again and again
// until it has committed.
func (p *sqlPool) retried(ctx context.Context, do func(context.Context, tx) error) error {
	policy, option := strict()
	return retrysql.Tx(ctx, p.db, policy, &sql.TxOptions{Isolation: p.isolation}, func(ctx context.Context, t *sql.Tx) error {
		return do(ctx, &sqlTx{t, p.spell})
	}, option)
}

// Transactions that are repeated until they fit between others, or because the
// answer to their COMMIT was lost, complete their task once each.
func TestCompleteRetried(t *testing.T) {
	everywhere(t, func(s *shop) {
		const tasks = 24
		s.ok(s.exec(s.ctx, `INSERT INTO counter (id, value) VALUES (1, 0)`))
		client := s.node(func(c *outlast.Client) {
			outlast.Handle(c, "count", func(ctx context.Context, lossy bool) error {
				if lossy {
					s.loseAnswer()
				}
				return s.retried(ctx, func(ctx context.Context, t tx) error {
					value, err := t.number(ctx, `SELECT value FROM counter WHERE id = 1`)
					if err != nil {
						return err
					}
					if err := t.exec(ctx, `UPDATE counter SET value = ? WHERE id = 1`, value+1); err != nil {
						return err
					}
					if err := effect(ctx, t, 1); err != nil {
						return err
					}
					return t.complete(ctx, value)
				})
			}, quick(10))
		})
		var group sync.WaitGroup
		for i := range tasks {
			payload := []byte("false")
			if i%6 == 0 {
				payload = []byte("true")
			}
			id := s.enqueue(client, outlast.Draft{Type: "count", Payload: payload})
			group.Go(func() {
				if done, err := client.Wait(s.ctx, id); err != nil || done.Attempt > 2 {
					s.Errorf("%+v, %v", done, err)
				}
			})
		}
		group.Wait()
		value, err := s.number(s.ctx, `SELECT value FROM counter WHERE id = 1`)
		s.ok(err)
		effects, err := s.number(s.ctx, `SELECT count(*) FROM effect`)
		if s.ok(err); value != tasks || effects != tasks {
			s.Errorf("counted to %d with %d effects, want %d", value, effects, tasks)
		}
	})
}
