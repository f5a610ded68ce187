package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newPolicyVersions(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "versions NAME", Short: "List the versions of a policy, newest first", Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			versions, err := api.PolicyVersions(ctx, args[0])
			if err != nil {
				return err
			}
			return list(c, client.Policies{Policies: versions}, versions, func(w io.Writer) {
				row(w, "VERSION", "AT", "BY", "SCHEDULE")
				for i := range versions {
					v := &versions[i]
					schedule := clean(v.Summary)
					if v.Policy == nil {
						schedule = "deleted"
					}
					if v.Canary != nil {
						schedule += fmt.Sprintf(" (canary: %s, else version %d)", clean(v.Canary.Share), v.Canary.BaseVersion)
					}
					row(w, v.Version, when(v.UpdatedAt), clean(v.Actor), schedule)
				}
			})
		}),
	}
}
