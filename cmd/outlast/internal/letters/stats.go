package letters

import (
	"context"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newStats(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "stats", Short: "Count dead letters by type, reason and category", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			stats, err := api.DeadStats(ctx)
			if err != nil {
				return err
			}
			return c.Show(stats, func(w io.Writer) {
				cli.Row(w, "BY", "NAME", "COUNT")
				cli.Row(w, "total", "", stats.Total)
				for _, part := range []struct {
					by     string
					counts map[string]int
				}{{"type", stats.ByType}, {"reason", stats.ByReason}, {"category", stats.ByCategory}} {
					for _, name := range slices.Sorted(maps.Keys(part.counts)) {
						cli.Row(w, part.by, cli.Clean(name), part.counts[name])
					}
				}
			})
		}),
	}
}
