package sealed

import (
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// Store is a store whose tasks are sealed. It is safe for concurrent use.
type Store struct {
	store.Backend
	ring       *ring
	unreadable func(t *task.Task, err error)
	unopened   unopened
	seen       seen
	policies   policies
	gate       func(t *task.Task) error
	now        func() time.Time
}

// Wrap returns the backend as one that keeps what tasks carry sealed; closing it
// closes the backend. Unreadable, which may be nil, is told of every task that
// could not be opened when it was to run; it must not block. Keys that are not
// usable are a [*task.Error] with code "invalid", which shows none of them.
func Wrap(backend store.Backend, keys Keys, unreadable func(t *task.Task, err error)) (*Store, error) {
	ring, err := newRing(keys)
	if err != nil {
		return nil, err
	}
	return &Store{Backend: backend, ring: ring, unreadable: unreadable, now: time.Now}, nil
}

// Gate has a task that is to run wait while an object that it goes by is one that nobody
// vouches for: reason says so, and is nil for all others. It is asked of every task where
// this process seals, and must not block. Call it before the store is used.
func (s *Store) Gate(reason func(t *task.Task) error) { s.gate = reason }

// Seals reports whether what tasks carry is sealed here.
func (s *Store) Seals() bool { return s.ring.current != nil }
