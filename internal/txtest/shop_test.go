package txtest

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// kinds are the ways that every test takes.
func kinds() []kind { return []kind{sqliteKind, mariadbKind, postgresKind, pgxKind} }

// everywhere runs a test on every database.
func everywhere(t *testing.T, test func(s *shop)) {
	t.Helper()
	t.Parallel() // they mostly wait
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			t.Parallel()
			test(newShop(t, k))
		})
	}
}

// everywhereElse leaves out databases on which an open transaction holds up
// everybody, so that nobody could take over.
func everywhereElse(t *testing.T, test func(s *shop)) {
	t.Helper()
	t.Parallel()
	for _, k := range kinds() {
		if !k.alone {
			t.Run(k.name, func(t *testing.T) {
				t.Parallel()
				test(newShop(t, k))
			})
		}
	}
}

// shop is an application with a table of effects, one row for each.
type shop struct {
	*testing.T
	ctx context.Context
	db  database
	pool
}

func newShop(t *testing.T, k kind) *shop {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	s := &shop{T: t, ctx: ctx, db: database{k, k.filled(t)}}
	var err error
	s.pool, err = k.pool(ctx, s.db.address)
	s.ok(err)
	t.Cleanup(s.pool.close)
	return s
}

func (s *shop) ok(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// openStore opens the tasks' tables, as another process would.
func (s *shop) openStore() store.Backend {
	s.Helper()
	backend, err := s.db.kind.store(s.ctx, s.db.address)
	s.ok(err)
	s.Cleanup(func() {
		if err := backend.Close(); err != nil {
			s.Error(err)
		}
	})
	return backend
}

// client opens a node that has not started.
func (s *shop) client(backend store.Backend, opts ...outlast.Option) *outlast.Client {
	s.Helper()
	opts = append([]outlast.Option{outlast.WithLogger(slog.New(slog.DiscardHandler))}, opts...)
	client, err := outlast.Open(s.ctx, backend, opts...)
	s.ok(err)
	s.Cleanup(func() {
		err := client.Stop(context.WithoutCancel(s.ctx))
		if err != nil && !errors.Is(err, context.DeadlineExceeded) { // a busy machine may not say goodbye in time
			s.Error(err)
		}
	})
	return client
}

// node is a client with its own store that has started, with handlers.
func (s *shop) node(handle func(*outlast.Client), opts ...outlast.Option) *outlast.Client {
	s.Helper()
	client := s.client(s.openStore(), opts...)
	handle(client)
	s.ok(client.Start(s.ctx))
	return client
}

// quick retries soon, and no guard holds tasks back that fail by design.
func quick(attempts int) outlast.HandleOption {
	policy, err := retry.New(retry.Attempts(attempts), retry.Fixed(20*time.Millisecond), retry.TaskBudget(nil),
		retry.TaskBreaker(nil), retry.MaxCrashes(1000))
	if err != nil {
		panic(err) // the values stand above
	}
	return outlast.Retry(policy)
}

// inTx commits what do does, unless that has an error.
func inTx(ctx context.Context, p pool, do func(tx) error) error {
	begun, err := p.begin(ctx)
	if err != nil {
		return err
	}
	if err := do(begun); err != nil {
		return errors.Join(err, begun.rollback(context.WithoutCancel(ctx)))
	}
	return begun.commit(ctx)
}

// effect has an effect in a transaction in the name of the task that runs.
func effect(ctx context.Context, t tx, step int) error {
	info, _ := outlast.Info(ctx)
	return t.exec(ctx, `INSERT INTO effect (task, step, claim_number) VALUES (?, ?, ?)`, info.ID.String(), step, info.Claim)
}

// pay has the effect and completes the task, in one transaction.
func pay(ctx context.Context, p pool) error {
	return inTx(ctx, p, func(t tx) error {
		if err := effect(ctx, t, 1); err != nil {
			return err
		}
		return t.complete(ctx, "paid")
	})
}

// effects is how many effects the task has had.
func (s *shop) effects(id outlast.ID) int {
	s.Helper()
	n, err := s.number(s.ctx, `SELECT count(*) FROM effect WHERE task = ?`, id.String())
	s.ok(err)
	return n
}

// paidOnce fails the test unless the task has succeeded with one effect.
func (s *shop) paidOnce(client *outlast.Client, id outlast.ID) *outlast.Task {
	s.Helper()
	done, err := client.Wait(s.ctx, id)
	s.ok(err)
	if n := s.effects(id); done.State != task.Succeeded || n != 1 {
		s.Errorf("task %s is %s after attempt %d, with %d effects: %+v", id, done.State, done.Attempt, n, done.LastError)
	}
	return done
}

func (s *shop) enqueue(client *outlast.Client, draft outlast.Draft) outlast.ID {
	s.Helper()
	receipt, err := client.Enqueue(s.ctx, draft)
	s.ok(err)
	return receipt.Task.ID
}

func (s *shop) wantCode(what string, err error, code task.Code) {
	s.Helper()
	if !errors.Is(err, &outlast.Error{Code: code}) {
		s.Errorf("%s: got the error %v, want one with code %s", what, err, code)
	}
}
