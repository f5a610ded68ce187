package sqlite

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

const operationColumns = `id, kind, state, request, node, matched, done, error, version, created_at, updated_at, finished_at`

var (
	getOperation   = &query{sql: `SELECT ` + operationColumns + ` FROM outlast_operation WHERE id = ?`}
	listOperations = &query{sql: `SELECT ` + operationColumns + ` FROM outlast_operation WHERE ?1 = '' OR state = ?1 ORDER BY created_at DESC, id DESC LIMIT ?2`}

	// putOperation inserts or replaces what was compared before in the same
	// write transaction.
	putOperation = &query{sql: `INSERT OR REPLACE INTO outlast_operation (` + operationColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`}
)

func scanOperation(r row) store.Operation {
	return store.Operation{ID: r.text(0), Kind: r.text(1), State: store.OperationState(r.text(2)), Request: r.blob(3), Node: r.text(4),
		Matched: int(r.int(5)), Done: int(r.int(6)), Error: r.text(7), Version: r.int(8), CreatedAt: r.time(9), UpdatedAt: r.time(10),
		FinishedAt: r.time(11)}
}

// PutOperation implements [store.Config].
func (s *Store) PutOperation(ctx context.Context, operation store.Operation, audit ...store.Audit) (*store.Operation, error) {
	if operation.ID == "" {
		return nil, task.Invalid("id", "the operation has no id", "")
	}
	var stored *store.Operation
	err := s.write(ctx, "put_operation", func(tx *tx) (err error) {
		if stored, err = tx.putOperation(operation); err != nil {
			return err
		}
		return objects.Log(tables{tx}, audit, tx.time())
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// putOperation is PutOperation inside of a transaction.
func (tx *tx) putOperation(operation store.Operation) (*store.Operation, error) {
	var old store.Operation
	found, err := one(tx, getOperation, func(r row) { old = scanOperation(r) }, operation.ID)
	if err != nil {
		return nil, err
	}
	if found && old.Version != operation.Version {
		return nil, &task.Error{Code: task.CodeConflict, Message: "the operation has changed meanwhile"}
	}
	stored := operation
	stored.Version++
	stored.UpdatedAt = tx.time()
	if stored.CreatedAt.IsZero() {
		stored.CreatedAt = tx.time()
	}
	if found {
		stored.CreatedAt = old.CreatedAt
	}
	_, err = tx.exec(putOperation, stored.ID, stored.Kind, string(stored.State), stored.Request, stored.Node, stored.Matched,
		stored.Done, stored.Error, stored.Version, micro(stored.CreatedAt), micro(stored.UpdatedAt), micro(stored.FinishedAt))
	if err != nil {
		return nil, err
	}
	_, err = one(tx, getOperation, func(r row) { stored = scanOperation(r) }, stored.ID)
	return &stored, err
}

// Operation implements [store.Config].
func (s *Store) Operation(ctx context.Context, id string) (*store.Operation, error) {
	var operation store.Operation
	err := s.read(ctx, func(c *conn) error {
		found, err := one(c, getOperation, func(r row) { operation = scanOperation(r) }, id)
		if err == nil && !found {
			return task.NotFound("operation", id)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &operation, nil
}

// Operations implements [store.Config].
func (s *Store) Operations(ctx context.Context, state store.OperationState, limit int) (operations []store.Operation, err error) {
	err = s.read(ctx, func(c *conn) error {
		operations = nil
		return c.each(listOperations, func(r row) error {
			operations = append(operations, scanOperation(r))
			return nil
		}, string(state), limit)
	})
	return operations, err
}
