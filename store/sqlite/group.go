package sqlite

import (
	"context"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

var (
	begin       = &query{sql: `BEGIN IMMEDIATE`}
	beginRead   = &query{sql: `BEGIN`}
	commit      = &query{sql: `COMMIT`}
	rollback    = &query{sql: `ROLLBACK`}
	savepoint   = &query{sql: `SAVEPOINT apart`}
	rollbackTo  = &query{sql: `ROLLBACK TO apart`}
	release     = &query{sql: `RELEASE apart`}
	dataVersion = &query{sql: `PRAGMA data_version`}
)

// sparing are the operations that change no pending row, but for claims: they insert rows,
// end what runs, or touch no tasks.
var sparing = map[string]bool{"enqueue": true, "claim": true, "settle": true, "steps": true, "beat": true, "extend": true, "lanes": true, "change": true}

// group runs operations in one transaction and answers them.
func (w *writer) group(ctx context.Context, ops []*operation) {
	err := w.conn.do(ctx, func() error {
		if ops = w.answerLooks(ops); len(ops) == 0 {
			return nil
		}
		if err := w.begin(ops); err != nil {
			return err
		}
		w.changed = false
		taken := w.run(ops)
		w.commit(taken)
		w.store.ahead.Ended()
		return nil
	})
	if err != nil {
		for _, op := range ops {
			if op.taken.CompareAndSwap(false, true) {
				op.answer(err)
			}
		}
	}
}

// answerLooks answers operations that only look; the others need a
// transaction, which looks anyway.
func (w *writer) answerLooks(ops []*operation) (rest []*operation) {
	looked := false
	for _, op := range ops {
		if op.run != nil {
			rest = append(rest, op)
			continue
		}
		var err error
		if !looked {
			looked, err = true, w.look()
		}
		op.answer(err)
	}
	return rest
}

// begin takes the write lock, for as long as any operation is wanted.
func (w *writer) begin(ops []*operation) error {
	for {
		_, err := w.conn.exec(begin)
		if err == nil {
			return w.look()
		}
		if !busy(err) || !wanted(ops) || w.hopeless() {
			return err
		}
	}
}

// hopeless reports whether the store has been closing for so long that it
// must not wait any longer for another process that holds the lock.
func (w *writer) hopeless() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed && time.Since(w.closedAt) > closeTimeout
}

func wanted(ops []*operation) bool {
	for _, op := range ops {
		if !op.taken.Load() {
			return true
		}
	}
	return false
}

// look notes whether another connection has committed: data_version stands
// still for commits of the connection that asks.
func (w *writer) look() error {
	_, err := one(w.conn, dataVersion, func(r row) {
		if version := r.Int(0); version != w.version {
			known := w.version != 0
			w.version = version
			w.changes.Add(1)
			if known {
				w.foreign.Store(time.Now().UnixNano())
			}
		}
	})
	return err
}

// run runs the operations that are still wanted. When one fails, the whole
// transaction starts again, with every operation kept apart by a savepoint.
func (w *writer) run(ops []*operation) []*operation {
	taken, err := w.runPlain(ops)
	if err == nil {
		return taken
	}
	if _, err := w.conn.exec(rollback); err != nil || w.retake() != nil {
		fail(taken, errors.Join(err, errors.New("sqlite: the transaction was lost")))
		return nil
	}
	for _, op := range taken {
		tx := &tx{conn: w.conn, store: w.store, now: w.store.now(), careful: true}
		op.err = tx.apart(func() error { return op.run(tx) })
		w.changed = w.changed || !sparing[op.kind]
	}
	return taken
}

func (w *writer) retake() error {
	for {
		_, err := w.conn.exec(begin)
		if !busy(err) || w.hopeless() {
			return err
		}
	}
}

func (w *writer) runPlain(ops []*operation) (taken []*operation, err error) {
	start := time.Now()
	for i, op := range ops {
		if !op.taken.CompareAndSwap(false, true) {
			continue
		}
		taken = append(taken, op)
		op.err = op.run(&tx{conn: w.conn, store: w.store, now: w.store.now()})
		w.changed = w.changed || !sparing[op.kind]
		if op.err != nil && !verdict(op.err) {
			w.putBack(ops[i+1:])
			return taken, op.err
		}
		if time.Since(start) > maxTransaction {
			w.putBack(ops[i+1:])
			break
		}
	}
	return taken, nil
}

// verdict reports whether an operation answered without changing anything,
// as opposed to failing midway.
func verdict(err error) bool {
	var typed *task.Error
	return errors.As(err, &typed) || errors.Is(err, store.ErrNodeDead)
}

// commit ends the transaction and answers. Nothing is answered before.
func (w *writer) commit(taken []*operation) {
	if len(taken) == 0 {
		_, _ = w.conn.exec(rollback)
		return
	}
	w.hooks(taken, ".before_commit")
	_, err := w.conn.exec(commit)
	if w.changed {
		w.changes.Add(1)
	}
	if err != nil {
		_, _ = w.conn.exec(rollback)
		fail(taken, err)
		return
	}
	w.commits.Add(1)
	w.hooks(taken, ".after_commit")
	for _, op := range taken {
		op.answer(op.err)
	}
}

func (w *writer) hooks(taken []*operation, suffix string) {
	if w.store.hook == nil {
		return
	}
	for _, op := range taken {
		w.store.hook(op.kind + suffix)
	}
}

func fail(ops []*operation, err error) {
	for _, op := range ops {
		op.answer(err)
	}
}

func (op *operation) answer(err error) {
	op.err = err
	close(op.done)
}

// apart runs fn so that a failure undoes what it changed, and only that.
func (tx *tx) apart(fn func() error) error {
	if _, err := tx.exec(savepoint); err != nil {
		return err
	}
	err := fn()
	if err != nil {
		if _, undo := tx.exec(rollbackTo); undo != nil {
			return errors.Join(err, undo)
		}
	}
	if _, done := tx.exec(release); done != nil {
		return errors.Join(err, done)
	}
	return err
}

// item runs fn for one item of a call. When the group is careful, data that
// the database refuses comes back as refused and costs the others nothing.
func (tx *tx) item(fn func() error) (refused, failed error) {
	if !tx.careful {
		return nil, fn()
	}
	err := tx.apart(fn)
	if refusal(err) {
		return err, nil
	}
	return nil, err
}
