package letters

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/taskview"
)

func newList(c *cli.Env) *cobra.Command {
	var filter cli.FilterFlags
	var page cli.PageFlags
	cmd := &cobra.Command{
		Use: "list", Short: "Find dead letters, newest first", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			chosen, _, err := filter.Read(time.Now())
			if err != nil {
				return err
			}
			return taskview.List(ctx, c, page, deadRows, func(ctx context.Context, limit int, cursor string) (*client.Tasks, error) {
				return api.Dead(ctx, chosen, limit, cursor)
			})
		}),
	}
	filter.Add(cmd.Flags(), true)
	page.Add(cmd)
	return cmd
}
