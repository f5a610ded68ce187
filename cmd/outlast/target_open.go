package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newTargetOpen(c *cli) *cobra.Command {
	return c.order("open", "Stop all calls of a target",
		"Stop all calls of a target until it is closed or reset, also over restarts. Its\ntasks wait and spend no attempts; attempts under way go on.",
		"nothing will call it until it is closed or reset",
		func(ctx context.Context, api *client.Client, name string) (*client.TargetState, error) {
			return api.OpenTarget(ctx, name)
		})
}
