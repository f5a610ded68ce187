package server_test

import (
	"context"
	"net/http"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// lostCancel is a store that fails the cancels of requests, as if the node that asks were
// killed before them.
type lostCancel struct{ *memory.Store }

func (l *lostCancel) on() store.Backend {
	l.Store = memory.New()
	return l
}

func (l *lostCancel) Cancel(ctx context.Context, id task.ID, audit ...store.Audit) (*task.Task, error) {
	if ctx.Value(http.ServerContextKey) != nil {
		return nil, errCut
	}
	return l.Store.Cancel(ctx, id, audit...)
}
