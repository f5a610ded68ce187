package simulation

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/internal/sim"
)

func newRun(c *cli.Env) *cobra.Command {
	var seed uint64
	var seeds int
	var policy string
	cmd := &cobra.Command{
		Use: "run ID...|all", Short: "Simulate scenarios and check their acceptance numbers", Args: cobra.MinimumNArgs(1),
		Long: `Simulate scenarios and check their acceptance numbers.

With --policy, this policy replaces the clients of Outlast; the controls stay the same.
Exit code 1: an acceptance number was missed.`,
		Example: "  outlast sim run S4\n  outlast sim run all --seeds 5\n  outlast sim run S4 --policy mine.json --output json",
		RunE: c.Act(func(_ context.Context, args []string) error {
			scenarios, err := chosenScenarios(args)
			if err != nil {
				return err
			}
			if seeds < 1 {
				return cli.Usagef("--seeds must be at least 1")
			}
			var contender *sim.Contender
			if policy != "" {
				own, err := readContender(policy)
				if err != nil {
					return err
				}
				contender = &own
			}
			return play(c, scenarios, seed, seeds, contender)
		}),
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "seed of the random numbers; the same seed gives the same report")
	cmd.Flags().IntVar(&seeds, "seeds", 1, "number of seeds to simulate, starting with --seed")
	cmd.Flags().StringVar(&policy, "policy", "", "file with a policy, or name of a preset")
	return cmd
}

func chosenScenarios(ids []string) ([]*sim.Scenario, error) {
	if len(ids) == 1 && strings.EqualFold(ids[0], "all") {
		return sim.Scenarios(), nil
	}
	var chosen []*sim.Scenario
	for _, id := range ids {
		s, err := scenario(id)
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, s)
	}
	return chosen, nil
}

// play runs every scenario with every seed. Tables come one by one, as they are
// ready.
func play(c *cli.Env, scenarios []*sim.Scenario, seed uint64, seeds int, contender *sim.Contender) error {
	var reports []*sim.Report
	missed := 0
	whole := len(scenarios) == 1 && seeds == 1
	for _, s := range scenarios {
		for i := range seeds {
			r := s.Run(seed+uint64(i), contender)
			missed += r.Missed()
			reports = append(reports, r)
			if c.Output != "table" {
				continue
			}
			if err := c.Table(reportRows(s, r, whole)); err != nil {
				return err
			}
		}
	}
	if err := writeReports(c, reports, whole); err != nil {
		return err
	}
	if missed > 0 {
		return fmt.Errorf("%d acceptance numbers were missed", missed)
	}
	return nil
}

// writeReports writes what is no table.
func writeReports(c *cli.Env, reports []*sim.Report, one bool) error {
	switch {
	case c.Output == "table":
		return nil
	case one:
		return writeStorms(c, reports[0], reports)
	}
	return writeStorms(c, map[string]any{"reports": reports}, reports)
}

// reportRows shows a report; without whole only what is held against a bound.
func reportRows(s *sim.Scenario, r *sim.Report, whole bool) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, fmt.Sprintf("%s  %s  (seed %d)", r.Scenario, r.Name, r.Seed))
		if whole {
			cli.Row(w, s.Shows)
			cli.Row(w)
			for _, p := range s.Parameters {
				cli.Row(w, "  "+p.Name+": "+p.Value)
			}
			cli.Row(w)
			variantRows(w, r.Columns(), r.Rows())
			cli.Row(w)
		}
		cli.Row(w, "VERDICT", "BOUND", "MEASURED", "")
		for _, v := range r.Verdicts {
			ok := "ok"
			if !v.OK {
				ok = "MISSED"
			}
			cli.Row(w, v.Name, v.Bound, v.Measured, ok)
		}
		cli.Row(w)
	}
}

func variantRows(w io.Writer, columns []string, rows [][]string) {
	cells := func(texts []string, change func(string) string) {
		all := make([]any, len(texts))
		for i, t := range texts {
			all[i] = change(t)
		}
		cli.Row(w, all...)
	}
	cells(columns, strings.ToUpper)
	for _, r := range rows {
		cells(r, cli.Clean)
	}
}
