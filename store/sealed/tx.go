package sealed

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// enqueuer is a [store.TxEnqueuer] that seals.
type enqueuer struct {
	store *Store
	below store.TxEnqueuer
}

func (e *enqueuer) EnqueueTx(ctx context.Context, tx any, items []store.Insert) ([]store.Inserted, error) {
	batch, err := e.store.newBatch(items)
	if err != nil {
		return nil, err
	}
	inserted, err := e.below.EnqueueTx(ctx, tx, batch.sealed)
	for err != nil && e.store.another(ctx, batch, err) {
		again, failed := e.below.EnqueueTx(ctx, tx, batch.sealed)
		if failed != nil && !isConflict(failed) {
			break // where a transaction that has failed does nothing more
		}
		inserted, err = again, failed
	}
	if err != nil {
		return nil, err
	}
	e.store.showInserted(inserted)
	return inserted, nil
}

// settler is a [store.TxSettler] that seals.
type settler struct {
	store *Store
	below store.TxSettler
}

func (s *settler) SettleTx(ctx context.Context, tx any, settlement store.Settlement) (store.Settled, error) {
	sealed, refused := s.store.sealSettlements([]store.Settlement{settlement})
	if refused != nil {
		return store.Settled{Status: store.StatusRefused, Err: refused[0]}, nil
	}
	return s.below.SettleTx(ctx, tx, sealed[0])
}

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
