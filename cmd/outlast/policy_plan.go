package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/plan"
)

func newPolicyPlan(c *cli) *cobra.Command {
	f := &planFlags{}
	cmd := &cobra.Command{
		Use: "plan", Short: "Show what a policy will do: delays, success, load, warnings", Args: cobra.NoArgs,
		Long: `Show what a retry policy will do before anything fails: the wait before each
retry and its bounds under the jitter, the chance of success, the load on a
target that is down, and what is probably not meant. Flags change single keys of
--preset or --file; without either, the default policy's.

With --solve it finds the largest first interval, multiplier or number of retries
that keeps the limit (the lower of --ttl and --deadline), with the longest waits
of the jitter and with attempts of --attempt-time.`,
		Example: `  outlast policy plan --preset payment --deadline 30s --plot plan.svg
  outlast policy plan --kind exponential --initial 10s --multiplier 2 --max 5m --retries 5 --jitter none
  outlast policy plan --solve initial --ttl 5s --retries 4 --multiplier 2 --attempt-time 800ms
  outlast policy plan --fit --ttl 5s --attempt-time 800ms`,
		RunE: c.act(func(context.Context, []string) error {
			request, err := f.request(c)
			if err != nil {
				return err
			}
			report, err := request.Report()
			if err != nil {
				return err
			}
			if f.plot == "-" {
				_, err := c.out.Write(report.SVG())
				return err
			}
			if f.plot != "" {
				if err := os.WriteFile(f.plot, report.SVG(), 0o644); err != nil { //nolint:gosec // a picture for everybody to see
					return fmt.Errorf("--plot: %w", err)
				}
				c.say("the plan is drawn in %s", clean(f.plot))
			}
			if f.fit && len(report.Fitting) == 0 {
				c.say("no preset keeps the limit")
			}
			answer, err := client.NewPlan(report)
			if err != nil {
				return err
			}
			return c.show(answer, planTable(answer, f.fit && !f.namesPolicy() && f.solve == ""))
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
	line(w, p.Summary)
	row(w, "RETRY", "WAIT", "MIN", "MAX", "MEAN", "AT", "SUCCESS", "ADDS")
	for i, d := range p.Delays {
		row(w, d.Retry, wait(d.Nominal), wait(d.Min), wait(d.Max), wait(d.Mean), wait(d.At), share(p.Success[i+1]), share(p.Adds[i+1]))
	}
	if p.More > 0 {
		line(w, fmt.Sprintf("… and %d more", p.More))
	}
	line(w, "")
}

// line writes text that is no row, so that it does not widen the columns.
func line(w io.Writer, text string) { _, _ = io.WriteString(w, text+"\n") } // Flush reports it

func planFigures(w io.Writer, p *client.Plan) {
	if s := p.Solution; s != nil {
		row(w, "solution", solved(s), fmt.Sprintf("leaves %s of %s", wait(s.Slack), wait(s.Limit)))
	}
	of := ""
	if p.Attempts == 0 {
		of = " for those listed"
	}
	row(w, "waits", wait(p.Total)+of, fmt.Sprintf("%s to %s under the jitter, mean %s", wait(p.Totals.Min), wait(p.Totals.Max), wait(p.Totals.Mean)))
	if p.Limit > 0 {
		row(w, "limit", wait(p.Limit), fmt.Sprintf("%d of %d retries certainly end within it; all take up to %s", p.InTime, p.Retries, wait(p.Elapsed)))
	}
	row(w, "success", share(p.Success[len(p.Success)-1]), fmt.Sprintf("if attempts fail independently with %s; those of an outage do not", share(p.FailRate)))
	planLoad(w, &p.Load)
	if j := p.Jitter; j != nil {
		apart := "clients that fail together stay together"
		if j.RetriesToApart != nil {
			retries := "1 retry"
			if *j.RetriesToApart > 1 {
				retries = fmt.Sprintf("%.3g retries", *j.RetriesToApart)
			}
			apart = fmt.Sprintf("apart after %s; each leaves %s of the synchrony", retries, share(j.Coherence))
		}
		row(w, "jitter", j.Kind, apart)
	}
	for _, text := range p.Advice {
		row(w, "advice", "", text)
	}
	for _, rule := range p.Rules {
		var delays []string
		for _, d := range rule.Delays {
			delays = append(delays, wait(d.Nominal))
		}
		if rule.More > 0 {
			delays = append(delays, "…")
		}
		row(w, "rule", fmt.Sprint(limited(rule.Attempts))+" attempts", fmt.Sprintf("%s: %s", ruleTitle(&rule), strings.Join(delays, " ")))
	}
}

// ruleTitle is what a rule is about.
func ruleTitle(rule *client.PlanRule) string {
	if rule.If != "" {
		return clean(rule.If)
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
	row(w, "load", worst, "attempts per request, by fail rate: "+strings.Join(at, ", "))
	if len(budget) > 0 {
		row(w, "budget", "", "the same under the budget: "+strings.Join(budget, ", ")+"; its floor comes on top")
		row(w, "", "", "rare failures are all repeated; where more fail, fewer successes pay for retries, and the load falls again")
	}
	stable := l.Stable
	if l.StableWithBudget > 0 {
		stable = l.StableWithBudget
	}
	row(w, "stable", "to "+share(stable), "utilization by first attempts from which the target recovers by itself")
	if l.InFlightHealthy > 0 {
		worst := "without limit"
		if l.InFlightWorst != nil {
			worst = fmt.Sprintf("%.4g", *l.InFlightWorst)
		}
		row(w, "in flight", fmt.Sprintf("%.4g", l.InFlightHealthy), "attempts when healthy, "+worst+" when all fail")
	}
}

func planWarnings(w io.Writer, p *client.Plan) {
	if len(p.Warnings) == 0 {
		return
	}
	line(w, "")
	row(w, "WARNING", "FIELD", "MESSAGE")
	for _, warning := range p.Warnings {
		row(w, warning.Code, clean(warning.Field), clean(warning.Message))
	}
}

func planFit(w io.Writer, p *client.Plan, more bool) {
	if len(p.Fit) == 0 {
		return
	}
	if more {
		line(w, "")
	}
	row(w, "FITS", "ATTEMPTS", "ELAPSED", "LEFT", "PURPOSE")
	for _, f := range p.Fit {
		row(w, f.Preset, f.Attempts, wait(f.Elapsed), wait(f.Slack), f.Purpose)
	}
}

// wait is a duration as short as a table needs.
func wait(d client.Duration) string { return plan.Short(time.Duration(d)) }

// share is a share in percent, which is 100 only where nothing is missing.
func share(v float64) string {
	if text := fmt.Sprintf("%.4g", 100*v); v >= 1 || text != "100" {
		return text + " %"
	}
	return "> 99.99 %"
}
