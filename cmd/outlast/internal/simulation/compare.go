package simulation

import (
	"context"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/internal/sim"
)

func newCompare(c *cli.Env) *cobra.Command {
	var seed uint64
	var policies []string
	var html, history string
	cmd := &cobra.Command{
		Use: "compare [ID]", Short: "Simulate a storm, or replay a recorded history, with several policies", Args: cobra.MaximumNArgs(1),
		Long: `Simulate a storm with several policies side by side, or replay recorded tasks. With
--history, targets answer as they did when the history was recorded, and the policies
decide again. A storm with one --policy or none also shows the clients of Outlast and the
main control. To record a history, use "outlast task export" or "outlast dead export".`,
		Example: "  outlast sim compare S4 --policy short --policy mine.json --html storm.html\n" +
			"  outlast task export --since 24h > history.ndjson\n  outlast sim compare --history history.ndjson --policy mine.json",
		RunE: c.Act(func(_ context.Context, args []string) error {
			if (len(args) == 1) == (history != "") {
				return cli.Usagef("name a scenario, or a file with --history")
			}
			if len(policies) == 0 && history != "" {
				return cli.Usagef("--history needs at least one --policy")
			}
			contenders, err := readContenders(policies)
			if err != nil {
				return err
			}
			compared, err := compare(c, args, history, seed, contenders)
			if err != nil {
				return err
			}
			return showComparison(c, compared, html)
		}),
	}
	cmd.Flags().StringArrayVar(&policies, "policy", nil, "file with a policy, or name of a preset (repeatable)")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the random numbers; the same seed gives the same report")
	cmd.Flags().StringVar(&history, "history", "", "file with recorded tasks and attempts, one JSON object per line; - for standard input")
	cmd.Flags().StringVar(&html, "html", "", "also write a page with charts to this file")
	return cmd
}

func compare(c *cli.Env, args []string, history string, seed uint64, contenders []sim.Contender) (*sim.Comparison, error) {
	if history == "" {
		s, err := scenario(args[0])
		if err != nil {
			return nil, err
		}
		return sim.Compare(s, seed, contenders), nil
	}
	h, err := readHistory(c, history)
	if err != nil {
		return nil, err
	}
	return sim.Replay(h, seed, contenders), nil
}

// readHistory reads a file, or standard input for "-".
func readHistory(c *cli.Env, name string) (*sim.History, error) {
	in := c.In
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	h, err := sim.ReadHistory(in)
	if err != nil {
		return nil, cli.Usagef("%s: %v", cli.Clean(name), err)
	}
	return h, nil
}

func showComparison(c *cli.Env, compared *sim.Comparison, html string) error {
	if html != "" {
		page, err := compared.HTML()
		if err != nil {
			return err
		}
		if err := os.WriteFile(html, page, 0o644); err != nil {
			return err
		}
		c.Say("%s is written", cli.Clean(html))
	}
	if c.Output != "table" {
		return writeStorms(c, compared, compared.Variants)
	}
	return c.Table(func(w io.Writer) {
		cli.Row(w, compared.String())
		for _, p := range compared.Parameters {
			cli.Row(w, "  "+cli.Clean(p.Name+": "+p.Value))
		}
		cli.Row(w)
		variantRows(w, compared.Columns(), compared.Rows())
	})
}
