package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newTargetGet(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "get NAME", Short: "Show a target: breaker, budget, limit and what waits", Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			if err := named(args[0]); err != nil {
				return err
			}
			target, err := api.Target(ctx, args[0])
			if err != nil {
				return err
			}
			return c.show(target, func(w io.Writer) { targetFields(w, target) })
		}),
	}
}

func targetFields(w io.Writer, t *client.TargetState) {
	field(w, "name", clean(t.Name))
	field(w, "breaker", breakerOf(t))
	field(w, "cause", clean(t.Breaker.Cause))
	field(w, "since", when(t.Breaker.Since))
	field(w, "next probe", when(t.Breaker.Until))
	field(w, "outage since", when(t.Breaker.Opened))
	field(w, "trips", t.Breaker.Trips)
	row(w, "calls", fmt.Sprintf("%d, %d failed, %d slow", t.Breaker.Calls, t.Breaker.Failures, t.Breaker.Slow))
	row(w, "budget", fmt.Sprintf("%g tokens, success %.0f%%, %d first attempts and %d retries in 10s", t.Budget.Tokens, 100*t.Budget.Share, t.Budget.First, t.Budget.Retries))
	field(w, "next retry", when(t.Budget.Until))
	field(w, "paused until", when(t.HeldUntil))
	row(w, "running", fmt.Sprintf("%d of %d", t.InFlight, t.Limit))
	row(w, "waiting", fmt.Sprintf("%d breaker, %d budget, %d rate, %d concurrency", t.Waiting.Breaker, t.Waiting.Budget, t.Waiting.Rate, t.Waiting.Concurrency))
	if t.Order != nil {
		field(w, "order", clean(t.Order.Action)+" "+when(t.Order.At))
	}
	if len(t.Nodes) == 0 {
		row(w, "nodes", "none knows a task of it (a typing error?)")
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		row(w, "node "+clean(n.Node), fmt.Sprintf("%s, %d of %d running, %d waiting", clean(n.Breaker.State), n.InFlight, n.Limit, waitingOf(&n.Waiting)))
	}
}
