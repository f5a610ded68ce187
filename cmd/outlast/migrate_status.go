package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/store"
)

func newMigrateStatus(c *cli, url *string) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "List migrations and which are applied", Args: cobra.NoArgs,
		RunE: c.act(func(ctx context.Context, _ []string) error {
			k, err := durable(*url)
			if err != nil {
				return err
			}
			if k.exists != nil {
				if err := k.exists(*url); err != nil {
					return err
				}
			}
			return c.migrated(ctx, k, *url, func(store.Migrator) error { return nil })
		}),
	}
}
