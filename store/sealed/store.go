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

// Through finds what the store below can do beyond the contract, for [store.As]:
// as it is where nothing that it carries is sealed.
func (s *Store) Through(target any) bool {
	switch target := target.(type) {
	case *store.TxEnqueuer:
		below, found := store.As[store.TxEnqueuer](s.Backend)
		*target = &enqueuer{s, below}
		return found
	case *store.TxSettler:
		below, found := store.As[store.TxSettler](s.Backend)
		*target = &settler{s, below}
		return found
	case *store.Notifier:
		return through(s.Backend, target)
	case *store.TxNotifier:
		return through(s.Backend, target)
	case *store.Waker:
		return through(s.Backend, target)
	case *store.Spotter:
		return through(s.Backend, target)
	case *store.Arrivals:
		return through(s.Backend, target)
	case *store.Lanewise:
		return through(s.Backend, target)
	case *store.Migrator:
		return through(s.Backend, target)
	case *store.Prober:
		return through(s.Backend, target)
	}
	return false
}

func through[T any](backend store.Backend, target *T) (found bool) {
	*target, found = store.As[T](backend)
	return found
}
