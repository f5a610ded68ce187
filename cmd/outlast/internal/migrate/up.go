package migrate

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/store"
)

func newUp(c *cli.Env, url *string) *cobra.Command {
	return &cobra.Command{
		Use: "up", Short: "Apply what is missing; serve does so too", Args: cobra.NoArgs,
		Long: `Apply the migrations that the database lacks. Several processes may do so at
once, and what one leaves that is killed midway the next one completes. A
release that knows one migration less goes on working.`,
		RunE: c.Act(func(ctx context.Context, _ []string) error {
			k, err := stores.Durable(*url)
			if err != nil {
				return err
			}
			return migrated(ctx, c, k, *url, func(m store.Migrator) error { return m.Migrate(ctx) })
		}),
	}
}
