package sealed

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// enqueuer is a [store.TxEnqueuer] that seals.
type enqueuer struct {
	*Store
	below store.TxEnqueuer
}

func (e *enqueuer) EnqueueTx(ctx context.Context, tx any, items []store.Insert) ([]store.Inserted, error) {
	batch, err := e.newBatch(items)
	if err != nil {
		return nil, err
	}
	inserted, err := e.below.EnqueueTx(ctx, tx, batch.sealed)
	for err != nil && e.another(ctx, batch, err) {
		again, failed := e.below.EnqueueTx(ctx, tx, batch.sealed)
		if failed != nil && !isConflict(failed) {
			break // where a transaction that has failed does nothing more
		}
		inserted, err = again, failed
	}
	if err != nil {
		return nil, err
	}
	e.showInserted(inserted)
	return inserted, nil
}

// settler is a [store.TxSettler] that seals.
type settler struct {
	*Store
	below store.TxSettler
}

func (s *settler) SettleTx(ctx context.Context, tx any, settlement store.Settlement) (store.Settled, error) {
	sealed, refused := s.sealSettlements([]store.Settlement{settlement})
	if refused != nil {
		return store.Settled{Status: store.StatusRefused, Err: refused[0]}, nil
	}
	return s.below.SettleTx(ctx, tx, sealed[0])
}
