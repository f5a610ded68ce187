package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newTaskAttempts(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "attempts ID", Short: "List the attempts of a task, oldest first", Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			attempts, err := api.Attempts(ctx, id)
			if err != nil {
				return err
			}
			return list(c, client.Attempts{Attempts: attempts}, attempts, attemptRows(attempts))
		}),
	}
}
