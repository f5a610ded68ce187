package letters

import (
	"context"
	"io"
	"math"
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
Each becomes a task of its queue again. Without ids it first says how many match,
and asks.

With --rate, --canary, --stop-if-failing or without ids it is an operation, which goes on
when this command has ended: follow it with "outlast operation get", steer it with
pause, resume and cancel, and see with "outlast operation items" what has become
of each letter.

Exit code 3: some ids are no dead letters.`,
		Example: "  outlast dead redrive --fingerprint 4f1d… --rate 20 --wait\n  outlast dead redrive --type mail.send --dry-run\n" +
			"  outlast dead redrive --type mail.send --canary 5 --stop-if-failing 0.2 --wait",
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
	flags.BoolVar(&f.dryRun, "dry-run", false, "only say what would be done")
	flags.Float64Var(&f.rate, "rate", 0, "letters per second, 0 for all at once")
	flags.IntVar(&f.canary, "canary", 0, "letters that go first; the others follow when all of these have succeeded")
	flags.Float64Var(&f.stop, "stop-if-failing", 0, "share of letters that fail again, 0 to 1, above which the operation stops; 0 for none")
	flags.BoolVar(&f.keep, "keep-attempts", false, "go on counting attempts instead of starting again at 1; a letter that has spent them all gets one more")
	flags.StringVar(&f.payload, "payload", "", "JSON that replaces the payload of each letter; @FILE reads a file")
	flags.BoolVar(&f.wait, "wait", false, "wait until every letter is back in its queue")
	return cmd
}

// check wants exactly one of ids, filters and --all.
func (s *selection) check(ids []string, filtered bool) error {
	switch {
	case len(ids) > 0 && (filtered || s.all), s.all && filtered:
		return cli.Usagef("give ids, filters or --all, not several of them")
	case len(ids) == 0 && !filtered && !s.all:
		return cli.Usagef("say which dead letters: ids, filters such as --type, or --all")
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
	if dryRun || would.Matched == 0 {
		return true, showRedriven(c, would)
	}
	request.Filter.DiedBefore = would.DiedBefore // what dies meanwhile was not shown
	return false, c.Confirm("Redrive them?")
}

// redrive does it and, if asked, waits for the end of the operation.
func redrive(ctx context.Context, c *cli.Env, api *client.Client, request client.Redrive, wait bool) error {
	result, err := api.Redrive(ctx, request)
	if err != nil {
		return err
	}
	if wait && result.Operation != "" {
		if err := c.Follow(ctx, api, result.Operation); err != nil {
			return err
		}
	}
	if err := showRedriven(c, result); err != nil {
		return err
	}
	return missing(result.Missing, len(request.IDs))
}

func showRedriven(c *cli.Env, result *client.Redriven) error {
	return c.Show(result, func(w io.Writer) {
		cli.Field(w, "operation", cli.Clean(result.Operation))
		cli.Row(w, "matched", result.Matched)
		cli.Field(w, "missing", len(result.Missing))
	})
}
