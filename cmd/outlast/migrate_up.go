package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/store/sqlite"
)

func newMigrateUp(c *cli, url *string) *cobra.Command {
	return &cobra.Command{
		Use: "up", Short: "Apply what is missing; serve does so too", Args: cobra.NoArgs,
		RunE: c.act(func(ctx context.Context, _ []string) error {
			return c.migrated(ctx, *url, func(s *sqlite.Store) error { return s.Migrate(ctx) })
		}),
	}
}
