package tasks

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/taskview"
	"github.com/outlast-dev/outlast/task"
)

// oneTask makes a command that takes the id of a task and shows the task.
func oneTask(c *cli.Env, use, short string, do func(ctx context.Context, api *client.Client, id task.ID) (*client.Task, error)) *cobra.Command {
	return &cobra.Command{
		Use: use + " ID", Short: short, Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			id, err := cli.ParseID(args[0])
			if err != nil {
				return err
			}
			t, err := do(ctx, api, id)
			if err != nil {
				return err
			}
			return taskview.Show(c, t)
		}),
	}
}

func newGet(c *cli.Env) *cobra.Command {
	return oneTask(c, "get", "Show a task in any state", func(ctx context.Context, api *client.Client, id task.ID) (*client.Task, error) {
		return api.Task(ctx, id)
	})
}
