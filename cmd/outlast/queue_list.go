package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newQueueList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List queues by name", Args: cobra.NoArgs,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			queues, err := api.Queues(ctx)
			if err != nil {
				return err
			}
			return list(c, client.Queues{Queues: queues}, queues, queueRows(queues))
		}),
	}
}
