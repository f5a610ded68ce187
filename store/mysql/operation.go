package mysql

import (
	"context"
	"database/sql"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/check"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/task"
)

const (
	operationColumns = `id, kind, state, request, node, matched, done, error, version, created_at, updated_at, finished_at`

	getOperation   = `SELECT ` + operationColumns + ` FROM outlast_operation WHERE id = ?`
	lockOperation  = getOperation + ` FOR UPDATE`
	listOperations = `SELECT ` + operationColumns + ` FROM outlast_operation WHERE ? = '' OR state = ? ORDER BY created_at DESC, id DESC LIMIT ?`

	// addOperation fails if another one was quicker; setOperation replaces what
	// lockOperation has read.
	addOperation = `INSERT INTO outlast_operation (` + operationColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	setOperation = `UPDATE outlast_operation SET kind = ?, state = ?, request = ?, node = ?, matched = ?, done = ?, error = ?, version = ?,
 created_at = ?, updated_at = ?, finished_at = ? WHERE id = ?`
)

func scanOperation(rows *sql.Rows) (o store.Operation, err error) {
	var createdAt, updatedAt, finishedAt number
	err = rows.Scan(&o.ID, &o.Kind, &o.State, &o.Request, &o.Node, &o.Matched, &o.Done, &o.Error, &o.Version, &createdAt, &updatedAt, &finishedAt)
	o.CreatedAt, o.UpdatedAt, o.FinishedAt = createdAt.time(), updatedAt.time(), finishedAt.time()
	return o, err
}

func (s *session) operations(query string, args ...any) (list []store.Operation, err error) {
	err = s.each(query, func(rows *sql.Rows) error {
		o, err := scanOperation(rows)
		list = append(list, o)
		return err
	}, args...)
	return list, err
}

// PutOperation implements [store.Config].
func (s *Store) PutOperation(ctx context.Context, operation store.Operation, audit ...store.Audit) (*store.Operation, error) {
	if operation.ID == "" {
		return nil, task.Invalid("id", "the operation has no id", "")
	}
	if err := check.Text("id", operation.ID, 255); err != nil {
		return nil, err
	}
	var stored *store.Operation
	err := s.write(ctx, "put_operation", func(tx *tx) (err error) {
		if stored, err = tx.putOperation(operation); err != nil {
			return err
		}
		return objects.Log(&tables{tx: tx}, audit, tx.time())
	})
	if err != nil {
		return nil, err
	}
	return stored, nil
}

// putOperation is PutOperation inside of a transaction.
func (tx *tx) putOperation(stored store.Operation) (*store.Operation, error) {
	old, err := tx.operations(lockOperation, stored.ID)
	if err != nil {
		return nil, err
	}
	if len(old) > 0 && old[0].Version != stored.Version {
		return nil, &task.Error{Code: task.CodeConflict, Message: "the operation has changed meanwhile"}
	}
	stored.Version++
	stored.UpdatedAt = tx.time()
	if stored.CreatedAt.IsZero() {
		stored.CreatedAt = tx.time()
	}
	values := func(created store.Time) []any {
		return []any{stored.Kind, string(stored.State), stored.Request, stored.Node, stored.Matched, stored.Done, stored.Error,
			stored.Version, micro(created), micro(stored.UpdatedAt), micro(stored.FinishedAt)}
	}
	if len(old) > 0 {
		_, err = tx.exec(setOperation, append(values(old[0].CreatedAt), stored.ID)...)
	} else {
		_, err = tx.exec(addOperation, append([]any{stored.ID}, values(stored.CreatedAt)...)...)
	}
	if numbered(err) == duplicateKey {
		return nil, errAgain
	}
	if err != nil {
		return nil, err
	}
	now, err := tx.operations(getOperation, stored.ID)
	if err != nil {
		return nil, err
	}
	return &now[0], nil
}

// Operation implements [store.Config].
func (s *Store) Operation(ctx context.Context, id string) (*store.Operation, error) {
	var found []store.Operation
	err := s.read(ctx, func(c *session) (err error) {
		found, err = c.operations(getOperation, id)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, task.NotFound("operation", id)
	}
	return &found[0], nil
}

// Operations implements [store.Config].
func (s *Store) Operations(ctx context.Context, state store.OperationState, limit int) (operations []store.Operation, err error) {
	err = s.read(ctx, func(c *session) (err error) {
		operations, err = c.operations(listOperations, string(state), string(state), limit)
		return err
	})
	if err != nil {
		return nil, err
	}
	return operations, nil
}
