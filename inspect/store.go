package inspect

import (
	"context"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
)

// Store shows the database, how it is encrypted, and what in it nobody vouches for.
type Store interface {
	// Get asks the database for its state. It fails where it cannot be reached, or has
	// a schema that this program cannot work with.
	Get(ctx context.Context) (StoreView, error)
	// Unproven lists the objects of the store, such as policies, channels and tokens, that are
	// not used here since nobody vouches for them: they are from before encryption was turned
	// on, or somebody has written them into the database. Each has what it says, and why
	// in its Doubt.
	Unproven(ctx context.Context) ([]store.Object, error)
	// Adopt vouches for such objects as they were listed, in the name of who has looked at
	// them, and returns how many it has done. Code "conflict" if one has changed meanwhile.
	Adopt(ctx context.Context, objects []store.Object, by string) (int, error)
	// Encryption tells how the keys of this node stand to those that tasks of the store
	// were encrypted with, and which tasks do not open here.
	Encryption(ctx context.Context) (*sealed.Status, error)
}

// StoreView is the database as operators look at it. What a kind of store has
// nothing to tell about is nil.
type StoreView struct {
	Migrations []store.Migration // that this program knows, in order
	Server     *store.Probe      // of stores on a server
}
