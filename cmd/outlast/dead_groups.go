package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newDeadGroups(c *cli) *cobra.Command {
	var filter filterFlags
	var limit int
	cmd := &cobra.Command{
		Use: "groups", Short: "Group dead letters by their last error, most first", Args: cobra.NoArgs,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			if limit < 1 {
				return usage("--limit must be at least 1")
			}
			chosen, _, err := filter.read(time.Now())
			if err != nil {
				return err
			}
			groups, err := api.DeadGroups(ctx, chosen, limit)
			if err != nil {
				return err
			}
			return list(c, client.DeadGroups{Groups: groups}, groups, func(w io.Writer) {
				row(w, "COUNT", "FINGERPRINT", "TYPE", "REASON", "CATEGORY", "FIRST SEEN", "LAST SEEN", "EXAMPLE", "MESSAGE")
				for _, g := range groups {
					row(w, g.Count, clean(g.Fingerprint), clean(g.Type), clean(g.Reason), clean(g.Category), when(g.FirstSeen), when(g.LastSeen), g.Example, short(g.Message, 60))
				}
			})
		}),
	}
	filter.add(cmd.Flags(), true)
	cmd.Flags().IntVar(&limit, "limit", 50, "how many groups at most")
	return cmd
}
