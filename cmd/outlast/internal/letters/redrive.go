package letters

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

type redriveFlags struct {
	selection
	dryRun, keep, wait bool
	rate, stop         float64
	canary             int
	payload            string
}

func newRedrive(c *cli.Env) *cobra.Command {
	var f redriveFlags
	cmd := &cobra.Command{
		Use: "redrive [ID…]", Short: "Redrive dead letters: make them tasks again",
		Long: `Redrive dead letters: those with the ids, those that match the filters, or all.
Each becomes a task in its queue again. Without ids, the command first shows how many
letters match and what speaks against redriving them now, and asks.

Without ids, or with --rate, --canary or --stop-if-failing, the redrive is an operation
that continues after this command has ended. Follow it with "outlast operation get",
control it with pause, resume and cancel, and list its letters with "outlast operation
items".

Exit code 3: some ids are not dead letters.`,
		Example: "  outlast dead redrive --fingerprint 4f1d… --rate 20 --wait\n  outlast dead redrive --type mail.send --dry-run\n" +
			"  outlast dead redrive --type mail.send --canary 3 --rate 20 --stop-if-failing 0.2 --wait",
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			if math.IsNaN(f.rate) || math.IsInf(f.rate, 0) {
				return cli.Usagef("--rate must be a number of letters per second, not %v", f.rate)
			}
			if math.IsNaN(f.stop) || math.IsInf(f.stop, 0) {
				return cli.Usagef("--stop-if-failing must be a share from 0 to 1, not %v", f.stop)
			}
			request := client.Redrive{DryRun: f.dryRun, Rate: f.rate, Canary: f.canary, StopIfFailing: f.stop, KeepAttempts: f.keep}
			var err error
			if request.Payload, err = c.ReadJSON("payload", f.payload); err != nil {
				return err
			}
			filter, filtered, err := f.Read(time.Now())
			if err != nil {
				return err
			}
			if err := f.check(args, filtered); err != nil {
				return err
			}
			if len(args) > 0 {
				if request.IDs, err = cli.ParseIDs(args); err != nil {
					return err
				}
			} else {
				request.Filter = &filter.DeadFilter
				if done, err := previewRedrive(ctx, c, api, request); err != nil || done {
					return err
				}
			}
			return redrive(ctx, c, api, request, f.wait)
		}),
	}
	f.addTo(cmd)
	flags := cmd.Flags()
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would be redriven, and change nothing")
	flags.Float64Var(&f.rate, "rate", 0, "letters per second; 0 for all at once")
	flags.IntVar(&f.canary, "canary", 0, "number of letters to redrive first; the others follow when all of these have succeeded")
	flags.Float64Var(&f.stop, "stop-if-failing", 0, "stop the operation when more than this share of the letters (0 to 1) fails again; 0 for never")
	flags.BoolVar(&f.keep, "keep-attempts", false, "keep counting attempts instead of starting again at 1; a letter with none left gets one more")
	flags.StringVar(&f.payload, "payload", "", "JSON to replace the payload of each letter; @FILE reads a file")
	flags.BoolVar(&f.wait, "wait", false, "wait until every letter is redriven, and show how the tasks stand then")
	return cmd
}

// check wants exactly one of ids, filters and --all.
func (s *selection) check(ids []string, filtered bool) error {
	switch {
	case len(ids) > 0 && (filtered || s.all), s.all && filtered:
		return cli.Usagef("give either ids, filters or --all")
	case len(ids) == 0 && !filtered && !s.all:
		return cli.Usagef("name the dead letters: ids, filters such as --type, or --all")
	}
	return nil
}

// previewRedrive says what would happen and asks whether to go on. Done means
// that there is no more to do.
func previewRedrive(ctx context.Context, c *cli.Env, api *client.Client, request client.Redrive) (done bool, err error) {
	dryRun := request.DryRun
	request.DryRun = true
	would, err := api.Redrive(ctx, request)
	if err != nil {
		return false, err
	}
	c.Say("%d dead letters match and would be redriven", would.Matched)
	for i := range would.Sample {
		s := &would.Sample[i]
		c.Say("  %s %s %s %s, dead for %s", s.ID, cli.Clean(s.Type), cli.Clean(s.Reason), cli.Short(s.Category+": "+s.Message, 60), cli.Clean(s.Age))
	}
	if more := would.Matched - len(would.Sample); more > 0 && would.Matched > 0 {
		c.Say("  and %d more", more)
	}
	sayWarnings(c, would.Warnings)
	if would.Matched > 3 && request.Rate == 0 && request.Canary == 0 && request.StopIfFailing == 0 {
		c.Say("to let 3 go first, and to stop when letters fail again: --canary 3 --rate 20 --stop-if-failing 0.2")
	}
	if dryRun || would.Matched == 0 {
		return true, showRedriven(c, would)
	}
	request.Filter.DiedBefore = would.DiedBefore // what dies meanwhile was not shown
	return false, c.Confirm("Redrive them?")
}

// sayWarnings tells what speaks against a redrive.
func sayWarnings(c *cli.Env, warnings []client.RedriveWarning) {
	for i := range warnings {
		w := &warnings[i]
		what := cli.Clean(w.Code) // of a newer server
		switch w.Code {
		case "died_again":
			what = "died again of the same failure after an earlier redrive"
		case "permanent":
			what = "died of a permanent failure, and no release, policy or target is known to have changed since"
		case "breaker_open":
			what = "would wait for the target " + cli.Clean(w.Target) + ", whose breaker is open"
		}
		c.Say("warning: %d of the newest %d letters %s", w.Letters, w.Of, what)
	}
}

// redrive does it and, if asked, waits for the end of the operation.
func redrive(ctx context.Context, c *cli.Env, api *client.Client, request client.Redrive, wait bool) error {
	result, err := api.Redrive(ctx, request)
	if err != nil {
		return err
	}
	sayWarnings(c, result.Warnings)
	if wait && result.Operation != "" {
		if err := c.Follow(ctx, api, result.Operation); err != nil {
			return err
		}
		sayOutcomes(ctx, c, api, result.Operation)
	}
	if err := showRedriven(c, result); err != nil {
		return err
	}
	return missing(result.Missing, len(request.IDs))
}

// sayOutcomes tells how the tasks of a redrive that is done stand: they may fail again,
// and take hours. Of a long report it looks at the first page.
func sayOutcomes(ctx context.Context, c *cli.Env, api *client.Client, operation string) {
	report, err := api.OperationItems(ctx, operation, 500, "")
	if err != nil || len(report.Items) == 0 {
		return // the redrive is done nevertheless
	}
	counts := map[string]int{}
	for i := range report.Items {
		counts[report.Items[i].Status]++
	}
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[status], cli.Clean(status)))
	}
	which := "outcomes so far"
	if report.NextCursor != "" {
		which = "outcomes of the first 500 so far"
	}
	c.Say("%s: %s; to see each: outlast operation items %s", which, strings.Join(parts, ", "), cli.Clean(operation))
}

func showRedriven(c *cli.Env, result *client.Redriven) error {
	return c.Show(result, func(w io.Writer) {
		cli.Field(w, "operation", cli.Clean(result.Operation))
		cli.Row(w, "matched", result.Matched)
		cli.Field(w, "missing", len(result.Missing))
	})
}
