package queues

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newShares(c *cli.Env) *cobra.Command {
	limit := 0
	cmd := &cobra.Command{
		Use: "shares NAME", Short: "List the share keys of a queue, largest backlog first", Args: cobra.ExactArgs(1),
		Long: `List the share keys of a queue, largest backlog first. Share keys take turns, so one with
a backlog does not delay the others. The list shows what this server has in memory, for
its own lanes; MORE means that more tasks wait on disk.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			shares, err := api.QueueShares(ctx, args[0], limit)
			if err != nil {
				return err
			}
			err = cli.List(c, shares, shares.Shares, func(w io.Writer) {
				cli.Row(w, "SHARE KEY", "RUNNING", "READY", "KNOWN", "MORE", "WAITING", "NEXT CHECK")
				for i := range shares.Shares {
					s := &shares.Shares[i]
					cli.Row(w, cli.Short(s.ShareKey, 60), s.Running, s.Ready, s.Known, s.More, cli.Clean(s.Waiting), cli.When(s.Next))
				}
			})
			if err == nil && shares.Total > len(shares.Shares) && c.Output == "table" {
				c.Say("%d in all: raise --limit, up to 500", shares.Total)
			}
			return err
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 0, "maximum number of share keys, 1 to 500; default 100")
	return cmd
}
