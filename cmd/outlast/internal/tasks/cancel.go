package tasks

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

func newCancel(c *cli.Env) *cobra.Command {
	return steerTasks(c, &steering{
		action: "cancel", short: "Cancel pending tasks, or ask running ones to stop", done: "canceled",
		one: func(ctx context.Context, api *client.Client, id task.ID) (*client.Task, error) {
			return api.Cancel(ctx, id)
		},
	})
}
