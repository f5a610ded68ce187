package tasks

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

func newRetry(c *cli.Env) *cobra.Command {
	return steerTasks(c, &steering{
		action: "retry", short: "Run the next attempt of tasks now", done: "run now",
		one: func(ctx context.Context, api *client.Client, id task.ID) (*client.Task, error) {
			return api.Retry(ctx, id)
		},
	})
}
