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
		Use: "upcoming", Short: "List tasks that failed and wait for a retry, the soonest first", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			if limit < 1 || limit > 100 {
				return cli.Usagef("--limit is 1 to 100")
			}
			upcoming, err := api.Upcoming(ctx, queue, limit)
			if err != nil {
				return err
			}
			if !upcoming.Complete {
				c.Say("more tasks wait than were looked at: one that is not listed may come sooner")
			}
			return cli.List(c, upcoming, upcoming.Tasks, taskview.Rows(upcoming.Tasks))
		}),
	}
	cmd.Flags().StringVar(&queue, "queue", "", "tasks of this queue")
	cmd.Flags().IntVar(&limit, "limit", 10, "tasks, 1 to 100")
	return cmd
}
