package queues

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newList(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List queues by name", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			queues, err := api.Queues(ctx)
			if err != nil {
				return err
			}
			return cli.List(c, client.Queues{Queues: queues}, queues, queueRows(queues))
		}),
	}
}
