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
		Use: "list", Short: "List targets, those with something to tell first", Args: cobra.NoArgs,
		Long: `List what tasks call: hosts, with a port that is not the scheme's own, and types
of tasks that handlers run; "@stripe" is what a handler has named. BREAKER is none
where the handler wants no guards. SUCCESS is the share of attempts that succeeded
lately, WAITING the due tasks in memory that the target holds, CAUSE that of the
breaker's last change, with "(no task known)" after an order about a target that
no node knows a task of. Healthy targets are those of the server that is asked.`,
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
				c.Say("%d more; see --limit", left)
			}
			return nil
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "targets, 1 to 500")
	cmd.Flags().BoolVar(&troubled, "troubled", false, "only those whose breaker is not closed, and those that want no calls for a while")
	return cmd
}
