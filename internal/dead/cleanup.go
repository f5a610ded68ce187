package dead

import (
	"context"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
)

const (
	cleanupBatch = 1000
	// cleanupPause lets others write between two full batches.
	cleanupPause = 50 * time.Millisecond
	// cleanupIdle is the wait when there was less than a batch to delete.
	cleanupIdle = 30 * time.Second
	// cleanupTimeout bounds one batch.
	cleanupTimeout = 30 * time.Second
)

// cleanup deletes ended tasks, histories and dedupe entries past their
// retention, all the time and a little at once.
type cleanup struct {
	keep    time.Duration
	backend store.Backend
	node    Node
	log     *slog.Logger
}

func newCleanup(config Config, backend store.Backend, node Node, log *slog.Logger) cleanup {
	return cleanup{keep: config.DoneRetention, backend: backend, node: node, log: log}
}

func (c *cleanup) run(ctx context.Context) {
	for pause := cleanupIdle; background.Idle(ctx, pause); {
		pause = cleanupIdle
		if firstAlive(c.node) && c.runOnce(ctx, time.Now()) >= cleanupBatch {
			pause = cleanupPause
		}
	}
}

// runOnce deletes one batch and returns its size.
func (c *cleanup) runOnce(ctx context.Context, now time.Time) int {
	ctx, cancel := context.WithTimeout(ctx, cleanupTimeout)
	defer cancel()
	deleted, err := c.backend.Cleanup(ctx, now.Add(-c.keep), cleanupBatch)
	if err != nil && ctx.Err() == nil {
		c.log.Error("cleanup.failed", "error", err)
	}
	return deleted
}
