package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/store/sqlite"
)

func newMigratePrint(c *cli, url *string) *cobra.Command {
	return &cobra.Command{
		Use: "print", Short: "Print the SQL of all migrations, to run it yourself", Args: cobra.NoArgs,
		RunE: c.act(func(context.Context, []string) error {
			if _, err := sqlitePath(*url); err != nil {
				return err
			}
			return sqlite.PrintMigrations(c.out)
		}),
	}
}
