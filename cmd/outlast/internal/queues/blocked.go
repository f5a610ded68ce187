package queues

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newBlocked(c *cli.Env) *cobra.Command {
	var page cli.PageFlags
	var all bool
	cmd := &cobra.Command{
		Use: "blocked [NAME]", Short: "List ordering keys that are blocked by dead letters", Args: cobra.MaximumNArgs(1),
		Long: `List the ordering keys that are blocked by dead letters, in one queue or in all, and how
many tasks wait behind each. To unblock a key, redrive or purge the dead letter, or use
outlast queue release-key.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			if err := cli.OnePage(page.Limit); err != nil {
				return err
			}
			queue := ""
			if len(args) > 0 {
				queue = args[0]
			}
			keys, err := api.BlockedKeys(ctx, queue, all, page.Limit, page.Cursor)
			if err != nil {
				return err
			}
			err = cli.List(c, keys, keys.Keys, func(w io.Writer) {
				cli.Row(w, "QUEUE", "KEY", "WAITING", "SINCE", "MODE", "DEAD LETTER")
				for i := range keys.Keys {
					k := &keys.Keys[i]
					cli.Row(w, cli.Clean(k.Queue), cli.Short(k.Key, 60), behind(k), cli.When(k.Since), k.Mode, k.DeadLetter)
				}
			})
			if err == nil && keys.NextCursor != "" && c.Output == "table" {
				c.Say("more rows follow: add --cursor %s", cli.Clean(keys.NextCursor))
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "also list keys that no task waits for")
	page.Add(cmd)
	return cmd
}

// behind is how many tasks wait behind a key.
func behind(k *client.BlockedKey) string {
	text := strconv.Itoa(k.Waiting)
	if k.WaitingMore {
		text += "+"
	}
	return text
}
