package queues

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newReleaseKey(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "release-key NAME KEY", Short: "Release an ordering key so that the tasks behind its dead letter run", Args: cobra.ExactArgs(2),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			released, err := api.ReleaseKey(ctx, args[0], args[1])
			if err != nil {
				return err
			}
			return c.Show(client.KeyReleased{Released: released}, func(w io.Writer) {
				if released {
					_, _ = fmt.Fprintln(w, "released; the dead letter is kept")
				} else {
					_, _ = fmt.Fprintln(w, "the key was not blocked")
				}
			})
		}),
	}
}
