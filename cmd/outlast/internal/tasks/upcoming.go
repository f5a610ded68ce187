package tasks

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/taskview"
)

func newUpcoming(c *cli.Env) *cobra.Command {
	var queue string
	var limit int
	cmd := &cobra.Command{
		Use: "upcoming", Short: "List tasks that wait for a retry, the soonest first", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			if limit < 1 || limit > 100 {
				return cli.Usagef("--limit must be 1 to 100")
			}
			upcoming, err := api.Upcoming(ctx, queue, limit)
			if err != nil {
				return err
			}
			if !upcoming.Complete {
				c.Say("not all waiting tasks were examined: one that is not listed may run sooner")
			}
			return cli.List(c, upcoming, upcoming.Tasks, taskview.Rows(upcoming.Tasks))
		}),
	}
	cmd.Flags().StringVar(&queue, "queue", "", "tasks of this queue")
	cmd.Flags().IntVar(&limit, "limit", 10, "maximum number of tasks, 1 to 100")
	return cmd
}
