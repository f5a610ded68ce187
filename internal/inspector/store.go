package inspector

import (
	"context"
	"encoding/json"

	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/token"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
)

// Store is [inspect.Store].
type Store struct{ node *node }

func (s *Store) Get(ctx context.Context) (inspect.StoreView, error) {
	var view inspect.StoreView
	if migrator, ok := store.As[store.Migrator](s.node.Backend); ok {
		all, err := migrator.Migrations(ctx)
		if err != nil {
			return view, err
		}
		view.Migrations = all
	}
	if prober, ok := store.As[store.Prober](s.node.Backend); ok {
		probe, err := prober.Probe(ctx)
		if err != nil {
			return view, err
		}
		view.Server = &probe
	}
	return view, nil
}

func (s *Store) Unproven(ctx context.Context) ([]store.Object, error) {
	return s.node.Sealing.Unproven(ctx)
}

func (s *Store) Adopt(ctx context.Context, objects []store.Object, by string) (int, error) {
	if err := s.node.Sealing.Admit(ctx, true); err != nil {
		return 0, err
	}
	return s.node.Sealing.Adopt(ctx, objects, store.Audit{Actor: by})
}

func (s *Store) Encryption(ctx context.Context) (*sealed.Status, error) {
	return s.node.Sealing.Status(ctx)
}

// Says is what an object of configuration says, for people: of a token all but its hash.
func Says(o *store.Object) string {
	if o.Kind != token.Kind {
		return string(o.Body)
	}
	var of inspect.Token
	if json.Unmarshal(o.Body, &of) != nil {
		return "(it cannot be read)"
	}
	text, _ := json.Marshal(of) // texts and times
	return string(text)
}
