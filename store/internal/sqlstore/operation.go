package sqlstore

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const operationColumns = `id, kind, state, request, node, matched, done, error, version, created_at, updated_at, finished_at`

var (
	getOperation   = query(`SELECT ` + operationColumns + ` FROM outlast_operation WHERE id = $1::text`)
	lockOperation  = query(`SELECT ` + operationColumns + ` FROM outlast_operation WHERE id = $1::text` + forUpdate)
	listOperations = query(`SELECT ` + operationColumns + ` FROM outlast_operation WHERE $1::text = '' OR state = $1::text
ORDER BY created_at DESC, id DESC LIMIT $2::bigint`)

	addOperation = query(`INSERT INTO outlast_operation (` + operationColumns + `)
VALUES ($1::text, $2::text, $3::text, $4::bytea, $5::text, $6::bigint, $7::bigint, $8::text, $9::bigint, $10::bigint, $11::bigint, $12::bigint)` + onConflict)
	setOperation = query(`UPDATE outlast_operation SET kind = $2::text, state = $3::text, request = $4::bytea, node = $5::text, matched = $6::bigint,
 done = $7::bigint, error = $8::text, version = $9::bigint, updated_at = $10::bigint, finished_at = $11::bigint WHERE id = $1::text`)
)

func scanOperation(r Row) store.Operation {
	return store.Operation{
		ID: r.Text(0), Kind: r.Text(1), State: store.OperationState(r.Text(2)), Request: r.Blob(3), Node: r.Text(4), Matched: int(r.Int(5)),
		Done: int(r.Int(6)), Error: r.Text(7), Version: r.Int(8), CreatedAt: r.Time(9), UpdatedAt: r.Time(10), FinishedAt: r.Time(11),
	}
}

// PutOperation implements [store.Config].
func (c Cold) PutOperation(ctx context.Context, operation store.Operation, audit ...store.Audit) (*store.Operation, error) {
	if operation.ID == "" {
		return nil, task.Invalid("id", "the operation has no id", "")
	}
	if err := check.Text("id", operation.ID, 255); err != nil {
		return nil, err
	}
	return writing(ctx, c, "put_operation", func(tx Tx) (*store.Operation, error) {
		put, err := putOperation(tx, operation)
		if err != nil {
			return nil, err
		}
		return put, Log(tx, audit)
	})
}

// putOperation puts an operation within another change.
func putOperation(tx Tx, o store.Operation) (*store.Operation, error) {
	old, found, err := first(tx, lockOperation, scanOperation, o.ID)
	if err != nil {
		return nil, err
	}
	changed := &task.Error{Code: task.CodeConflict, Message: "the operation has changed meanwhile"}
	if found && old.Version != o.Version {
		return nil, changed
	}
	args := []any{o.ID, o.Kind, string(o.State), o.Request, o.Node, o.Matched, o.Done, o.Error, o.Version + 1}
	put := &Call{Query: setOperation, Args: append(args, tx.Now, stored.MicroOrNull(o.FinishedAt))}
	if !found {
		created := stored.MicroOrNull(o.CreatedAt)
		if created == nil {
			created = tx.Now
		}
		put = &Call{Query: addOperation, Args: append(args, created, tx.Now, stored.MicroOrNull(o.FinishedAt))}
	}
	var now []store.Operation
	if err := tx.Run(put, into(&now, getOperation, scanOperation, o.ID)); err != nil {
		return nil, err
	}
	if put.Changed == 0 {
		return nil, changed
	}
	return &now[0], nil
}

// Operation implements [store.Config].
func (c Cold) Operation(ctx context.Context, id string) (*store.Operation, error) {
	return reading(ctx, c, func(s Session) (*store.Operation, error) {
		o, found, err := first(s, getOperation, scanOperation, id)
		if err == nil && !found {
			err = task.NotFound("operation", id)
		}
		return &o, err
	})
}

// Operations implements [store.Config].
func (c Cold) Operations(ctx context.Context, state store.OperationState, limit int) ([]store.Operation, error) {
	return reading(ctx, c, func(s Session) ([]store.Operation, error) {
		return all(s, listOperations, scanOperation, string(state), limit)
	})
}
