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
		Use: "up", Short: "Apply missing migrations, as serve does", Args: cobra.NoArgs,
		Long: `Apply the missing migrations. Several processes may do this at once. If one is killed
midway, the next one completes its work. The release before the newest migration
continues to work.`,
		RunE: c.Act(func(ctx context.Context, _ []string) error {
			k, err := stores.Durable(*url)
			if err != nil {
				return err
			}
			return migrated(ctx, c, k, *url, func(m store.Migrator) error { return m.Migrate(ctx) })
		}),
	}
}
