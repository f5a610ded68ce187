package migrate

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/store"
)

func newStatus(c *cli.Env, url *string) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "List migrations and whether they are applied", Args: cobra.NoArgs,
		Long: `List the migrations of this program and whether the database has them.

Exit codes: 0 all are applied, 3 some are missing.`,
		RunE: c.Act(func(ctx context.Context, _ []string) error {
			k, err := stores.Durable(*url)
			if err != nil {
				return err
			}
			if err := k.Exists(*url); err != nil {
				return err
			}
			missing := 0
			err = migrated(ctx, c, k, *url, func(m store.Migrator) error {
				all, err := m.Migrations(ctx)
				for _, one := range all {
					if !one.Applied {
						missing++
					}
				}
				return err
			})
			if err == nil && missing > 0 {
				err = cli.Partialf("%s missing; to apply: outlast migrate up", cli.Plural(missing, "migration"))
			}
			return err
		}),
	}
}
