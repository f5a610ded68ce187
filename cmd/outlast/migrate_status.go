package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/store"
)

func newMigrateStatus(c *cli, url *string) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "List migrations and which are applied", Args: cobra.NoArgs,
		Long: `List the migrations that this program knows, and which of them the database
has. Exit codes: 0 all are applied, 3 some are missing.`,
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
			missing := 0
			err = c.migrated(ctx, k, *url, func(m store.Migrator) error {
				all, err := m.Migrations(ctx)
				for _, one := range all {
					if !one.Applied {
						missing++
					}
				}
				return err
			})
			if err == nil && missing > 0 {
				err = partial("%s missing; apply with: outlast migrate up", plural(missing, "migration"))
			}
			return err
		}),
	}
}
