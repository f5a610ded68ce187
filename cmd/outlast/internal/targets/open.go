package targets

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newOpen(c *cli.Env) *cobra.Command {
	return order(c, "open", "Stop all calls of a target",
		"Stop all calls of a target until it is closed or reset, also over restarts. Its\ntasks wait and spend no attempts; attempts under way go on.",
		"nothing will call it until it is closed or reset",
		func(ctx context.Context, api *client.Client, name string) (*client.TargetState, error) {
			return api.OpenTarget(ctx, name)
		})
}
