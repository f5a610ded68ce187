package letters

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/taskview"
)

func newGet(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "get ID", Short: "Show a dead letter with all its attempts and steps", Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			id, err := cli.ParseID(args[0])
			if err != nil {
				return err
			}
			letter, err := api.Letter(ctx, id)
			if err != nil {
				return err
			}
			if err := c.Show(letter, func(w io.Writer) { taskview.Fields(w, &letter.Task) }); err != nil || c.Output != "table" {
				return err
			}
			if _, err := io.WriteString(c.Out, "\n"); err != nil {
				return err
			}
			if err := c.Table(taskview.AttemptRows(letter.Attempts)); err != nil {
				return err
			}
			return taskview.ShowSteps(c, letter.Steps)
		}),
	}
}
