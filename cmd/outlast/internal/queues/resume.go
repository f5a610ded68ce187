package queues

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newResume(c *cli.Env) *cobra.Command {
	return oneQueue(c, "resume", "Resume a paused queue", func(ctx context.Context, api *client.Client, name string) (*client.Queue, error) {
		return api.PauseQueue(ctx, name, false)
	})
}
