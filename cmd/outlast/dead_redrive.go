package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

type redriveFlags struct {
	selection
	dryRun, keep, wait bool
	rate, stop         float64
	canary             int
	payload            string
}

func newDeadRedrive(c *cli) *cobra.Command {
	var f redriveFlags
	cmd := &cobra.Command{
		Use: "redrive [ID…]", Short: "Send dead letters back to their queues",
		Long: `Send dead letters back to their queues: those with the ids, those that match
the filters, or all. Without ids it first says how many match, and asks.

With --rate, --canary, --stop-if-failing or without ids it is an operation, which goes on
when this command has ended: follow it with "outlast operation get", steer it with
pause, resume and cancel, and see with "outlast operation items" what has become
of each letter.

Exit code 3: some ids are no dead letters.`,
		Example: "  outlast dead redrive --fingerprint 4f1d… --rate 20 --wait\n  outlast dead redrive --type mail.send --dry-run\n" +
			"  outlast dead redrive --type mail.send --canary 5 --stop-if-failing 0.2 --wait",
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			if math.IsNaN(f.rate) || math.IsInf(f.rate, 0) {
				return usage("--rate must be a number of letters per second, not %v", f.rate)
			}
			if math.IsNaN(f.stop) || math.IsInf(f.stop, 0) {
				return usage("--stop-if-failing must be a share from 0 to 1, not %v", f.stop)
			}
			request := client.Redrive{DryRun: f.dryRun, Rate: f.rate, Canary: f.canary, StopIfFailing: f.stop, KeepAttempts: f.keep}
			var err error
			if request.Payload, err = c.readJSON("payload", f.payload); err != nil {
				return err
			}
			filter, filtered, err := f.read(time.Now())
			if err != nil {
				return err
			}
			if err := f.check(args, filtered); err != nil {
				return err
			}
			if len(args) > 0 {
				if request.IDs, err = parseIDs(args); err != nil {
					return err
				}
			} else {
				request.Filter = &filter.DeadFilter
				if done, err := c.previewRedrive(ctx, api, request); err != nil || done {
					return err
				}
			}
			return c.redrive(ctx, api, request, f.wait)
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
		return usage("give ids, filters or --all, not several of them")
	case len(ids) == 0 && !filtered && !s.all:
		return usage("say which dead letters: ids, filters such as --type, or --all")
	}
	return nil
}

// previewRedrive says what would happen and asks whether to go on. Done means
// that there is no more to do.
func (c *cli) previewRedrive(ctx context.Context, api *client.Client, request client.Redrive) (done bool, err error) {
	dryRun := request.DryRun
	request.DryRun = true
	would, err := api.Redrive(ctx, request)
	if err != nil {
		return false, err
	}
	c.say("%d dead letters match and would be sent back to their queues", would.Matched)
	for i := range would.Sample {
		s := &would.Sample[i]
		c.say("  %s %s %s %s, dead for %s", s.ID, clean(s.Type), clean(s.Reason), short(s.Category+": "+s.Message, 60), clean(s.Age))
	}
	if more := would.Matched - len(would.Sample); more > 0 && would.Matched > 0 {
		c.say("  and %d more", more)
	}
	if dryRun || would.Matched == 0 {
		return true, c.showRedriven(would)
	}
	request.Filter.DiedBefore = would.DiedBefore // what dies meanwhile was not shown
	return false, c.confirm("Send them back?")
}

// redrive does it and, if asked, waits for the end of the operation.
func (c *cli) redrive(ctx context.Context, api *client.Client, request client.Redrive, wait bool) error {
	result, err := api.Redrive(ctx, request)
	if err != nil {
		return err
	}
	if wait && result.Operation != "" {
		if err := c.follow(ctx, api, result.Operation); err != nil {
			return err
		}
	}
	if err := c.showRedriven(result); err != nil {
		return err
	}
	return missing(result.Missing, len(request.IDs))
}

func (c *cli) showRedriven(result *client.Redriven) error {
	return c.show(result, func(w io.Writer) {
		field(w, "operation", clean(result.Operation))
		row(w, "matched", result.Matched)
		field(w, "missing", len(result.Missing))
	})
}

// followEvery is how often an operation is looked at.
const followEvery = 200 * time.Millisecond

// follow tells how an operation comes on, until it has ended or is paused.
func (c *cli) follow(ctx context.Context, api *client.Client, id string) error {
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	last := ""
	for {
		operation, err := api.Operation(ctx, id)
		if err != nil {
			return err
		}
		if now := progressOf(operation); now != last {
			last = now
			c.say("%s", now)
		}
		switch operation.State {
		case "done":
			return nil
		case "failed", "canceled":
			c.say("see what became of each letter: outlast operation items %s", clean(id))
			return errors.New(clean(strings.TrimSuffix("the operation ended as "+operation.State+": "+operation.Error, ": ")))
		case "paused":
			c.say("go on with: outlast operation resume %s", clean(id))
			return errors.New(clean(strings.TrimSuffix("the operation is paused: "+operation.Error, ": ")))
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticker.C:
		}
	}
}

// progressOf is one line about how far an operation has come.
func progressOf(o *client.Operation) string {
	line := fmt.Sprintf("%s: %d of %d", o.State, o.Done, o.Matched)
	for _, part := range []struct {
		n    *int
		what string
	}{{&o.Changed, "changed"}, {&o.Skipped, "skipped"}, {o.Succeeded, "succeeded"}, {o.Failing, "failed or to be repeated"}} {
		if part.n != nil && *part.n > 0 {
			line += fmt.Sprintf(", %d %s", *part.n, part.what)
		}
	}
	if o.Waiting != "" {
		line += "; " + o.Waiting
	}
	return clean(line)
}
