package tasks

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/taskview"
)

func newAttempts(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "attempts ID", Short: "List the attempts and steps of a task, oldest first", Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			id, err := cli.ParseID(args[0])
			if err != nil {
				return err
			}
			story, err := api.Attempts(ctx, id)
			if err != nil {
				return err
			}
			if err := cli.List(c, story, story.Attempts, taskview.AttemptRows(story.Attempts)); err != nil {
				return err
			}
			return taskview.ShowSteps(c, story.Steps)
		}),
	}
}
