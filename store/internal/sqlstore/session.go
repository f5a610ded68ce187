package sqlstore

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Database runs functions on connections of a store. It may call them several times,
// until they have run whole: they begin from nothing each time.
type Database interface {
	// Read runs statements that each see what is committed.
	Read(ctx context.Context, fn func(s Session) error) error
	// Snapshot runs statements that all see the same.
	Snapshot(ctx context.Context, fn func(s Session) error) error
	// Write runs fn in a transaction, of which nothing stays if it fails. Kind names
	// it in tests.
	Write(ctx context.Context, kind string, fn func(tx Tx) error) error
}

// Session runs statements.
type Session interface {
	// Run runs calls one after the other, in one round trip where there are any.
	Run(calls ...*Call) error
	// Pending counts the pending tasks of lanes, no further than most; 0 for no most.
	Pending(lanes []uint16, most int) (int, error)
}

// Tx is a transaction.
type Tx struct {
	Session
	Now int64 // the store's clock in µs, read once
}

// Call is one statement with its arguments.
type Call struct {
	Query   *Query
	Args    []any
	Scan    func(Row) error // nil: there are no rows
	Changed int64           // rows, afterwards
}

// Row is one row of a result, valid until the next is read: what its methods return
// is copied. Null is 0, "" or nil.
type Row interface {
	Int(i int) int64
	Bool(i int) bool
	Text(i int) string
	Blob(i int) []byte
	ID(i int) task.ID
	Time(i int) store.Time
}

// exec runs a statement and returns how many rows it changed.
func exec(s Session, q *Query, args ...any) (int64, error) {
	c := &Call{Query: q, Args: args}
	err := s.Run(c)
	return c.Changed, err
}

// all reads the rows of a statement.
func all[T any](s Session, q *Query, scan func(Row) T, args ...any) (list []T, err error) {
	err = s.Run(into(&list, q, scan, args...))
	return list, err
}

// first reads a row of a statement, if there is one.
func first[T any](s Session, q *Query, scan func(Row) T, args ...any) (value T, found bool, err error) {
	list, err := all(s, q, scan, args...)
	if len(list) > 0 {
		value, found = list[0], true
	}
	return value, found, err
}

// into is a call that appends its rows to a list.
func into[T any](list *[]T, q *Query, scan func(Row) T, args ...any) *Call {
	return &Call{Query: q, Args: args, Scan: func(r Row) error {
		*list = append(*list, scan(r))
		return nil
	}}
}

func intOf(r Row) int64 { return r.Int(0) }
