package sealed

import (
	"context"
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

// Settle implements [store.Store].
func (s *Store) Settle(ctx context.Context, settlements []store.Settlement) ([]store.Settled, error) {
	sealed, refused := s.sealSettlements(settlements)
	if refused == nil {
		return s.Backend.Settle(ctx, sealed)
	}
	some := make([]store.Settlement, 0, len(sealed))
	for i := range sealed {
		if refused[i] == nil {
			some = append(some, sealed[i])
		}
	}
	results, err := s.Backend.Settle(ctx, some)
	if err != nil {
		return nil, err
	}
	out := make([]store.Settled, len(sealed))
	for i := range out {
		if refused[i] != nil {
			out[i] = store.Settled{Status: store.StatusRefused, Err: refused[i]}
			continue
		}
		out[i], results = results[0], results[1:]
	}
	return out, nil
}

// sealSettlements seals what attempts leave behind. Refused has the reasons of
// those that must not get into the database; nil if there is none.
func (s *Store) sealSettlements(settlements []store.Settlement) (sealed []store.Settlement, refused map[int]error) {
	refuse := func(i int, err error) {
		if refused == nil {
			refused = make(map[int]error)
		}
		refused[i] = err
	}
	if s.ring.current == nil {
		for i := range settlements {
			if store.IsSealed(settlements[i].Result) {
				refuse(i, forged("result"))
			} else if err := forgedInsert(settlements[i].Follow); err != nil {
				refuse(i, err)
			}
		}
		return settlements, refused
	}
	sealed = make([]store.Settlement, len(settlements))
	for i := range settlements {
		one, err := s.sealSettlement(settlements[i])
		if err != nil {
			refuse(i, err)
		}
		sealed[i] = one
	}
	return sealed, refused
}

func (s *Store) sealSettlement(settlement store.Settlement) (store.Settlement, error) {
	if settlement.Task == nil {
		return settlement, nil // the store says what is wrong
	}
	k, id := s.ring.current, settlement.Task.ID[:]
	if len(settlement.Result) > task.MaxResult {
		return settlement, &task.Error{Code: task.CodeTooLarge, Message: "the result is too large"}
	}
	if settlement.Result != nil {
		settlement.Result = k.seal(part{of: id, name: "result"}, settlement.Result)
	}
	settlement.Failure = k.sealFailure(id, settlement.Failure)
	var err error
	settlement.Follow, err = s.sealInserts(settlement.Follow, k)
	return settlement, err
}
