package outlast

import (
	"context"
	"log/slog"
	"time"

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
