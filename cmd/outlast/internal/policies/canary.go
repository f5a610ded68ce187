package policies

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newPromote(c *cli.Env) *cobra.Command {
	return endCanary(c, "promote NAME", "Promote the version on trial: all tasks follow it",
		`Let the version of a policy that is tried on a share of the tasks (canary: 10%) hold for
all of them. That makes a new version with the same content.`, (*client.Client).PromotePolicy)
}

func newAbort(c *cli.Env) *cobra.Command {
	return endCanary(c, "abort NAME", "End the trial: all tasks follow the version before again",
		`Let the version before the one that is tried on a share of the tasks (canary: 10%) hold
for all of them again. That makes a new version with the content of that one.`, (*client.Client).AbortPolicy)
}

func endCanary(c *cli.Env, use, short, long string, end func(*client.Client, context.Context, string, client.PutOptions) (*client.Policy, error)) *cobra.Command {
	var dry bool
	var version int64
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Args: cobra.ExactArgs(1)}
	cmd.RunE = c.Call(func(ctx context.Context, api *client.Client, args []string) error {
		options := client.PutOptions{DryRun: dry}
		if cmd.Flags().Changed("version") {
			options.Version = &version
		}
		done, err := end(api, ctx, args[0], options)
		if err != nil {
			return err
		}
		return applied(c, []client.Policy{*done})
	})
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show what would change, and change nothing")
	cmd.Flags().Int64Var(&version, "version", 0, "end the canary of this version only")
	return cmd
}

// canaryLine tells people which versions hold.
func canaryLine(p *client.PolicyCanary) string {
	return fmt.Sprintf("version %d holds for %s of the tasks, version %d for the rest", p.Version, cli.Clean(p.Share), p.BaseVersion)
}
