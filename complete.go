package outlast

import (
	"context"
	"database/sql"

	"github.com/outlast-dev/outlast/internal/enqueue"
	"github.com/outlast-dev/outlast/internal/handlers"
)

// CompleteTx lets a handler end its own task as succeeded inside its own
// transaction: what the handler writes there, the success, its result and the
// task's on_success are on disk together, or none of them is. So the effect
// happens exactly once, whatever crashes in between.
//
// ctx is the handler's context or made from it. The result is kept in its JSON
// form, at most 64 KiB; nil for none. The transaction must be one of the
// database that the client's store uses: a *sql.Tx of any of its drivers.
// Commit it and return nil. After an error, roll back and return the error.
//
// Once a handler has called it, the transaction decides, not what the handler
// returns. If it has committed, the task has succeeded, also when the handler
// then fails, is killed, or never hears the answer to its COMMIT. If it has
// not, the attempt has failed, also when the handler returns nil.
//
// A transaction that was rolled back may be tried again, in the same attempt,
// by a new one that completes the task again. An [*Error] with code
// "stale_claim" says that there is nothing left to do for this attempt: an
// earlier transaction has committed, or the task was given to another run
// because this one was taken for dead. Other codes: "conflict" outside of a
// running handler and for a transaction that has completed the task already,
// "too_large" and "invalid" for the result and the transaction, "unavailable"
// for a store without such transactions. What the database says comes as it is.
func CompleteTx(ctx context.Context, tx *sql.Tx, result any) error {
	if tx == nil {
		return enqueue.NoTx()
	}
	return CompleteIn(ctx, tx, result)
}

// CompleteIn is [CompleteTx] for transactions of any kind that the store takes:
// on PostgreSQL a pgx.Tx too. One that the store does not take is an [*Error] with code "invalid".
func CompleteIn(ctx context.Context, tx, result any) error {
	of, ok := ctx.Value(runKey{}).(*attemptContext)
	if !ok {
		return noHandler()
	}
	if tx == nil {
		return enqueue.NoTx()
	}
	var text []byte
	if result != nil {
		var err error
		if text, err = handlers.ResultText(result); err != nil {
			return err
		}
	}
	return of.client.engine.CompleteTx(ctx, of.run, tx, text)
}
