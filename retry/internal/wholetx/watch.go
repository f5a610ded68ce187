package wholetx

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/outlast-dev/outlast/retry"
)

// Watch sees what the database answers during one run of a transaction, so that
// the function that runs in it cannot hide anything. It is safe for concurrent
// use.
type Watch struct {
	mu     sync.Mutex
	first  error // the first error of the database
	broken error // the first error after which the transaction cannot go on
	kind   retry.Verdict
	commit bool // COMMIT was sent
}

type watchKey struct{}

// Into puts the watch into the context of the function.
func (w *Watch) Into(ctx context.Context) context.Context {
	return context.WithValue(ctx, watchKey{}, w)
}

// Saw records an error that a driver reported for a statement and returns it.
func (w *Watch) Saw(err error) error {
	if err == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first == nil {
		w.first = err
	}
	if v := retry.Classify(err); w.broken == nil && (breaks(&v) || isContextEnd(err)) {
		w.broken, w.kind = err, v
	}
	return err
}

// breaks reports failures after which a transaction must not go on: lost conflicts,
// because the database has undone it or a part of it, lost connections, and codes
// that end it. So does the end of a statement's context, see [Watch.Saw]: drivers
// report by it what they have interrupted.
func breaks(v *retry.Verdict) bool {
	return v.Category == retry.Conflict || v.Category == retry.Network || v.Category == retry.Unsent || endsAll[v.Code]
}

// endsAll are the codes with which a database may have rolled the transaction back
// without being a conflict, so that it would commit each further statement by
// itself: the full lock table of InnoDB, and those of SQLite.
//
// Source: https://sqlite.org/lang_transaction.html, "Response To Errors Within A
// Transaction"; row_mysql_handle_errors of InnoDB.
var endsAll = map[string]bool{
	"1206": true, "SQLITE_INTERRUPT": true, "SQLITE_FULL": true, "SQLITE_IOERR": true, "SQLITE_NOMEM": true,
}

// Next is asked before each statement. After a failure that broke the transaction
// nothing more is sent: MySQL, for one, has ended the transaction after a
// deadlock, and would commit each further statement by itself.
func (w *Watch) Next() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken == nil {
		return nil
	}
	return &brokenError{w.broken}
}

// brokenError is the answer to statements after the failure.
type brokenError struct{ cause error }

func (e *brokenError) Error() string {
	return "the transaction has failed already and runs no further statements: " + e.cause.Error()
}

func (e *brokenError) Unwrap() error { return e.cause }

// Statement is told of each statement that succeeded: rolling back to a savepoint
// undoes an error.
func (w *Watch) Statement(query string) {
	const undo = "ROLLBACK TO"
	query = strings.TrimSpace(query)
	if len(query) >= len(undo) && strings.EqualFold(query[:len(undo)], undo) {
		w.Undone()
	}
}

// Undone forgets errors: the transaction went back to a savepoint.
func (w *Watch) Undone() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken == nil {
		w.first = nil
	}
}

// statementOnly are the codes of conflicts that end a statement and not the
// transaction: lock not available and object in use of PostgreSQL (which wants a
// ROLLBACK TO a savepoint next), NOWAIT and lock wait timeout of MySQL and
// MariaDB, busy and locked of SQLite.
var statementOnly = map[string]bool{
	"55P03": true, "55006": true, "3572": true, "1205": true, "SQLITE_BUSY": true, "SQLITE_LOCKED": true,
}

// Forgive lets the transaction go on after a conflict that ended only a statement.
// It reports whether it did.
func Forgive(ctx context.Context) bool {
	w, ok := ctx.Value(watchKey{}).(*Watch)
	if !ok {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.broken == nil || w.kind.Category != retry.Conflict || !statementOnly[w.kind.Code] {
		return false
	}
	w.first, w.broken, w.kind = nil, nil, retry.Verdict{}
	return true
}

// Committing is told that COMMIT is about to be sent.
func (w *Watch) Committing() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.commit = true
}

// sent reports whether COMMIT was sent.
func (w *Watch) sent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.commit
}

// Broken is the failure after which the transaction must be rolled back, nil if
// there was none.
func (w *Watch) Broken() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.broken
}

// First is the first error of the database, nil if there was none.
func (w *Watch) First() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.first
}

// holds reports whether err is cause or wraps it.
func holds(err, cause error) bool { return cause != nil && errors.Is(err, cause) }
