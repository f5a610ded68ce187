package dead

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/outlast-dev/outlast/internal/operation"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// errorPause is the wait after the store did not answer.
const errorPause = time.Second

// Redriver sends dead letters back. It is safe for concurrent use; without
// being started it still sends back by ids and begins operations, which other
// nodes then work on.
type Redriver struct {
	backend store.Backend
	node    Node
	log     *slog.Logger
	ended   func(*store.Operation)
	runner  *operation.Runner
}

// WhenEnded sets what is told of redrives that this node has brought to their
// end. It must not block, and is set before [Keeper.Start].
func (r *Redriver) WhenEnded(ended func(*store.Operation)) { r.ended = ended }

func newRedriver(backend store.Backend, node Node, log *slog.Logger) *Redriver {
	r := &Redriver{backend: backend, node: node, log: log}
	r.runner = operation.NewRunner(operation.Config{
		Backend: backend, Node: node, Log: log,
		Kind: func(kind string) bool { return kind == KindRedrive },
		Open: func(o *store.Operation) error { _, err := opened(o); return err },
		Work: func(ctx context.Context, o *store.Operation) { newWork(r, o).run(ctx) },
	})
	return r
}

func newOperationID(now time.Time) string { return task.NewID(now, source{}).String() }

type source struct{}

func (source) Uint64() uint64 { return rand.Uint64() }
