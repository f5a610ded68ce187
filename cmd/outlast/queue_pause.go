package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newQueuePause(c *cli) *cobra.Command {
	return c.oneQueue("pause", "Pause a queue: nothing of it starts", func(ctx context.Context, api *client.Client, name string) (*client.Queue, error) {
		return api.PauseQueue(ctx, name, true)
	})
}
