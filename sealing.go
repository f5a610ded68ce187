package outlast

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// unreadableEvery is how often tasks that cannot be opened are logged at most:
// there may be as many as there are tasks.
const unreadableEvery = 10 * time.Second

// sealingTold is what people were told of encryption.
type sealingTold struct {
	unopened throttle     // logs of tasks that do not open
	doubted  atomic.Value // which objects nobody vouches for, as it was told last
	unsealed atomic.Bool  // that tasks of this node are in the clear beside others
}

// unreadable tells people of a task that stays where it is for want of a key.
func (c *Client) unreadable(t *task.Task, err error) {
	if c.metrics != nil {
		c.metrics.unreadable.Inc()
	}
	if !c.told.unopened.allow(unreadableEvery) {
		return
	}
	c.logger.LogAttrs(context.Background(), slog.LevelWarn, "task.undecryptable",
		slog.String("task", t.ID.String()), slog.String("type", t.Type), slog.String("queue", t.Queue),
		slog.String("error", err.Error()), slog.String("hint", "give this node the key; the task waits"))
}

// seeKeys tells people, once, that tasks of this node are in the clear in a store in
// which others have begun to encrypt theirs. It goes on: the first key comes to one
// node after the other, and who starts without one from then on is refused.
func (c *Client) seeKeys(ctx context.Context) error {
	status, err := c.sealing.Status(ctx)
	if err != nil {
		return err
	}
	if told := strings.Join(slices.Sorted(maps.Keys(status.Unproven)), " "); told != c.told.doubted.Swap(told) && told != "" {
		c.logger.LogAttrs(ctx, slog.LevelError, "configuration.unproven", slog.Any("objects", status.Unproven),
			slog.String("error", "nobody vouches for these objects of the database, and none of them is used"),
			slog.String("hint", "put them again, or see what they say and vouch for them: outlast config adopt"))
	}
	if c.told.unsealed.Swap(status.InTheClear()) || !status.InTheClear() {
		return nil
	}
	c.logger.LogAttrs(ctx, slog.LevelWarn, "encryption.clear", slog.Any("keys", status.Known),
		slog.String("error", "other nodes encrypt the tasks of this store, and those that this node accepts are in the clear"),
		slog.String("hint", "give this node the key, or say encryption.clear: true"))
	return nil
}

// Configuration is where the configuration of the store is read and changed, as this node
// does: authenticated where it encrypts. It refuses keys that do not fit those of the
// store, as [Client.Start] does.
func (c *Client) Configuration(ctx context.Context) (store.Config, error) {
	if err := c.checkSchema(ctx); err != nil {
		return nil, err
	}
	return c.backend, c.sealing.Admit(ctx)
}
