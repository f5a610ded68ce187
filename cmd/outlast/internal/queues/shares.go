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
		Use: "shares NAME", Short: "List the share keys of a queue, the largest backlog first", Args: cobra.ExactArgs(1),
		Long: `List the share keys of a queue, the largest backlog first. Starts go round the
share keys, so one with a backlog delays none of the others. What is listed is what the
node that is asked has in memory, of its own lanes; MORE says that more waits on disk.`,
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
				c.Say("there are %d: --limit lists up to 500", shares.Total)
			}
			return err
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 0, "share keys, 1 to 500, 100 when absent")
	return cmd
}
