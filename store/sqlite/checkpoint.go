package sqlite

import (
	"context"
	"time"
)

// checkpointEvery is how often the log is copied into the file while there
// are commits.
const checkpointEvery = 200 * time.Millisecond

// checkpoint copies what is committed from the log into the file, and waits
// for nobody: what a reader or another checkpoint is in the way of is copied
// the next time.
var checkpoint = &query{sql: `PRAGMA wal_checkpoint(PASSIVE)`, long: true}

// checkpointer copies the log into the file on a connection of its own, so
// that no commit waits for the copy and its syncs. The writer's own
// checkpoints remain for what it leaves behind: they then find little to copy
// and let the log start again.
type checkpointer struct {
	store *Store
	conn  *conn // opened when it is wanted
	ended chan struct{}
}

// loop ends when the store is closed.
func (c *checkpointer) loop(ctx context.Context) {
	defer close(c.ended)
	ticker := time.NewTicker(checkpointEvery)
	defer ticker.Stop()
	for seen := int64(0); ; {
		select {
		case <-c.store.closed:
			return
		case <-ticker.C:
		}
		if commits := c.store.writer.commits.Load(); commits != seen {
			seen = commits
			c.runOnce(ctx)
		}
	}
}

// runOnce makes one checkpoint. An error is nobody's: the log keeps all.
func (c *checkpointer) runOnce(ctx context.Context) {
	if c.conn == nil {
		connection, err := connect(ctx, c.store.db, commonPragmas)
		if err != nil {
			return
		}
		c.conn = connection
	}
	_ = c.conn.do(ctx, func() error {
		return c.conn.each(checkpoint, func(row) error { return nil })
	})
}

func (c *checkpointer) close() error {
	<-c.ended
	if c.conn == nil {
		return nil
	}
	return c.conn.close()
}
