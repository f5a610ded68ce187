package queues

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newPause(c *cli.Env) *cobra.Command {
	return oneQueue(c, "pause", "Pause a queue: none of its tasks start", func(ctx context.Context, api *client.Client, name string) (*client.Queue, error) {
		return api.PauseQueue(ctx, name, true)
	})
}
