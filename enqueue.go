package outlast

import (
	"context"
	"database/sql"

	"github.com/outlast-dev/outlast/internal/drafts"
	"github.com/outlast-dev/outlast/internal/enqueue"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Enqueue accepts one task. When it returns without an error, the task is on
// disk. An id or dedupe key that is there already with the same content is no
// error: the receipt has the first task and says so.
//
// The client need not have started: one that has not reads the queues and policies at its
// first call, makes missing queues as a start does, and looks again when what it knows is a
// second old. It joins no cluster, enqueues of concurrent callers share no commit, and the nodes that
// run the tasks find them at their next look, at most a second later.
//
// Errors are an [*Error]: "invalid" with fields, "too_large", "id_conflict",
// "dedupe_conflict", "queue_full" with a time to come back, "unavailable". If
// ctx ends first the outcome is unknown; repeat the call with the same
// [Draft.ID] then.
func (c *Client) Enqueue(ctx context.Context, draft Draft) (Receipt, error) {
	if err := c.accepting(ctx, false); err != nil {
		return Receipt{}, err
	}
	receipt, err := c.enqueuer.One(ctx, draft.plain())
	return Receipt(receipt), err
}

// EnqueueMany accepts up to 10 000 tasks. Atomic ones share fate: all are
// accepted, or none and the error says why, with paths such as
// "tasks[3].delay". Otherwise each receipt has its own error, and the error of
// the call means that the outcome of all is unknown.
func (c *Client) EnqueueMany(ctx context.Context, drafts []Draft, atomic bool) ([]Receipt, error) {
	if err := c.accepting(ctx, false); err != nil {
		return nil, err
	}
	receipts, err := c.enqueuer.Many(ctx, len(drafts), one(drafts), atomic)
	return receiptsOf(receipts), err
}

// one returns what hands out drafts one by one.
func one(all []Draft) func(i int) drafts.Draft {
	return func(i int) drafts.Draft { return all[i].plain() }
}

// receiptsOf are receipts as callers get them, nil for nil.
func receiptsOf(receipts []enqueue.Receipt) []Receipt {
	if receipts == nil {
		return nil
	}
	all := make([]Receipt, len(receipts))
	for i := range receipts {
		all[i] = Receipt(receipts[i])
	}
	return all
}

// EnqueueTx accepts tasks inside the caller's transaction: they exist exactly
// if it commits. They start within about a second after that, or at once where
// the store tells of commits (SQLite) or the caller says so with [Client.Committed]. The
// transaction is a *sql.Tx of any driver on the database of the client's store.
// After an error, roll back. "unavailable" means that the store has no such
// transactions.
//
// A keyed task has its place in the order of its key from this call on, but
// holds up no task behind it until the commit.
//
// A client that has not started makes no queues here, since the transaction may hold
// the lock for it: where no node has made them yet, "invalid" says that there is none.
func (c *Client) EnqueueTx(ctx context.Context, tx *sql.Tx, drafts ...Draft) ([]Receipt, error) {
	if tx == nil {
		return nil, enqueue.NoTx()
	}
	return c.EnqueueIn(ctx, tx, drafts...)
}

// EnqueueIn is [Client.EnqueueTx] for transactions of any kind that the store
// takes: on PostgreSQL a pgx.Tx too. One that the store does not take is an [*Error] with code "invalid".
func (c *Client) EnqueueIn(ctx context.Context, tx any, drafts ...Draft) ([]Receipt, error) {
	if err := c.accepting(ctx, true); err != nil {
		return nil, err
	}
	receipts, err := c.enqueuer.In(ctx, tx, len(drafts), one(drafts))
	return receiptsOf(receipts), err
}

// Committed tells the nodes of the cluster that the transaction has committed in
// which the tasks of the receipts were accepted, so that they start now and not
// at the next look of their owner, at most a second later. It is advice: it
// does not wait, nothing is lost without it, and a needless call is harmless. It does
// nothing on a client that has not started.
func (c *Client) Committed(receipts ...Receipt) {
	if lanes := lanesOf(receipts); len(lanes) > 0 && c.running() == nil {
		c.engine.WakeFrom(lanes...)
	}
}

// NotifyTx has the database tell the other nodes at the very commit of tx, which
// saves a round trip after it. PostgreSQL can do so, with NOTIFY, and pays for
// it: commits that notify wait for one another, in the whole database. Prefer
// [Client.Committed] where there is much to commit. "unavailable" means that the
// store cannot.
func (c *Client) NotifyTx(ctx context.Context, tx *sql.Tx, receipts ...Receipt) error {
	if tx == nil {
		return enqueue.NoTx()
	}
	return c.NotifyIn(ctx, tx, receipts...)
}

// NotifyIn is [Client.NotifyTx] for transactions of any kind that the store takes.
func (c *Client) NotifyIn(ctx context.Context, tx any, receipts ...Receipt) error {
	if err := c.accepting(ctx, true); err != nil {
		return err
	}
	return c.enqueuer.NotifyIn(ctx, tx, lanesOf(receipts))
}

// lanesOf are the lanes of tasks that were accepted as new.
func lanesOf(receipts []Receipt) (lanes []store.ChangedLane) {
	for i := range receipts {
		if t := receipts[i].Task; t != nil && !receipts[i].Existing {
			lanes = append(lanes, store.ChangedLane{Lane: t.ID.Lane(), From: task.Rank(t.RunAt, t.Priority)})
		}
	}
	return lanes
}
