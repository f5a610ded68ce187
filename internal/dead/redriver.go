package dead

import (
	"log/slog"

	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
)

// Redriver sends dead letters back. It is safe for concurrent use; without
// being started it still sends back by ids and begins operations, which other
// nodes then work on.
type Redriver struct {
	*operation.Runner[redrive, *redrive]
	backend store.Backend
	node    Node
	log     *slog.Logger
	clock   *store.Clock
	ended   func(*store.Operation)
}

// WhenEnded sets what is told of redrives that this node has brought to their
// end. It must not block, and is set before [Keeper.Start].
func (r *Redriver) WhenEnded(ended func(*store.Operation)) { r.ended = ended }

func newRedriver(backend store.Backend, node Node, log *slog.Logger) *Redriver {
	r := &Redriver{backend: backend, node: node, log: log, clock: store.NewClock(backend)}
	r.Runner = operation.NewRunner(operation.Config[redrive, *redrive]{
		Backend: backend, Node: node, Log: log, Is: isRedrive, Chunks: "redrive.chunk",
		Work: func(hold *operation.Hold[redrive, *redrive]) operation.Worker { return &work{r: r, hold: hold} },
	})
	return r
}
