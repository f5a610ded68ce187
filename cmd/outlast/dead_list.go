package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newDeadList(c *cli) *cobra.Command {
	var filter filterFlags
	var page pageFlags
	cmd := &cobra.Command{
		Use: "list", Short: "Find dead letters, newest first", Args: cobra.NoArgs,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			chosen, _, err := filter.read(time.Now())
			if err != nil {
				return err
			}
			return c.tasks(ctx, page, deadRows, func(ctx context.Context, limit int, cursor string) (*client.Tasks, error) {
				return api.Dead(ctx, chosen, limit, cursor)
			})
		}),
	}
	filter.add(cmd.Flags(), true)
	page.add(cmd)
	return cmd
}
