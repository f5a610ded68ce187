package postgres

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/objects"
	"github.com/outlast-dev/outlast/store/internal/stored"
	"github.com/outlast-dev/outlast/task"
)

const operationColumns = `id, kind, state, request, node, matched, done, error, version, created_at, updated_at, finished_at`

var (
	getOperation   = newQuery(`SELECT ` + operationColumns + ` FROM outlast_operation WHERE id = $1::text`)
	listOperations = newQuery(`SELECT ` + operationColumns + ` FROM outlast_operation WHERE $1::text = '' OR state = $1::text ORDER BY created_at DESC, id DESC LIMIT $2::bigint`)

	// putOperation inserts an operation, or replaces it by compare-and-set on
	// its version. Inputs: those of operationColumns, now, the version that is
	// replaced.
	putOperation = newQuery(`INSERT INTO outlast_operation AS o (` + operationColumns + `)
VALUES ($1::text, $2::text, $3::text, $4::bytea, $5::text, $6::bigint, $7::bigint, $8::text, $9::bigint, coalesce(nullif($10::bigint, 0), $12::bigint), $12::bigint, nullif($11::bigint, 0))
ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, state = excluded.state, request = excluded.request, node = excluded.node, matched = excluded.matched,
 done = excluded.done, error = excluded.error, version = excluded.version, updated_at = excluded.updated_at, finished_at = excluded.finished_at
WHERE o.version = $13::bigint RETURNING ` + operationColumns)
)

func scanOperation(r row) store.Operation {
	return store.Operation{
		ID: r.text(0), Kind: r.text(1), State: store.OperationState(r.text(2)), Request: r.blob(3), Node: r.text(4), Matched: int(r.int(5)),
		Done: int(r.int(6)), Error: r.text(7), Version: r.int(8), CreatedAt: r.time(9), UpdatedAt: r.time(10), FinishedAt: r.time(11),
	}
}

// PutOperation implements [store.Config].
func (s *Store) PutOperation(ctx context.Context, o store.Operation, audit ...store.Audit) (*store.Operation, error) {
	if o.ID == "" {
		return nil, task.Invalid("id", "the operation has no id", "")
	}
	var put *store.Operation
	err := s.write(ctx, func(t *tx) (err error) {
		if put, err = t.putOperation(ctx, &o); err != nil {
			return err
		}
		return objects.Log(&tables{ctx, t}, audit, t.time())
	})
	if err != nil {
		return nil, err
	}
	return put, nil
}

// putOperation is PutOperation inside of a transaction.
func (t *tx) putOperation(ctx context.Context, o *store.Operation) (*store.Operation, error) {
	var put store.Operation
	found, err := one(ctx, t, putOperation, func(r row) { put = scanOperation(r) }, o.ID, o.Kind, string(o.State), o.Request, o.Node,
		o.Matched, o.Done, o.Error, o.Version+1, stored.Micro(o.CreatedAt), stored.Micro(o.FinishedAt), t.now, o.Version)
	if err == nil && !found {
		err = &task.Error{Code: task.CodeConflict, Message: "the operation has changed meanwhile"}
	}
	return &put, err
}

// Operation implements [store.Config].
func (s *Store) Operation(ctx context.Context, id string) (*store.Operation, error) {
	var operation store.Operation
	err := s.read(ctx, func(c session) error {
		found, err := one(ctx, c, getOperation, func(r row) { operation = scanOperation(r) }, id)
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
	err = s.read(ctx, func(c session) error {
		operations = nil
		return each(ctx, c, listOperations, func(r row) error {
			operations = append(operations, scanOperation(r))
			return nil
		}, string(state), limit)
	})
	return operations, err
}
