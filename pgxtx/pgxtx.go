// Package pgxtx enqueues and completes tasks inside transactions of pgx, as
// [outlast.Client.EnqueueTx] and [outlast.CompleteTx] do inside those of
// database/sql. It needs the PostgreSQL store and a transaction on its
// database; the pool, its size and its settings are the caller's.
//
// It is a package of its own so that programs without pgx do not carry it.
package pgxtx

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/task"
)

// Enqueue accepts tasks inside the caller's transaction: they exist exactly if
// it commits. Everything else is as for [outlast.Client.EnqueueTx].
func Enqueue(ctx context.Context, client *outlast.Client, tx pgx.Tx, drafts ...outlast.Draft) ([]outlast.Receipt, error) {
	if err := check(tx); err != nil {
		return nil, err
	}
	return client.EnqueueIn(ctx, tx, drafts...)
}

// Complete lets a handler end its own task as succeeded inside its own
// transaction. ctx is the handler's context. Everything else is as for
// [outlast.CompleteTx].
func Complete(ctx context.Context, tx pgx.Tx, result any) error {
	if err := check(tx); err != nil {
		return err
	}
	return outlast.CompleteIn(ctx, tx, result)
}

// Notify has the database tell the other nodes at the very commit of tx what was
// accepted in it. See [outlast.Client.NotifyTx] for what that costs.
func Notify(ctx context.Context, client *outlast.Client, tx pgx.Tx, receipts ...outlast.Receipt) error {
	if err := check(tx); err != nil {
		return err
	}
	return client.NotifyIn(ctx, tx, receipts...)
}

func check(tx pgx.Tx) error {
	if tx == nil {
		return task.Invalid("tx", "there is no transaction", "begin one on the database of the client's store")
	}
	return nil
}
