package policies

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newDelete(c *cli.Env) *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use: "delete NAME", Short: "Delete a policy but keep its versions", Args: cobra.ExactArgs(1),
		Long: `Delete a policy but keep its versions. Tasks that name it then use the preset of that
name if there is one, otherwise the policy of their type, their queue or the default.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			if !dry {
				if err := c.Ask("Delete the policy " + cli.Clean(args[0]) + "?"); err != nil {
					return err
				}
			}
			deleted, err := api.DeletePolicy(ctx, args[0], client.PutOptions{DryRun: dry})
			if err != nil {
				return err
			}
			return c.Show(deleted, func(w io.Writer) {
				cli.Field(w, "deleted", deleted.Deleted)
			})
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only check whether it can be deleted")
	return cmd
}
