package main

import (
	"context"
	"os"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

func newMigrateStatus(c *cli, url *string) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "List migrations and which are applied", Args: cobra.NoArgs,
		RunE: c.act(func(ctx context.Context, _ []string) error {
			path, err := sqlitePath(*url)
			if err != nil {
				return err
			}
			if _, err := os.Stat(path); err != nil { // opening would make the file
				return task.NotFound("database", path)
			}
			return c.migrated(ctx, *url, func(*sqlite.Store) error { return nil })
		}),
	}
}
