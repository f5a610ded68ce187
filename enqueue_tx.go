package outlast

import (
	"context"
	"database/sql"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// EnqueueTx accepts tasks inside the caller's transaction: they exist exactly
// if it commits. They start within about a second after that, or at once where
// the store tells of commits (SQLite) or the caller says so with [Client.Committed]. The
// transaction is a *sql.Tx of any driver on the database of the client's store.
// After an error, roll back. "unavailable" means that the store has no such
// transactions.
//
// A keyed task has its place in the order of its key from this call on, but
// holds up no task behind it until the commit.
func (c *Client) EnqueueTx(ctx context.Context, tx *sql.Tx, drafts ...Draft) ([]Receipt, error) {
	if tx == nil {
		return nil, noTx()
	}
	return c.EnqueueIn(ctx, tx, drafts...)
}

// EnqueueIn is [Client.EnqueueTx] for transactions of any kind that the store
// takes. It is there for packages such as pgxtx; a kind that the store does not
// take is an [*Error] with code "invalid".
func (c *Client) EnqueueIn(ctx context.Context, tx any, drafts ...Draft) ([]Receipt, error) {
	if err := c.running(); err != nil {
		return nil, err
	}
	enqueuer, ok := store.As[store.TxEnqueuer](c.backend)
	if !ok {
		return nil, noTxStore()
	}
	if tx == nil {
		return nil, noTx()
	}
	if err := tooMany(len(drafts)); err != nil || len(drafts) == 0 {
		return nil, err
	}
	ctx, span := c.traceEnqueue(ctx, &drafts[0], len(drafts))
	receipts, err := c.enqueueAtomic(ctx, drafts, func(ctx context.Context, items []store.Insert) ([]store.Inserted, error) {
		defer c.txLocks.lock(tx)()
		return enqueuer.EnqueueTx(ctx, tx, items)
	}, txOpen)
	span.End(err)
	return receipts, err
}

func noTxStore() error {
	return &Error{Code: task.CodeUnavailable, Message: "this store cannot join transactions of the caller"}
}

// Committed tells the nodes of the cluster that the transaction has committed in
// which the tasks of the receipts were accepted, so that they start now and not
// at the next look of their owner, at most a second later. It is advice: it
// does not wait, nothing is lost without it, and a needless call is harmless.
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
		return noTx()
	}
	return c.NotifyIn(ctx, tx, receipts...)
}

// NotifyIn is [Client.NotifyTx] for transactions of any kind that the store takes.
func (c *Client) NotifyIn(ctx context.Context, tx any, receipts ...Receipt) error {
	if err := c.running(); err != nil {
		return err
	}
	notifier, ok := store.As[store.TxNotifier](c.backend)
	if !ok {
		return &Error{Code: task.CodeUnavailable, Message: "this store cannot tell of a commit from inside the transaction", Hint: "call Committed after the commit"}
	}
	if tx == nil {
		return noTx()
	}
	lanes := lanesOf(receipts)
	if len(lanes) == 0 {
		return nil
	}
	defer c.txLocks.lock(tx)()
	return notifier.NotifyTx(ctx, tx, lanes)
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
