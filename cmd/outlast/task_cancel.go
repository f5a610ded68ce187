package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

func newTaskCancel(c *cli) *cobra.Command {
	return c.steerTasks(&steering{
		action: "cancel", short: "Cancel pending tasks, or ask running ones to stop", done: "canceled",
		one: func(ctx context.Context, api *client.Client, id task.ID) (*client.Task, error) {
			return api.Cancel(ctx, id)
		},
	})
}
