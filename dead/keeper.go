package dead

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/outlast-dev/outlast/store"
)

// Node is what the housekeeping needs to know of the engine beside it.
type Node interface {
	Wake(lanes ...uint16)
	Topology() *store.Topology
	Node() string
}

// Keeper runs the housekeeping of one node: three goroutines for retention,
// numbers and cleanup, and one for redrives with one more for each that runs
// here. Of several nodes the one with the smallest id does the housekeeping;
// two doing it for a moment is harmless.
type Keeper struct {
	retention retention
	stats     stats
	cleanup   cleanup
	redriver  *Redriver

	stop    context.CancelFunc
	running sync.WaitGroup
}

// New makes a keeper from a configuration that passed [Config.Check].
func New(config Config, backend store.Backend, node Node, logger *slog.Logger) *Keeper {
	config = config.withDefaults()
	redriver := newRedriver(backend, node, logger)
	k := &Keeper{
		retention: newRetention(config, backend, node, logger),
		stats:     newStats(config, backend, node, logger),
		cleanup:   newCleanup(config, backend, node, logger),
		redriver:  redriver,
	}
	k.retention.forget = redriver.forget
	return k
}

// Redriver returns the keeper's redriver.
func (k *Keeper) Redriver() *Redriver { return k.redriver }

// Start begins to work. Call it once.
func (k *Keeper) Start() {
	ctx, stop := context.WithCancel(context.Background())
	k.stop = stop
	k.running.Go(func() { k.retention.run(ctx) })
	k.running.Go(func() { k.stats.run(ctx) })
	k.running.Go(func() { k.cleanup.run(ctx) })
	k.running.Go(func() { k.redriver.run(ctx) })
}

// Stop ends the work and waits for it, no longer than ctx. Redrives go on
// wherever another node runs.
func (k *Keeper) Stop(ctx context.Context) error {
	if k.stop == nil {
		return nil
	}
	k.stop()
	done := make(chan struct{})
	go func() {
		k.running.Wait()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// firstAlive reports whether this node is the one that does what one node is
// enough for: the living one with the smallest id. True when nobody knows.
func firstAlive(node Node) bool {
	first := ""
	for _, other := range node.Topology().Nodes {
		if other.State == store.NodeAlive && (first == "" || other.ID < first) {
			first = other.ID
		}
	}
	return first == "" || first >= node.Node()
}

// sleep waits for d; false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
