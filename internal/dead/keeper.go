package dead

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
)

// Keeper runs the housekeeping of one node: three goroutines for retention,
// numbers and cleanup, and one for redrives with one more for each that runs
// here. Of several nodes the one with the smallest id does the housekeeping;
// two doing it for a moment is harmless.
type Keeper struct {
	retention retention
	stats     stats
	cleanup   cleanup
	redriver  *Redriver

	loops background.Loops
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
	k.retention.forget = redriver.Forget
	return k
}

// Redriver returns the keeper's redriver.
func (k *Keeper) Redriver() *Redriver { return k.redriver }

// AlsoForget adds what forgets, as old letters are deleted, whatever ended before a
// time. Set it before [Keeper.Start].
func (k *Keeper) AlsoForget(also func(ctx context.Context, before time.Time) error) {
	forget := k.retention.forget
	k.retention.forget = func(ctx context.Context, before time.Time) error {
		return errors.Join(forget(ctx, before), also(ctx, before))
	}
}

// Start begins to work. Call it once.
func (k *Keeper) Start(ctx context.Context) {
	k.loops.Start(ctx, k.retention.run, k.stats.run, k.cleanup.run, k.redriver.Run)
}

// Stop ends the work and waits for it, no longer than ctx. Redrives go on
// wherever another node runs.
func (k *Keeper) Stop(ctx context.Context) error { return k.loops.Stop(ctx) }
