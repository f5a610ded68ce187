package server_test

import (
	"context"
	"sync/atomic"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// lostCancel is a store that fails one cancel, as if the node that asks were killed before it.
type lostCancel struct {
	*memory.Store
	once atomic.Bool
}

func (l *lostCancel) on() store.Backend {
	l.Store = memory.New()
	return l
}

func (l *lostCancel) Cancel(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Task, error) {
	if l.once.CompareAndSwap(true, false) {
		return nil, errCut
	}
	return l.Store.Cancel(ctx, id, audit...)
}
