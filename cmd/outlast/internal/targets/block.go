package targets

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newBlock(c *cli.Env) *cobra.Command {
	return order(c, "block", "open", "Stop all calls of a target",
		"Stop all calls of a target until it is allowed or reset, also across restarts. Its\ntasks wait and spend no attempts; attempts under way go on. What it does is open the\ncircuit breaker by hand, so open is another name for it.",
		"nothing will call it until it is allowed or reset",
		func(ctx context.Context, api *client.Client, name string) (*client.TargetState, error) {
			return api.OpenTarget(ctx, name)
		})
}
