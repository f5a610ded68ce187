package inspect

import (
	"context"
	"encoding/json"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/token"
)

// Store shows the database, how it is encrypted, and what in it nobody vouches for.
type Store struct{ node *node }

// StoreView is the database as operators look at it. What a kind of store has
// nothing to tell about is nil.
type StoreView struct {
	Migrations []store.Migration // that this program knows, in order
	Server     *store.Probe      // of stores on a server
}

// Get asks the database for its state. It fails where it cannot be reached, or has
// a schema that this program cannot work with.
func (s *Store) Get(ctx context.Context) (StoreView, error) {
	var view StoreView
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

// Unproven lists the objects of the store, such as policies, channels and tokens, that are
// not used here since nobody vouches for them: they are from before encryption was turned
// on, or somebody has written them into the database. Each has what it says, and why
// in its Doubt.
func (s *Store) Unproven(ctx context.Context) ([]store.Object, error) {
	return s.node.Sealing.Unproven(ctx)
}

// Adopt vouches for such objects as they were listed, in the name of who has looked at
// them, and returns how many it has done. Code "conflict" if one has changed meanwhile.
func (s *Store) Adopt(ctx context.Context, objects []store.Object, by string) (int, error) {
	if err := s.node.Sealing.Admit(ctx); err != nil {
		return 0, err
	}
	return s.node.Sealing.Adopt(ctx, objects, store.Audit{Actor: by})
}

// Encryption tells how the keys of this node stand to those that tasks of the store
// were encrypted with, and which tasks do not open here.
func (s *Store) Encryption(ctx context.Context) (*sealed.Status, error) {
	return s.node.Sealing.Status(ctx)
}

// Says is what an object of configuration says, for people: of a token all but its hash.
func Says(o *store.Object) string {
	if o.Kind != token.Kind {
		return string(o.Body)
	}
	var of token.Token
	if json.Unmarshal(o.Body, &of) != nil {
		return "(it cannot be read)"
	}
	text, _ := json.Marshal(of) // texts and times
	return string(text)
}
