// Package targets is outlast target: what requests call, and what holds them back.
package targets

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

// Command makes outlast target and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("target", "List the targets that tasks call; block and allow calls",
		append([]*cobra.Command{newList(c), newGet(c)}, newOrders(c)...)...)
}

func targetRows(targets []client.TargetState) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "NAME", "BREAKER", "SINCE", "UNTIL", "FAILURES", "SUCCESS", "TOKENS", "RUNNING", "WAITING", "CAUSE")
		for i := range targets {
			t := &targets[i]
			cli.Row(w, cli.Clean(t.Name), breakerOf(t), cli.When(t.Breaker.Since), cli.When(t.Breaker.Until), fmt.Sprintf("%d/%d", t.Breaker.Failures, t.Breaker.Calls),
				fmt.Sprintf("%.0f%%", 100*t.Budget.Share), t.Budget.Tokens, fmt.Sprintf("%d/%d", t.InFlight, t.Limit), waitingOf(&t.Waiting), causeOf(t))
		}
	}
}

func breakerOf(t *client.TargetState) string {
	switch {
	case t.Breaker.Forced:
		return cli.Clean(t.Breaker.State) + " (ordered)"
	case t.Unguarded:
		return "none"
	}
	return cli.Clean(t.Breaker.State)
}

// causeOf is the cause of the breaker's last change, and a warning where no node
// knows a task of the target.
func causeOf(t *client.TargetState) string {
	if len(t.Nodes) == 0 {
		return cli.Clean(t.Breaker.Cause) + " (no task known)"
	}
	return cli.Clean(t.Breaker.Cause)
}

// noteUnknown warns of a name that no node knows a task of, and names targets
// that it may be short for.
func noteUnknown(ctx context.Context, c *cli.Env, api *client.Client, name string) {
	c.Say("note: no task for this target is known (a typo?); a target is a host such as api.example.com or api.example.com:8443, a name given by a handler such as @stripe, or a task type; see outlast target list")
	known, err := api.Targets(ctx, 500)
	if err != nil {
		return // the order says what is wrong
	}
	var near []string
	for i := range known.Targets {
		if one := known.Targets[i].Name; one != name && hostOf(one) == hostOf(name) {
			near = append(near, cli.Clean(one))
		}
	}
	if len(near) > 0 {
		c.Say("note: on the same host: %s", strings.Join(near[:min(len(near), 10)], ", "))
	}
}

// hostOf is the name of a target without a port.
func hostOf(name string) string {
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	return strings.ToLower(strings.Trim(name, "[]"))
}

func waitingOf(w *client.TargetWaiting) int { return w.Breaker + w.Budget + w.Rate + w.Concurrency }

// named refuses names that no target has.
func named(target string) error {
	switch {
	case target == "":
		return cli.Usagef("the name of the target is empty; see outlast target list")
	case strings.Contains(target, "/"):
		return cli.Usagef("%s is not the name of a target: write the host of the URL, such as api.example.com or api.example.com:8443, a name given by a handler, such as @stripe, or the task type", task.Quote(target))
	}
	return nil
}
