// Package statistics is outlast stats: how attempts go.
package statistics

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// Command makes outlast stats and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	show := newShow(c)
	return cli.ByDefault(cli.Noun("stats", "Show task counts and compare attempts", show, newCompare(c)), show)
}

func newShow(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "show", Short: "Show tasks by queue, dead letters and the load of the nodes", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			s, err := api.Stats(ctx)
			if err != nil {
				return err
			}
			return c.Show(s, func(w io.Writer) {
				cli.Row(w, "QUEUE", "PAUSED", "PENDING", "PARKED", "RUNNING", "DEAD")
				for _, q := range s.Queues {
					cli.Row(w, cli.Clean(q.Name), q.Paused, cli.UpTo(q.Counts.Pending), cli.UpTo(q.Counts.Parked), q.Counts.Running, q.Counts.Dead)
				}
				cli.Row(w, "(all nodes)", "", "", "", fmt.Sprintf("%d of %d on %d", s.Running, s.Slots, s.Nodes), s.Dead.Total)
			})
		}),
	}
}

func newCompare(c *cli.Env) *cobra.Command {
	var q client.StatsQuestion
	cmd := &cobra.Command{
		Use: "compare", Short: "Compare attempts of two releases or two policy versions", Args: cobra.NoArgs,
		Long: `Compare attempts before and after a change, by task type and attempt number: how many
there were, how long they ran (P50, P99) and how late they started. Attempt 5 stands for
the fifth and all later ones.

A release is that of the node that ran the attempt (--release, or outlast.WithRelease in
an application), or the one that a remote worker names when it polls. A policy version is
written as payment@3. By default the two newest are compared; --from and --to name
others. Percentiles are at most a quarter too high.

Nodes write their counts to the database every 30s and when they stop, so the figures lag
by up to 30s. A node that is killed loses at most its last 30s.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			found, err := api.CompareStats(ctx, q)
			if err != nil {
				return err
			}
			return cli.List(c, found, found.Comparisons, func(w io.Writer) {
				cli.Row(w, "TYPE", "ATTEMPT", "FROM", "TO", "COUNT", "P50", "P99", "CHANGE", "LATE P50", "LATE P99", "CHANGE")
				for i := range found.Comparisons {
					comparisonRow(w, &found.Comparisons[i])
				}
			})
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&q.By, "by", "release", "release or policy_version")
	flags.StringVar(&q.Type, "type", "", "only tasks of this type")
	flags.StringVar(&q.From, "from", "", "the earlier release or policy version")
	flags.StringVar(&q.To, "to", "", "the later release or policy version")
	return cmd
}

func comparisonRow(w io.Writer, c *client.StatsComparison) {
	from := c.From
	if from == nil {
		from = &client.StatsSide{Name: "nothing earlier"}
	}
	arrow := func(a, b client.Duration) string {
		if c.From == nil {
			return bound(b)
		}
		return bound(a) + " -> " + bound(b)
	}
	count := strconv.Itoa(c.To.Count)
	if c.From != nil {
		count = strconv.Itoa(from.Count) + " -> " + count
	}
	cli.Row(w, cli.Clean(c.Type), strconv.Itoa(c.Attempt), sideName(from), sideName(c.To), count,
		arrow(from.P50, c.To.P50), arrow(from.P99, c.To.P99), grown(c.Growth.P99),
		arrow(from.DelayP50, c.To.DelayP50), arrow(from.DelayP99, c.To.DelayP99), grown(c.Growth.DelayP99))
}

// bound is a percentile as it is known: not above so much, of which two digits tell
// something.
func bound(d client.Duration) string {
	unit := time.Duration(1)
	for time.Duration(d) > 99*unit {
		unit *= 10
	}
	up := (time.Duration(d) + unit - 1) / unit * unit
	if up == 0 {
		return "0s"
	}
	return "<=" + client.Duration(up).String()
}

// sideName is a release or policy version, in words where nodes have no release.
func sideName(side *client.StatsSide) string {
	if side.Name == "(none)" {
		return "no release name"
	}
	return cli.Clean(side.Name)
}

// grown is a growth as people write it: +50%.
func grown(times float64) string {
	if times == 0 {
		return "-"
	}
	return fmt.Sprintf("%+.0f%%", 100*(times-1))
}
