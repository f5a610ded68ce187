package txtest

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Transactions that have ended, of another database, without a context that
// lives, or with too much in them are refused, and leave nothing behind.
func TestHostileEnqueue(t *testing.T) {
	everywhere(t, func(s *shop) {
		client := s.node(func(*outlast.Client) {})
		draft := outlast.Draft{Type: "n", Delay: time.Hour}
		enqueue := func(p pool, drafts ...outlast.Draft) error {
			return inTx(s.ctx, p, func(t tx) error { _, err := t.enqueue(s.ctx, client, drafts...); return err })
		}

		ended, err := s.begin(s.ctx)
		s.ok(err)
		s.ok(ended.commit(s.ctx))
		if _, err := ended.enqueue(s.ctx, client, draft); !errors.Is(err, sql.ErrTxDone) && !errors.Is(err, pgx.ErrTxClosed) {
			s.Errorf("an ended transaction: %v", err)
		}
		ctx, cancel := context.WithCancel(s.ctx)
		canceled, err := s.begin(s.ctx)
		s.ok(err)
		cancel()
		if _, err := canceled.enqueue(ctx, client, draft); !errors.Is(err, context.Canceled) {
			s.Errorf("an ended context: %v", err)
		}
		_ = canceled.rollback(s.ctx) // a driver may have done so
		if err := enqueue(s.elsewhere(), draft); err == nil {
			s.Error("accepted in a database without tables")
		}
		s.wantCode("a large payload", enqueue(s, draft, outlast.Draft{Type: "n", Payload: bytes.Repeat([]byte("7"), task.MaxPayload+1)}), task.CodeTooLarge)
		s.wantCode("many drafts", enqueue(s, make([]outlast.Draft, 10_001)...), task.CodeTooLarge)
		s.wantCode("an unknown queue", enqueue(s, draft, outlast.Draft{Type: "n", Queue: "nowhere"}), task.CodeInvalid)
		s.wantCode("a draft without a type", enqueue(s, draft, outlast.Draft{}), task.CodeInvalid)
		id := outlast.NewID()
		s.wantCode("an id with two contents", enqueue(s, outlast.Draft{ID: id, Type: "n", Delay: time.Hour}, outlast.Draft{ID: id, Type: "m", Delay: time.Hour}), task.CodeIDConflict)
		s.ok(enqueue(s))
		s.count(0)

		many := make([]outlast.Draft, 2500)
		for i := range many {
			many[i] = draft
		}
		s.ok(enqueue(s, many...))
		s.count(len(many))
	})
}

// count fails the test unless there are so many tasks.
func (s *shop) count(want int) {
	s.Helper()
	n, err := s.number(s.ctx, `SELECT count(*) FROM outlast_task`)
	if s.ok(err); n != want {
		s.Errorf("%d tasks, want %d", n, want)
	}
}

// elsewhere is a pool on another database of the same kind, which is empty.
func (s *shop) elsewhere() pool {
	s.Helper()
	p, err := s.db.kind.pool(s.ctx, s.db.kind.address(s))
	s.ok(err)
	s.Cleanup(p.close)
	return p
}

// An error of a call in a transaction that is committed all the same takes
// nothing else with it where the database lets that be: what succeeded is
// there, what failed is not.
func TestErrorsOverlooked(t *testing.T) {
	everywhere(t, func(s *shop) {
		client := s.node(func(*outlast.Client) {})
		good := outlast.Draft{Type: "n", DedupeKey: "k", Delay: time.Hour, Payload: []byte(`1`)}
		fresh, clash := outlast.Draft{Type: "m", Delay: time.Hour}, good
		clash.Payload = []byte(`2`)
		begun, err := s.begin(s.ctx)
		s.ok(err)
		if _, err := begun.enqueue(s.ctx, client, good); err != nil {
			s.Fatal(err)
		}
		_, err = begun.enqueue(s.ctx, client, fresh, clash)
		s.wantCode("another content", err, task.CodeDedupeConflict)
		s.ok(begun.commit(s.ctx))
		if n, err := client.Inspector().Tasks.Count(s.ctx, store.Filter{Type: "n"}, 10); err != nil || n != 1 {
			s.Errorf("%d tasks of the first call, %v", n, err)
		}
		if n, err := client.Inspector().Tasks.Count(s.ctx, store.Filter{Type: "m"}, 10); err != nil || n != 0 {
			s.Errorf("%d tasks of the failed call, %v", n, err)
		}
	})
}

// Calls in one transaction at once take turns, and none is answered well whose
// task is not there after the commit.
func TestOneTransactionForMany(t *testing.T) {
	everywhere(t, func(s *shop) {
		client := s.node(func(*outlast.Client) {})
		begun, err := s.begin(s.ctx)
		s.ok(err)
		var mu sync.Mutex
		var accepted []outlast.ID
		var group sync.WaitGroup
		for i := range 16 {
			group.Go(func() {
				receipts, err := begun.enqueue(s.ctx, client, outlast.Draft{Type: "n", Key: fmt.Sprint(i % 3), Delay: time.Hour})
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					accepted = append(accepted, receipts[0].Task.ID)
				}
			})
		}
		group.Wait()
		err = begun.commit(s.ctx)
		for _, id := range accepted {
			if _, gone := client.Inspector().Tasks.Get(s.ctx, id); (err == nil) != (gone == nil) {
				s.Errorf("the commit said %v, the task is %v", err, gone)
			}
		}
		if len(accepted) != 16 || err != nil {
			s.Errorf("%d of 16 accepted; the commit said %v", len(accepted), err)
		}
	})
}

// A completion in a transaction of another database changes nothing here.
func TestCompleteElsewhere(t *testing.T) {
	everywhere(t, func(s *shop) {
		empty, other := s.elsewhere(), newShop(s.T, s.db.kind)
		refused := map[string]error{}
		client := s.node(func(c *outlast.Client) {
			outlast.Handle(c, "pay", func(ctx context.Context, _ none) error {
				complete := func(t tx) error { return t.complete(ctx, "paid") }
				refused["empty"], refused["other"] = inTx(ctx, empty, complete), inTx(ctx, other, complete)
				return pay(ctx, s)
			}, quick(3))
		})
		done := s.paidOnce(client, s.enqueue(client, outlast.Draft{Type: "pay"}))
		s.wantCode("a database of others", refused["other"], task.CodeStaleClaim)
		if refused["empty"] == nil || done.Attempt != 1 {
			s.Errorf("without tables: %v; attempt %d", refused["empty"], done.Attempt)
		}
	})
}
