package migrate

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
)

func newPrint(c *cli.Env, url *string) *cobra.Command {
	return &cobra.Command{
		Use: "print", Short: "Print the SQL of all migrations, to run it yourself", Args: cobra.NoArgs,
		Long: `Print the SQL of all migrations for the kind of store that --store names, to run it
yourself on an empty database. Nothing is connected to. Each migration records itself,
so that servers know it is applied.`,
		RunE: c.Act(func(context.Context, []string) error {
			k, err := stores.Durable(*url)
			if err != nil {
				return err
			}
			if k.WriteSQL == nil {
				return errNone
			}
			return k.WriteSQL(c.Out, *url)
		}),
	}
}
