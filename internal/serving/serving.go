// Package serving is what a server and tests ask of a client, and nobody else: it is no part of the
// public API. The root package provides it, which this package must not import.
package serving

import (
	"context"
	"encoding/json"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/enqueue"
	"github.com/outlast-dev/outlast/internal/options"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
)

// Node is a client as its server, or a test, sees it. It is safe for concurrent use.
type Node interface {
	// Wake takes the call of another node that has changed rows of the lanes, or anything if
	// there are none. The key must be the one in this node's row of the database; it is new
	// at every start. The only effect is a look at the lanes, and at the queues if there are
	// none. Code "denied" for another key.
	Wake(key string, lanes ...uint16) error
	// Configuration is where the configuration of the store is read and changed, as this
	// node does: authenticated where it encrypts. It refuses keys that do not fit those of
	// the store, as a start does.
	Configuration(ctx context.Context) (store.Config, error)
	// Try runs the handler of a draft as the attempt of a number, from 1, and says what would
	// become of the task; see [engine.Try]. Whether the client has started or not, nothing of
	// that is stored.
	Try(ctx context.Context, draft any, attempt int, random retry.Rand) (engine.Tried, error)
}

var (
	of       func(client any) Node
	setRetry func(draft any, policy json.RawMessage)
)

// Provide is called by the root package, once, as the program begins.
func Provide(from func(client any) Node, retry func(draft any, policy json.RawMessage)) {
	of, setRetry = from, retry
}

// SetRetry gives a draft, an *outlast.Draft, a policy of its own as it was sent: the store
// keeps it so, and what is wrong with it is told with everything else.
func SetRetry(draft any, policy json.RawMessage) { setRetry(draft, policy) }

// Of is a client, an *outlast.Client, as its server sees it.
func Of(client any) Node { return of(client) }

// WithOwnChannels is an option of a client: what the configuration of this process says of
// an alert channel: nothing, or its specification, and, while that is being changed, the one
// before. A channel of the store that is the same may name any environment variable and file
// of this process; others may name variables OUTLAST_SECRET_… only. The function must not
// block.
func WithOwnChannels(named func(name string) []*alert.ChannelSpec) func(*options.Options) {
	return func(o *options.Options) { o.OwnChannels = named }
}

// WithinQueues bounds what calls with the context may enqueue, follow-up tasks included, to
// some queues: anything else is refused with the code "denied".
func WithinQueues(ctx context.Context, queues ...string) context.Context {
	return enqueue.Within(ctx, queues...)
}
