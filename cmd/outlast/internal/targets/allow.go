package targets

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newAllow(c *cli.Env) *cobra.Command {
	return order(c, "allow", "close", "Let calls of a target begin again",
		"End an outage or a block: what waits is let out, slowly at first. What it does is\nclose the circuit breaker by hand, so close is another name for it.",
		"its tasks will be let out, slowly at first",
		func(ctx context.Context, api *client.Client, name string) (*client.TargetState, error) {
			return api.CloseTarget(ctx, name)
		})
}
