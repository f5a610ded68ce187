package tasks

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/taskview"
)

// failuresShown is how many failures are listed where nobody says how many.
const failuresShown = 1000

func newList(c *cli.Env) *cobra.Command {
	var filter cli.FilterFlags
	var page cli.PageFlags
	var waiting string
	cmd := &cobra.Command{
		Use: "list", Short: "Find tasks, newest first", Args: cobra.NoArgs,
		Example: `  outlast task list --state failed              # tasks that failed in the last hour and have not succeeded since
  outlast task list --failed-since 24h --type crm.sync`,
	}
	cmd.RunE = c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
		chosen, _, err := filter.Read(time.Now())
		if err != nil {
			return err
		}
		chosen.Waiting = waiting
		rows := taskview.Rows
		if chosen.State == "failed" || !chosen.FailedSince.IsZero() || !chosen.FailedUntil.IsZero() {
			rows = taskview.FailureRows
		}
		if chosen.State == "failed" && !cmd.Flags().Changed("limit") {
			page.Limit = failuresShown
		}
		return taskview.List(ctx, c, page, rows, func(ctx context.Context, limit int, cursor string) (*client.Tasks, error) {
			return api.Tasks(ctx, chosen, limit, cursor)
		})
	})
	filter.Add(cmd.Flags(), false)
	cmd.Flags().StringVar(&waiting, "waiting", "", "pending tasks that wait for this reason, such as 'key blocked'")
	page.Add(cmd)
	return cmd
}
