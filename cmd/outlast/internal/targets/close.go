package targets

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newClose(c *cli.Env) *cobra.Command {
	return order(c, "close", "Let calls of a target begin again",
		"End an outage, or an order to open: what waits is let out, slowly at first.",
		"its tasks will be let out, slowly at first",
		func(ctx context.Context, api *client.Client, name string) (*client.TargetState, error) {
			return api.CloseTarget(ctx, name)
		})
}
