package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newTarget(c *cli) *cobra.Command {
	return noun("target", "Look at what tasks call, stop calls, and let them begin again",
		newTargetList(c), newTargetGet(c), newTargetOpen(c), newTargetClose(c), newTargetReset(c))
}

func targetRows(targets []client.TargetState) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "NAME", "BREAKER", "SINCE", "UNTIL", "FAILURES", "SUCCESS", "TOKENS", "RUNNING", "WAITING", "CAUSE")
		for i := range targets {
			t := &targets[i]
			row(w, clean(t.Name), breakerOf(t), when(t.Breaker.Since), when(t.Breaker.Until), fmt.Sprintf("%d/%d", t.Breaker.Failures, t.Breaker.Calls),
				fmt.Sprintf("%.0f%%", 100*t.Budget.Share), t.Budget.Tokens, fmt.Sprintf("%d/%d", t.InFlight, t.Limit), waitingOf(&t.Waiting), clean(t.Breaker.Cause))
		}
	}
}

func breakerOf(t *client.TargetState) string {
	if t.Breaker.Forced {
		return clean(t.Breaker.State) + " (ordered)"
	}
	return clean(t.Breaker.State)
}

func waitingOf(w *client.TargetWaiting) int { return w.Breaker + w.Budget + w.Rate + w.Concurrency }

// order makes a command that tells the nodes what to do about a target. It says
// first how things stand, and asks if there is somebody to ask.
func (c *cli) order(use, short, long, becomes string, do func(ctx context.Context, api *client.Client, name string) (*client.TargetState, error)) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use: use + " NAME", Short: short, Long: long, Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			target, err := api.Target(ctx, args[0])
			switch {
			case err == nil:
				c.say("%s: breaker %s, %d attempts run, %d due tasks wait in the memory of the nodes; %s",
					clean(target.Name), breakerOf(target), target.InFlight, waitingOf(&target.Waiting), becomes)
			case use == "open" && c.exitCode(err) == exitNotFound:
				c.say("%s: no node has called it yet; %s", clean(args[0]), becomes)
			default:
				return err
			}
			if dryRun {
				return nil
			}
			if err := c.ask("Do it?"); err != nil {
				return err
			}
			if target, err = do(ctx, api, args[0]); err != nil {
				return err
			}
			return c.show(target, targetRows([]client.TargetState{*target}))
		}),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be done")
	return cmd
}
