package queues

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

func newGet(c *cli.Env) *cobra.Command {
	return oneQueue(c, "get", "Show a queue", func(ctx context.Context, api *client.Client, name string) (*client.Queue, error) {
		queue, err := api.Queue(ctx, name)
		if missing := new(client.Error); errors.As(err, &missing) && missing.Code == task.CodeNotFound {
			missing.Hint = "see outlast queue list, or create it with outlast queue create"
		}
		return queue, err
	})
}
