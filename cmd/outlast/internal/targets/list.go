package targets

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newList(c *cli.Env) *cobra.Command {
	var limit int
	var troubled bool
	cmd := &cobra.Command{
		Use: "list", Short: "List targets, those with problems first", Args: cobra.NoArgs,
		Long: `List the targets that tasks call: hosts, with a port unless it is the default one, task
types that handlers run, and names that handlers have given, such as "@stripe".

BREAKER is none if the handler uses no guards. SUCCESS is the share of recent attempts
that succeeded. WAITING counts the due tasks in memory that are held back. CAUSE is the
cause of the breaker's last change; "(no task known)" means that the target was blocked
by hand but no node knows a task for it. Healthy targets are those that this server knows.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			if err := cli.OnePage(limit); err != nil {
				return err
			}
			read := api.Targets
			if troubled {
				read = api.TroubledTargets
			}
			targets, err := read(ctx, limit)
			if err != nil {
				return err
			}
			if err := cli.List(c, targets, targets.Targets, targetRows(targets.Targets)); err != nil {
				return err
			}
			if left := targets.Total - len(targets.Targets); left > 0 {
				c.Say("%d more; raise --limit", left)
			}
			return nil
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "maximum number of targets, 1 to 500")
	cmd.Flags().BoolVar(&troubled, "troubled", false, "only targets that are not called now: their breaker is not closed, or they asked for a pause")
	return cmd
}
