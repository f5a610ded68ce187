package targets

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// order is a command that tells the nodes what to do about a target.
type order struct {
	use, alias, short, long string
	becomes                 string // what it does, before the question
	unknown                 bool   // whether it takes a target that no node knows a task for
	do                      func(api *client.Client, ctx context.Context, name string) (*client.TargetState, error)
}

var orders = []order{
	{
		use: "block", alias: "open", short: "Stop all calls of a target",
		long: `Stop all calls of a target until it is allowed or reset, also across restarts. Its tasks
wait without using up attempts; running attempts continue. This opens the circuit
breaker by hand, so open is another name for the command.`,
		becomes: "it will not be called until it is allowed or reset", unknown: true, do: (*client.Client).OpenTarget,
	},
	{
		use: "allow", alias: "close", short: "Allow calls of a target again",
		long: `End a block or an outage: waiting tasks start again, slowly at first. This closes the
circuit breaker by hand, so close is another name for the command.`,
		becomes: "its tasks will start again, slowly at first", do: (*client.Client).CloseTarget,
	},
	{
		use: "reset", short: "Forget what was learned about a target",
		long: `Forget what was learned about a target. Its breaker, budget and limit start from
scratch, without a slow start, and a block ends.`,
		becomes: "all its tasks may start at once, as if it had never been called", do: (*client.Client).ResetTarget,
	},
}

func newOrders(c *cli.Env) (all []*cobra.Command) {
	for i := range orders {
		all = append(all, orders[i].command(c))
	}
	return all
}

// command says first how things stand, and asks if there is somebody to ask.
func (o *order) command(c *cli.Env) *cobra.Command {
	var dryRun, unknown bool
	cmd := &cobra.Command{
		Use: o.use + " NAME", Short: o.short, Long: o.long, Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			if err := named(args[0]); err != nil {
				return err
			}
			target, err := api.Target(ctx, args[0])
			switch {
			case err == nil:
				c.Say("%s: breaker %s, %d attempts running, %d due tasks waiting in memory; %s",
					cli.Clean(target.Name), breakerOf(target), target.InFlight, waitingOf(&target.Waiting), o.becomes)
			case o.unknown && c.NotFound(err) && !unknown:
				noteUnknown(ctx, c, api, args[0])
				c.Say("note: --unknown blocks a target that has no tasks yet")
				return err
			case o.unknown && c.NotFound(err):
				c.Say("%s: %s", cli.Clean(args[0]), o.becomes)
				target = &client.TargetState{Name: args[0], Nodes: []client.NodeTarget{}}
				target.Breaker.State, target.Breaker.Admitted, target.Budget.Share = "closed", 1, 1
			default:
				return err
			}
			if dryRun && c.Output == "table" {
				return nil // all is said
			}
			if dryRun {
				return c.Show(target, targetRows([]client.TargetState{*target}))
			}
			if err := c.Ask("Continue?"); err != nil {
				return err
			}
			if target, err = o.do(api, ctx, args[0]); err != nil {
				return err
			}
			return c.Show(target, targetRows([]client.TargetState{*target}))
		}),
	}
	if o.alias != "" {
		cmd.Aliases = []string{o.alias}
	}
	if o.unknown {
		cmd.Flags().BoolVar(&unknown, "unknown", false, "also block a target that no node knows a task for")
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be done, and do nothing")
	return cmd
}
