package enqueue

import (
	"context"
	"reflect"
	"sync"

	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/room"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// In accepts drafts inside a transaction of the caller, together: they exist exactly if that
// commits.
func (e *Enqueuer) In(ctx context.Context, tx any, count int, draft func(i int) drafts.Draft) ([]Receipt, error) {
	enqueuer, ok := store.As[store.TxEnqueuer](e.backend)
	if !ok {
		return nil, &task.Error{Code: task.CodeUnavailable, Message: "this store cannot join transactions of the caller"}
	}
	if tx == nil {
		return nil, NoTx()
	}
	if err := tooMany(count); err != nil || count == 0 {
		return nil, err
	}
	if len(e.middleware) == 0 {
		return e.in(ctx, enqueuer, tx, count, draft)
	}
	return e.around(ctx, count, draft, func(ctx context.Context, all []drafts.Draft) ([]Receipt, error) {
		return e.in(ctx, enqueuer, tx, count, at(all))
	})
}

func (e *Enqueuer) in(ctx context.Context, enqueuer store.TxEnqueuer, tx any, count int, draft func(i int) drafts.Draft) ([]Receipt, error) {
	first := draft(0)
	ctx, span := e.trace(ctx, &first, count)
	receipts, err := e.atomic(ctx, count, draft, func(ctx context.Context, items []store.Insert) ([]store.Inserted, error) {
		defer e.txLocks.lock(tx)()
		return enqueuer.EnqueueTx(ctx, tx, items)
	}, room.TxOpen)
	span.End(err)
	return receipts, err
}

// NotifyIn has the database tell of lanes at the very commit of a transaction.
func (e *Enqueuer) NotifyIn(ctx context.Context, tx any, lanes []store.ChangedLane) error {
	notifier, ok := store.As[store.TxNotifier](e.backend)
	if !ok {
		return &task.Error{Code: task.CodeUnavailable, Message: "this store cannot tell of a commit from inside the transaction", Hint: "call Committed after the commit"}
	}
	if tx == nil {
		return NoTx()
	}
	if len(lanes) == 0 {
		return nil
	}
	defer e.txLocks.lock(tx)()
	return notifier.NotifyTx(ctx, tx, lanes)
}

// NoTx refuses a call without its transaction.
func NoTx() error {
	return task.Invalid("tx", "there is no transaction", "begin one on the database of the client's store")
}

// txLocks lets the calls in one transaction of a caller go one after the other.
// Drivers do not: statements of two calls would mix on the one connection, and
// what one of them undoes could be a part of the other.
type txLocks struct {
	mu   sync.Mutex
	byTx map[any]*txLock
}

// txLock is a transaction in which calls are made. Its users are counted under
// the lock of txLocks.
type txLock struct {
	mu    sync.Mutex
	users int
}

// lock waits until no other call is made in tx; end lets the next one go on.
func (t *txLocks) lock(tx any) (end func()) {
	if !reflect.ValueOf(tx).Comparable() {
		return func() {}
	}
	t.mu.Lock()
	if t.byTx == nil {
		t.byTx = map[any]*txLock{}
	}
	one := t.byTx[tx]
	if one == nil {
		one = new(txLock)
		t.byTx[tx] = one
	}
	one.users++
	t.mu.Unlock()
	one.mu.Lock()
	return func() {
		one.mu.Unlock()
		t.mu.Lock()
		defer t.mu.Unlock()
		if one.users--; one.users == 0 {
			delete(t.byTx, tx)
		}
	}
}
