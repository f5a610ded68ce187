package dead

import (
	"context"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/store"
)

// trimBatch is how many rows of the audit log are deleted in one transaction: a
// row has up to 128 KiB.
const trimBatch = 500

// trim deletes rows of the audit log past their retention, when the letters are.
type trim struct {
	keep    time.Duration
	backend store.Admin
	log     *slog.Logger
}

// runOnce deletes what was written before now minus the retention. What an error
// leaves behind is deleted the next time.
func (t *trim) runOnce(ctx context.Context, now time.Time) {
	before, deleted := now.Add(-t.keep), 0
	for {
		n, err := t.backend.TrimAudit(ctx, before, trimBatch)
		deleted += n
		if err != nil && ctx.Err() == nil {
			t.log.Error("audit.cleanup_failed", "deleted", deleted, "error", err)
		}
		if err != nil {
			return
		}
		if n < trimBatch || !background.Sleep(ctx, cleanupPause) {
			break
		}
	}
	if deleted > 0 {
		t.log.Info("audit.cleanup", "deleted", deleted, "before", before.UTC())
	}
}
