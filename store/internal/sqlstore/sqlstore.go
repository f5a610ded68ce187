// Package sqlstore does once, for all stores that speak SQL, what they do seldom:
// configuration objects, the audit log, operations, orders about targets, queues, and what
// people ask of tasks and do to them. What is done for each task is each store's own.
//
// Where to start reading: session.go (what a store brings), then the file of a noun.
package sqlstore

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/internal/stored"
)

// Cold is the part of a [store.Backend] that is the same for all databases. A store
// embeds it.
type Cold struct {
	db  Database
	own *Own
}

// New makes the part that works on a database.
func New(db Database, own *Own) Cold { return Cold{db, own} }

// reading runs fn outside of a transaction and returns its result.
func reading[T any](ctx context.Context, c Cold, fn func(s Session) (T, error)) (result T, err error) {
	err = c.db.Read(ctx, func(s Session) (err error) {
		result, err = fn(s)
		return err
	})
	return resultOf(result, err)
}

// writing runs fn in a transaction and returns its result.
func writing[T any](ctx context.Context, c Cold, kind string, fn func(tx Tx) (T, error)) (result T, err error) {
	err = c.db.Write(ctx, kind, func(tx Tx) (err error) {
		result, err = fn(tx)
		return err
	})
	return resultOf(result, err)
}

// resultOf is a result, or nothing with an error: what was found before a failure
// is not handed out.
func resultOf[T any](result T, err error) (T, error) {
	if err != nil {
		var none T
		return none, err
	}
	return result, nil
}

// now is the time of a transaction.
func now(tx Tx) store.Time { return stored.Time(tx.Now) }
