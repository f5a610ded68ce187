package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newDeadGet(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "get ID", Short: "Show a dead letter with all its attempts", Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			letter, err := api.Letter(ctx, id)
			if err != nil {
				return err
			}
			if err := c.show(letter, func(w io.Writer) { taskFields(w, &letter.Task) }); err != nil || c.output != "table" {
				return err
			}
			if _, err := io.WriteString(c.out, "\n"); err != nil {
				return err
			}
			return c.table(attemptRows(letter.Attempts))
		}),
	}
}
