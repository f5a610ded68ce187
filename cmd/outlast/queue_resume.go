package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newQueueResume(c *cli) *cobra.Command {
	return c.oneQueue("resume", "Resume a paused queue", func(ctx context.Context, api *client.Client, name string) (*client.Queue, error) {
		return api.PauseQueue(ctx, name, false)
	})
}
