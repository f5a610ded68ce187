package policies

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newPromote(c *cli.Env) *cobra.Command {
	return endCanary(c, "promote NAME", "Promote the version on trial to all tasks",
		`Apply the version that is tried on a share of the tasks (canary: 10%) to all tasks. This
makes a new version with the same content.`, (*client.Client).PromotePolicy)
}

func newAbort(c *cli.Env) *cobra.Command {
	return endCanary(c, "abort NAME", "End the trial and return to the version before",
		`End the trial of a version on a share of the tasks (canary: 10%), and apply the version
before it to all tasks. This makes a new version with the content of that one.`, (*client.Client).AbortPolicy)
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
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show the change without making it")
	cmd.Flags().Int64Var(&version, "version", 0, "only if this version is the canary")
	return cmd
}

// canaryLine tells people which versions hold.
func canaryLine(p *client.PolicyCanary) string {
	return fmt.Sprintf("version %d applies to %s of the tasks, version %d to the rest", p.Version, cli.Clean(p.Share), p.BaseVersion)
}
