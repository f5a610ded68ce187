package targets

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newReset(c *cli.Env) *cobra.Command {
	return order(c, "reset", "", "Forget what was learned of a target",
		"Forget what was learned of a target: its breaker, budget and limit begin anew, at\nonce and without a ramp, and a block ends.",
		"all of it may start at once, as if nobody had ever called it",
		func(ctx context.Context, api *client.Client, name string) (*client.TargetState, error) {
			return api.ResetTarget(ctx, name)
		})
}
