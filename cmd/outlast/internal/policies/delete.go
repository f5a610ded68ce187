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
		Use: "delete NAME", Short: "Delete a policy; its versions are kept", Args: cobra.ExactArgs(1),
		Long: `Delete a policy; its versions are kept. Tasks that name it have the preset of the name
then, if there is one, else what their type, their queue or the default says.`,
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
	cmd.Flags().BoolVar(&dry, "dry-run", false, "check that it can be deleted, and delete nothing")
	return cmd
}
