package policies

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newVersions(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "versions NAME", Short: "List the versions of a policy, newest first", Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			versions, err := api.PolicyVersions(ctx, args[0])
			if err != nil {
				return err
			}
			return cli.List(c, client.Policies{Policies: versions}, versions, func(w io.Writer) {
				cli.Row(w, "VERSION", "AT", "BY", "SCHEDULE")
				for i := range versions {
					v := &versions[i]
					schedule := cli.Clean(v.Summary)
					if v.Policy == nil {
						schedule = "deleted"
					}
					if v.Canary != nil {
						schedule += fmt.Sprintf(" (canary: %s, else version %d)", cli.Clean(v.Canary.Share), v.Canary.BaseVersion)
					}
					cli.Row(w, v.Version, cli.When(v.UpdatedAt), cli.Clean(v.Actor), schedule)
				}
			})
		}),
	}
}
