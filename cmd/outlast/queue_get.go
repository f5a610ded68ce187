package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newQueueGet(c *cli) *cobra.Command {
	return c.oneQueue("get", "Show a queue", func(ctx context.Context, api *client.Client, name string) (*client.Queue, error) {
		return api.Queue(ctx, name)
	})
}
