package main

import (
	"context"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newDeadStats(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "stats", Short: "Count dead letters by type, reason and category", Args: cobra.NoArgs,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			stats, err := api.DeadStats(ctx)
			if err != nil {
				return err
			}
			return c.show(stats, func(w io.Writer) {
				row(w, "BY", "NAME", "COUNT")
				row(w, "total", "", stats.Total)
				for _, part := range []struct {
					by     string
					counts map[string]int
				}{{"type", stats.ByType}, {"reason", stats.ByReason}, {"category", stats.ByCategory}} {
					for _, name := range slices.Sorted(maps.Keys(part.counts)) {
						row(w, part.by, clean(name), part.counts[name])
					}
				}
			})
		}),
	}
}
