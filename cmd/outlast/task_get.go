package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// oneTask makes a command that takes the id of a task and shows the task.
func (c *cli) oneTask(use, short string, do func(ctx context.Context, api *client.Client, id task.ID) (*client.Task, error)) *cobra.Command {
	return &cobra.Command{
		Use: use + " ID", Short: short, Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			t, err := do(ctx, api, id)
			if err != nil {
				return err
			}
			return c.showTask(t)
		}),
	}
}

func newTaskGet(c *cli) *cobra.Command {
	return c.oneTask("get", "Show a task, whatever its state", func(ctx context.Context, api *client.Client, id task.ID) (*client.Task, error) {
		return api.Task(ctx, id)
	})
}
