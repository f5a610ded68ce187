package outlast

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
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
	if told := strings.Join(slices.Sorted(maps.Keys(status.Unproven)), " "); told != c.doubted.Swap(told) && told != "" {
		c.logger.LogAttrs(ctx, slog.LevelError, "configuration.unproven", slog.Any("objects", status.Unproven),
			slog.String("error", "nobody vouches for these objects of the database, and none of them is used"),
			slog.String("hint", "put them again, or see what they say and vouch for them: outlast config adopt"))
	}
	if c.unsealed.Swap(status.InTheClear()) || !status.InTheClear() {
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

// Unproven lists the objects of the store, such as policies, channels and tokens, that are
// not used here since nobody vouches for them: they are from before encryption was turned
// on, or somebody has written them into the database. Each has what it says, and why
// in its Doubt.
func (i *Inspector) Unproven(ctx context.Context) ([]store.Object, error) {
	return i.client.sealing.Unproven(ctx)
}

// Adopt vouches for such objects as they were listed, in the name of who has looked at
// them, and returns how many it has done. Code "conflict" if one has changed meanwhile.
func (i *Inspector) Adopt(ctx context.Context, objects []store.Object, by string) (int, error) {
	if err := i.client.sealing.Admit(ctx); err != nil {
		return 0, err
	}
	return i.client.sealing.Adopt(ctx, objects, store.Audit{Actor: by})
}

// Encryption tells how the keys of this node stand to those that tasks of the store
// were encrypted with, and which tasks do not open here.
func (i *Inspector) Encryption(ctx context.Context) (*sealed.Status, error) {
	return i.client.sealing.Status(ctx)
}

// Says is what an object of configuration says, for people: of a token all but its hash.
func Says(o *store.Object) string {
	if o.Kind != token.Kind {
		return string(o.Body)
	}
	var of token.Token
	if json.Unmarshal(o.Body, &of) != nil {
		return "(it cannot be read)"
	}
	text, _ := json.Marshal(of) // texts and times
	return string(text)
}
