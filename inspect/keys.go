package inspect

import (
	"context"

	"github.com/outlast-dev/outlast/store"
)

// Keys shows ordering keys that dead letters block, and releases them.
type Keys interface {
	// Release lets the tasks behind a dead one of an ordering key go on; the
	// dead letter stays. It reports whether the key was blocked.
	Release(ctx context.Context, queue, key string) (bool, error)
	// Blocked returns a page of the ordering keys that dead letters block, of some
	// queues or with nil of all, and the cursor of the next page: those that tasks wait
	// behind, or with all those too that nobody waits for. Who waits behind a key is counted
	// to [MostBehind] + 1.
	Blocked(ctx context.Context, queues []string, all bool, page store.Page) ([]store.Hold, string, error)
}

// MostBehind is where the tasks behind a blocked key are counted to.
const MostBehind = 1000
