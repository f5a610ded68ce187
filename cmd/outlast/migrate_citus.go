package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/store"
)

func newMigrateCitus(c *cli, url *string) *cobra.Command {
	var run bool
	cmd := &cobra.Command{
		Use: "citus", Short: "Distribute the tables of a PostgreSQL store over the machines of a Citus", Args: cobra.NoArgs,
		Long: `Print the SQL that distributes the tables of tasks by lane with Citus, to run
it yourself on the coordinator after the migrations, as one transaction and
while no server or application uses the store. Nothing is connected to.

With --run it is run: the migrations that are missing first, then this, unless
it was done before. There is no way back but a dump and a new database.`,
		RunE: c.act(func(ctx context.Context, _ []string) error {
			k, err := durable(*url)
			if err != nil {
				return err
			}
			if k.writeDistribution == nil {
				return usage("only a PostgreSQL store can be distributed; --store names none")
			}
			if !run {
				return k.writeDistribution(c.out, *url)
			}
			if err := c.confirm("This rewrites the tables of the store; nobody may use it meanwhile."); err != nil {
				return err
			}
			return c.migrated(ctx, k, *url, func(m store.Migrator) error { return c.distribute(ctx, m) })
		}),
	}
	cmd.Flags().BoolVar(&run, "run", false, "run the SQL instead of printing it")
	return cmd
}

// distributor is a store whose tables can be distributed.
type distributor interface {
	Distribute(ctx context.Context) (done bool, err error)
}

func (c *cli) distribute(ctx context.Context, m store.Migrator) error {
	d, ok := m.(distributor)
	if !ok {
		return errors.New("this kind of store cannot be distributed")
	}
	done, err := d.Distribute(ctx)
	switch {
	case err != nil:
		return err
	case done:
		c.say("The tables are distributed by lane.\n")
	default:
		c.say("The tables were distributed before; nothing was done.\n")
	}
	return nil
}
