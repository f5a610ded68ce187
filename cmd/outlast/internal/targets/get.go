package targets

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newGet(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "get NAME", Short: "Show a target: breaker, budget, limits and waiting tasks", Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			if err := named(args[0]); err != nil {
				return err
			}
			target, err := api.Target(ctx, args[0])
			if err != nil {
				return err
			}
			return c.Show(target, func(w io.Writer) { targetFields(w, target) })
		}),
	}
}

func targetFields(w io.Writer, t *client.TargetState) {
	cli.Field(w, "name", cli.Clean(t.Name))
	cli.Field(w, "breaker", breakerOf(t))
	cli.Field(w, "cause", cli.Clean(t.Breaker.Cause))
	cli.Field(w, "since", cli.When(t.Breaker.Since))
	cli.Field(w, "next probe", cli.When(t.Breaker.Until))
	cli.Field(w, "outage since", cli.When(t.Breaker.Opened))
	cli.Field(w, "trips", t.Breaker.Trips)
	cli.Row(w, "calls", fmt.Sprintf("%d, %d failed, %d slow", t.Breaker.Calls, t.Breaker.Failures, t.Breaker.Slow))
	cli.Row(w, "budget", fmt.Sprintf("%g tokens, success %.0f%%, %d first attempts and %d retries in 10s", t.Budget.Tokens, 100*t.Budget.Share, t.Budget.First, t.Budget.Retries))
	cli.Field(w, "next retry", cli.When(t.Budget.Until))
	cli.Field(w, "paused until", cli.When(t.HeldUntil))
	cli.Row(w, "running", fmt.Sprintf("%d of %d", t.InFlight, t.Limit))
	cli.Row(w, "waiting", fmt.Sprintf("%d breaker, %d budget, %d rate, %d concurrency", t.Waiting.Breaker, t.Waiting.Budget, t.Waiting.Rate, t.Waiting.Concurrency))
	if t.Order != nil {
		cli.Field(w, "order", cli.Clean(t.Order.Action)+" "+cli.When(t.Order.At))
	}
	if len(t.Nodes) == 0 {
		cli.Row(w, "nodes", "none knows a task for it (a typo?)")
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		cli.Row(w, "node "+cli.Clean(n.Node), fmt.Sprintf("%s, %d of %d running, %d waiting", cli.Clean(n.Breaker.State), n.InFlight, n.Limit, waitingOf(&n.Waiting)))
	}
}
