package policies

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newPlan(c *cli.Env) *cobra.Command {
	f := &planFlags{}
	cmd := &cobra.Command{
		Use: "plan", Short: "Preview a retry policy: delays, success, load, warnings", Args: cobra.NoArgs,
		Long: `Preview a retry policy before anything fails: the wait before each retry with its bounds
under the jitter, the chance of success, the load on a target that is down, and warnings
about probable mistakes. Flags change single keys of --preset or --file, or of the
default policy if neither is given.

In the table, AT is the sum of the waits so far, SUCCESS the chance that an attempt has
succeeded by then, and ADDS how much this retry adds to that chance.

With --solve, find the largest first interval, multiplier or number of retries that fits
the limit (the shorter of --ttl and --deadline), even with the longest waits that the
jitter allows and attempts of --attempt-time.`,
		Example: `  outlast policy plan --preset payment --deadline 30s --plot plan.svg
  outlast policy plan --kind exponential --initial 10s --multiplier 2 --max 5m --retries 5 --jitter none
  outlast policy plan --solve initial --ttl 5s --retries 4 --multiplier 2 --attempt-time 800ms
  outlast policy plan --fit --ttl 5s --attempt-time 800ms`,
		RunE: c.Act(func(context.Context, []string) error {
			request, err := f.request(c)
			if err != nil {
				return err
			}
			report, err := request.Report()
			if err != nil {
				return err
			}
			if f.plot == "-" {
				_, err := c.Out.Write(report.SVG())
				return err
			}
			if f.plot != "" {
				if err := os.WriteFile(f.plot, report.SVG(), 0o644); err != nil { //nolint:gosec // a picture for everybody to see
					return fmt.Errorf("--plot: %w", err)
				}
				c.Say("the chart is in %s", cli.Clean(f.plot))
			}
			if f.fit && len(report.Fitting) == 0 {
				c.Say("no preset fits the limit")
			}
			answer, err := client.NewPlan(report)
			if err != nil {
				return err
			}
			return c.Show(answer, planTable(answer, f.fit && !f.namesPolicy() && f.solve == ""))
		}),
	}
	f.add(cmd.Flags())
	return cmd
}

// planTable shows a plan to people; onlyFit leaves out what nobody asked for.
func planTable(p *client.Plan, onlyFit bool) func(io.Writer) {
	return func(w io.Writer) {
		if !onlyFit {
			planDelays(w, p)
			planFigures(w, p)
			planWarnings(w, p)
		}
		planFit(w, p, !onlyFit)
	}
}

func planDelays(w io.Writer, p *client.Plan) {
	cli.Line(w, p.Summary)
	cli.Row(w, "RETRY", "WAIT", "MIN", "MAX", "MEAN", "AT", "SUCCESS", "ADDS")
	for i, d := range p.Delays {
		cli.Row(w, d.Retry, cli.Wait(d.Nominal), cli.Wait(d.Min), cli.Wait(d.Max), cli.Wait(d.Mean), cli.Wait(d.At), share(p.Success[i+1]), share(p.Adds[i+1]))
	}
	if p.More > 0 {
		cli.Line(w, fmt.Sprintf("… and %d more", p.More))
	}
	cli.Line(w, "")
}

func planFigures(w io.Writer, p *client.Plan) {
	if s := p.Solution; s != nil {
		cli.Row(w, "solution", solved(s), fmt.Sprintf("leaves %s of %s", cli.Wait(s.Slack), cli.Wait(s.Limit)))
	}
	of := ""
	if p.Attempts == 0 {
		of = " for those listed"
	}
	cli.Row(w, "waits", cli.Wait(p.Total)+of, fmt.Sprintf("%s to %s under the jitter, mean %s", cli.Wait(p.Totals.Min), cli.Wait(p.Totals.Max), cli.Wait(p.Totals.Mean)))
	if p.Limit > 0 {
		cli.Row(w, "limit", cli.Wait(p.Limit), fmt.Sprintf("%d of %d retries always end within it; all take up to %s", p.InTime, p.Retries, cli.Wait(p.Elapsed)))
	}
	cli.Row(w, "success", share(p.Success[len(p.Success)-1]), fmt.Sprintf("if attempts fail independently, each with %s; in an outage they do not", share(p.FailRate)))
	planLoad(w, &p.Load)
	if j := p.Jitter; j != nil {
		apart := "clients that failed together retry together"
		if j.RetriesToApart != nil {
			retries := "1 retry"
			if *j.RetriesToApart > 1 {
				retries = fmt.Sprintf("%.3g retries", *j.RetriesToApart)
			}
			apart = fmt.Sprintf("clients that failed together are spread after %s; each leaves %s of the synchrony", retries, share(j.Coherence))
		}
		cli.Row(w, "jitter", j.Kind, apart)
	}
	for _, text := range p.Advice {
		cli.Row(w, "advice", "", text)
	}
	for _, rule := range p.Rules {
		var delays []string
		for _, d := range rule.Delays {
			delays = append(delays, cli.Wait(d.Nominal))
		}
		if rule.More > 0 {
			delays = append(delays, "…")
		}
		cli.Row(w, "rule", fmt.Sprint(limited(rule.Attempts))+" attempts", fmt.Sprintf("%s: %s", ruleTitle(&rule), strings.Join(delays, " ")))
	}
}

// ruleTitle is what a rule is about.
func ruleTitle(rule *client.PlanRule) string {
	if rule.If != "" {
		return cli.Clean(rule.If)
	}
	return fmt.Sprint(rule.When)
}

func solved(s *client.PlanSolution) string {
	switch {
	case s.Initial > 0:
		return "initial " + time.Duration(s.Initial).String()
	case s.Multiplier > 0:
		return fmt.Sprintf("multiplier %g", s.Multiplier)
	}
	return fmt.Sprintf("%d retries", s.Retries)
}

func planLoad(w io.Writer, l *client.PlanLoad) {
	var at, budget []string
	for _, point := range l.At {
		if point.WithBudget > 0 {
			budget = append(budget, fmt.Sprintf("%s %.3g×", share(point.FailRate), point.WithBudget))
		}
		load := "no limit"
		if point.Amplification != nil {
			load = fmt.Sprintf("%.3g×", *point.Amplification)
		}
		at = append(at, share(point.FailRate)+" "+load)
	}
	worst := "no limit"
	if l.Attempts > 0 {
		worst = fmt.Sprintf("%d× at worst", l.Attempts)
	}
	cli.Row(w, "load", worst, "attempts per request, by fail rate: "+strings.Join(at, ", "))
	if len(budget) > 0 {
		cli.Row(w, "budget", "", "the same under the budget: "+strings.Join(budget, ", ")+"; the floor is added to this")
		cli.Row(w, "", "", "rare failures are all retried; when more fail, fewer successes pay for retries and the load falls again")
	}
	stable := l.Stable
	if l.StableWithBudget > 0 {
		stable = l.StableWithBudget
	}
	cli.Row(w, "stable", "to "+share(stable), "load of first attempts, as a share of capacity, from which the target still recovers by itself")
	if l.InFlightHealthy > 0 {
		worst := "without limit"
		if l.InFlightWorst != nil {
			worst = fmt.Sprintf("%.4g", *l.InFlightWorst)
		}
		cli.Row(w, "in flight", fmt.Sprintf("%.4g", l.InFlightHealthy), "attempts when healthy, "+worst+" when all fail")
	}
}

func planWarnings(w io.Writer, p *client.Plan) {
	if len(p.Warnings) == 0 {
		return
	}
	cli.Line(w, "")
	cli.Row(w, "WARNING", "FIELD", "MESSAGE")
	for _, warning := range p.Warnings {
		cli.Row(w, warning.Code, cli.Clean(warning.Field), cli.Clean(warning.Message))
	}
}

func planFit(w io.Writer, p *client.Plan, more bool) {
	if len(p.Fit) == 0 {
		return
	}
	if more {
		cli.Line(w, "")
	}
	cli.Row(w, "FITS", "ATTEMPTS", "ELAPSED", "LEFT", "PURPOSE")
	for _, f := range p.Fit {
		cli.Row(w, f.Preset, f.Attempts, cli.Wait(f.Elapsed), cli.Wait(f.Slack), f.Purpose)
	}
}

// share is a share in percent, which is 100 only where nothing is missing.
func share(v float64) string {
	if text := fmt.Sprintf("%.4g", 100*v); v >= 1 || text != "100" {
		return text + " %"
	}
	return "> 99.99 %"
}
