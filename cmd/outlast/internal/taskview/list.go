package taskview

import (
	"context"
	"io"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// List reads pages until the limit, and says how to go on.
func List(ctx context.Context, c *cli.Env, p cli.PageFlags, rows func([]client.Task) func(io.Writer), page func(ctx context.Context, limit int, cursor string) (*client.Tasks, error)) error {
	if p.Limit < 1 {
		return cli.Usagef("--limit must be at least 1")
	}
	all := client.Tasks{Tasks: []client.Task{}, NextCursor: p.Cursor}
	for len(all.Tasks) < p.Limit {
		next, err := page(ctx, min(500, p.Limit-len(all.Tasks)), all.NextCursor)
		if err != nil {
			return err
		}
		all.Tasks = append(all.Tasks, next.Tasks...)
		if all.NextCursor = next.NextCursor; all.NextCursor == "" {
			break
		}
	}
	if all.NextCursor != "" {
		c.Say("more rows follow: add --cursor %s", cli.Clean(all.NextCursor))
	}
	return cli.List(c, &all, all.Tasks, rows(all.Tasks))
}
