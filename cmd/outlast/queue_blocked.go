package main

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newQueueBlocked(c *cli) *cobra.Command {
	var page pageFlags
	var all bool
	cmd := &cobra.Command{
		Use: "blocked [NAME]", Short: "List ordering keys that dead letters block", Args: cobra.MaximumNArgs(1),
		Long: `List ordering keys that dead letters block, of a queue or of all, and how many tasks
wait behind each. A redrive or purge of the dead letter lets them go on, and so does
outlast queue release-key.`,
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			if err := onePage(page.limit); err != nil {
				return err
			}
			queue := ""
			if len(args) > 0 {
				queue = args[0]
			}
			keys, err := api.BlockedKeys(ctx, queue, all, page.limit, page.cursor)
			if err != nil {
				return err
			}
			err = list(c, keys, keys.Keys, func(w io.Writer) {
				row(w, "QUEUE", "KEY", "WAITING", "SINCE", "MODE", "DEAD LETTER")
				for i := range keys.Keys {
					k := &keys.Keys[i]
					row(w, clean(k.Queue), short(k.Key, 60), behind(k), when(k.Since), k.Mode, k.DeadLetter)
				}
			})
			if err == nil && keys.NextCursor != "" && c.output == "table" {
				c.say("there is more: --cursor %s", clean(keys.NextCursor))
			}
			return err
		}),
	}
	cmd.Flags().BoolVar(&all, "all", false, "also keys that no task waits behind")
	page.add(cmd)
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
