// Package keywatch tells people what is wrong with the keys of a node.
package keywatch

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/throttle"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// unreadableEvery is how often tasks that cannot be opened are logged at most:
// there may be as many as there are tasks.
const unreadableEvery = 10 * time.Second

// Watch tells people of keys that are missing. It is safe for concurrent use.
type Watch struct {
	logger        *slog.Logger
	undecryptable func(*task.Task)

	unopened throttle.Throttle // logs of tasks that do not open
	doubted  atomic.Value      // which objects nobody vouches for, as it was told last
	unsealed atomic.Bool       // that tasks of this node are in the clear beside others
}

// New makes a watch that writes to a log, and tells undecryptable of each look at a task that
// cannot be opened.
func New(logger *slog.Logger, undecryptable func(*task.Task)) *Watch {
	return &Watch{logger: logger, undecryptable: undecryptable}
}

// Unreadable tells people of a task that stays where it is for want of a key.
func (w *Watch) Unreadable(t *task.Task, err error) {
	w.undecryptable(t)
	if !w.unopened.Allow(unreadableEvery) {
		return
	}
	w.logger.LogAttrs(context.Background(), slog.LevelWarn, "task.undecryptable",
		slog.String("task", t.ID.String()), slog.String("type", t.Type), slog.String("queue", t.Queue),
		slog.String("error", err.Error()), slog.String("hint", "give this node the key; the task waits"))
}

// See tells people, once, that tasks of this node are in the clear in a store in
// which others have begun to encrypt theirs. It goes on: the first key comes to one
// node after the other, and who starts without one from then on is refused.
func (w *Watch) See(ctx context.Context, of *sealed.Store) error {
	status, err := of.Status(ctx)
	if err != nil {
		return err
	}
	if told := strings.Join(slices.Sorted(maps.Keys(status.Unproven)), " "); told != w.doubted.Swap(told) && told != "" {
		w.logger.LogAttrs(ctx, slog.LevelError, "configuration.unproven", slog.Any("objects", status.Unproven),
			slog.String("error", "nobody vouches for these objects of the database, and none of them is used"),
			slog.String("hint", "put them again, or see what they say and vouch for them: outlast config adopt"))
	}
	if w.unsealed.Swap(status.InTheClear()) || !status.InTheClear() {
		return nil
	}
	w.logger.LogAttrs(ctx, slog.LevelWarn, "encryption.clear", slog.Any("keys", status.Known),
		slog.String("error", "other nodes encrypt the tasks of this store, and those that this node accepts are in the clear"),
		slog.String("hint", "give this node the key, or say encryption.clear: true"))
	return nil
}
