package letters

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newGroups(c *cli.Env) *cobra.Command {
	var filter cli.FilterFlags
	var limit int
	cmd := &cobra.Command{
		Use: "groups", Short: "Group dead letters by their last error, largest group first", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			if limit < 1 {
				return cli.Usagef("--limit must be at least 1")
			}
			chosen, _, err := filter.Read(time.Now())
			if err != nil {
				return err
			}
			groups, err := api.DeadGroups(ctx, chosen, limit)
			if err != nil {
				return err
			}
			return cli.List(c, client.DeadGroups{Groups: groups}, groups, func(w io.Writer) {
				cli.Row(w, "COUNT", "FINGERPRINT", "TYPE", "REASON", "CATEGORY", "FIRST SEEN", "LAST SEEN", "EXAMPLE", "MESSAGE")
				for _, g := range groups {
					cli.Row(w, g.Count, cli.Clean(g.Fingerprint), cli.Clean(g.Type), cli.Clean(g.Reason), cli.Clean(g.Category), cli.When(g.FirstSeen), cli.When(g.LastSeen), g.Example, cli.Short(g.Message, 60))
				}
			})
		}),
	}
	filter.Add(cmd.Flags(), true)
	cmd.Flags().IntVar(&limit, "limit", 50, "maximum number of groups")
	return cmd
}
