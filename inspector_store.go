package outlast

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// StoreView is the database as operators look at it. What a kind of store has
// nothing to tell about is nil.
type StoreView struct {
	Migrations []store.Migration // that this program knows, in order
	Server     *store.Probe      // of stores on a server
}

// Store asks the database for its state. It fails where it cannot be reached, or has
// a schema that this program cannot work with.
func (i *Inspector) Store(ctx context.Context) (StoreView, error) {
	var view StoreView
	if migrator, ok := store.As[store.Migrator](i.client.backend); ok {
		all, err := migrator.Migrations(ctx)
		if err != nil {
			return view, err
		}
		view.Migrations = all
	}
	if prober, ok := store.As[store.Prober](i.client.backend); ok {
		probe, err := prober.Probe(ctx)
		if err != nil {
			return view, err
		}
		view.Server = &probe
	}
	return view, nil
}
