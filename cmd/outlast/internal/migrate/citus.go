package migrate

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/stores"
	"github.com/outlast-dev/outlast/store"
)

func newCitus(c *cli.Env, url *string) *cobra.Command {
	var run bool
	cmd := &cobra.Command{
		Use: "citus", Short: "Distribute the tables of a PostgreSQL store over a Citus cluster", Args: cobra.NoArgs,
		Long: `Print the SQL that distributes the task tables by lane with Citus. Nothing is connected
to: run the SQL yourself on the coordinator, after the migrations, in one transaction
and while no server or application uses the store.

With --run, the command runs it: first the missing migrations, then the distribution,
unless the tables are distributed already. To undo it you need a dump and a new
database.`,
		RunE: c.Act(func(ctx context.Context, _ []string) error {
			k, err := stores.Durable(*url)
			if err != nil {
				return err
			}
			if k.WriteDistribution == nil {
				return cli.Usagef("only a PostgreSQL store can be distributed; name one with --store")
			}
			if !run {
				return k.WriteDistribution(c.Out, *url)
			}
			if err := c.Confirm("This rewrites the tables of the store, which nothing may use meanwhile."); err != nil {
				return err
			}
			return migrated(ctx, c, k, *url, func(m store.Migrator) error { return distribute(ctx, c, m) })
		}),
	}
	cmd.Flags().BoolVar(&run, "run", false, "run the SQL instead of printing it")
	return cmd
}

// distributor is a store whose tables can be distributed.
type distributor interface {
	Distribute(ctx context.Context) (done bool, err error)
}

func distribute(ctx context.Context, c *cli.Env, m store.Migrator) error {
	d, ok := m.(distributor)
	if !ok {
		return errors.New("this kind of store cannot be distributed")
	}
	done, err := d.Distribute(ctx)
	switch {
	case err != nil:
		return err
	case done:
		c.Say("The tables are distributed by lane.\n")
	default:
		c.Say("The tables are distributed already; nothing was done.\n")
	}
	return nil
}
