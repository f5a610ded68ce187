package stats

import (
	"context"
	"errors"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// How many objects go into one change, and how often others may be faster.
const (
	mostWritten   = 50
	conflictTries = 12
	finishTries   = 5 // of the last write, which no other follows
	finishPause   = 100 * time.Millisecond
)

// sum is what an object holds: counts to which those of others are added.
type sum[R any] interface {
	add(other R)
	body() ([]byte, error) // as it is kept, within the limit of an object
}

// ledger adds counts to objects that all nodes add to, each exactly once although
// answers of the store may get lost. It is not safe for concurrent use.
type ledger[R sum[R]] struct {
	backend store.Config
	kind    string
	read    func(body []byte) R // of nil, counts of nothing
	pending map[string]R        // that is not in the database yet, by the name of its object
	unsure  *store.Change       // may be there or not
	writing map[string]R        // what is in unsure
}

func newLedger[R sum[R]](backend store.Config, kind string, read func([]byte) R) *ledger[R] {
	return &ledger[R]{backend: backend, kind: kind, read: read, pending: map[string]R{}}
}

// add puts counts off until the next write.
func (l *ledger[R]) add(name string, counts R) {
	known, ok := l.pending[name]
	if !ok {
		known = l.read(nil)
		l.pending[name] = known
	}
	known.add(counts)
}

// left reports whether a write is due: counts are pending, or it is not known whether
// they were written.
func (l *ledger[R]) left() bool { return l.unsure != nil || len(l.pending) > 0 }

// finish is the last write: what fails is tried again at once.
func (l *ledger[R]) finish(ctx context.Context) error {
	for try := 1; ; try++ {
		err := l.write(ctx)
		if !l.left() || try == finishTries || !background.Sleep(ctx, finishPause) {
			return err
		}
	}
}

// write adds what is pending to the database. What it cannot write waits for the
// next call.
func (l *ledger[R]) write(ctx context.Context) error {
	if l.unsure != nil {
		if err := l.apply(ctx); err != nil && !isConflict(err) {
			return err
		}
	}
	for range conflictTries {
		if len(l.pending) == 0 {
			return nil
		}
		if err := l.prepare(ctx); err != nil {
			return err
		}
		if err := l.apply(ctx); err != nil && !isConflict(err) {
			return err
		}
	}
	return nil // there is more, or others were always faster: at the next write
}

// prepare makes the change that adds some of what is pending.
func (l *ledger[R]) prepare(ctx context.Context) error {
	change := &store.Change{ID: "stats-" + strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatUint(rand.Uint64(), 36), Quiet: true}
	l.writing = map[string]R{}
	for name, counts := range l.pending {
		if len(l.writing) >= mostWritten {
			break
		}
		o, err := l.backend.Object(ctx, l.kind, name)
		if isNotFound(err) {
			o, err = &store.Object{Kind: l.kind, Name: name}, nil
		}
		if err != nil {
			return err
		}
		all := l.read(o.Body)
		all.add(counts)
		body, err := all.body()
		if err != nil {
			return err
		}
		change.Put = append(change.Put, store.Object{Kind: l.kind, Name: name, Body: body, Version: o.Version, Actor: "stats"})
		l.writing[name] = counts
	}
	for name := range l.writing { // what is counted from now on is not in the change
		delete(l.pending, name)
	}
	l.unsure = change
	return nil
}

// apply makes the change, or finds that it was made. After another error than a
// conflict it may have been, and is repeated as it stands.
func (l *ledger[R]) apply(ctx context.Context) error {
	_, err := l.backend.Change(ctx, *l.unsure)
	if err != nil && !isConflict(err) {
		return err
	}
	if err != nil {
		for name, counts := range l.writing {
			l.add(name, counts)
		}
	}
	l.unsure, l.writing = nil, nil
	return err
}

func isConflict(err error) bool { return errors.Is(err, &task.Error{Code: task.CodeConflict}) }
func isNotFound(err error) bool { return errors.Is(err, &task.Error{Code: task.CodeNotFound}) }
