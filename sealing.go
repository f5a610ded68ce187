package outlast

import (
	"context"
	"log/slog"
	"time"

	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// unreadableEvery is how often tasks that cannot be opened are logged at most:
// there may be as many as there are tasks.
const unreadableEvery = 10 * time.Second

// unreadable tells people of a task that stays where it is for want of a key.
func (c *Client) unreadable(t *task.Task, err error) {
	if c.metrics != nil {
		c.metrics.unreadable.Inc()
	}
	if !c.unopened.allow(unreadableEvery) {
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
	if c.unsealed.Swap(status.InTheClear()) || !status.InTheClear() {
		return nil
	}
	c.logger.LogAttrs(ctx, slog.LevelWarn, "encryption.clear", slog.Any("keys", status.Known),
		slog.String("error", "other nodes encrypt the tasks of this store, and those that this node accepts are in the clear"),
		slog.String("hint", "give this node the key, or say encryption.clear: true"))
	return nil
}

// Encryption tells how the keys of this node stand to those that tasks of the store
// were encrypted with, and which tasks do not open here.
func (i *Inspector) Encryption(ctx context.Context) (*sealed.Status, error) {
	return i.client.sealing.Status(ctx)
}
