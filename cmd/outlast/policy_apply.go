package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newPolicyApply(c *cli) *cobra.Command {
	var name string
	var dry bool
	var version int64
	cmd := &cobra.Command{
		Use: "apply FILE", Short: "Create or change the policies of a file", Args: cobra.ExactArgs(1),
		Long: `Create or change the policies of a file. Policies that the file does not have stay as they
are. A change holds on every node within about a second: for attempts that begin, and
for what follows those that fail.

--dry-run shows what would change, and what is probably not meant, and changes nothing.`,
		Example: "  outlast policy apply policies.yaml --dry-run\n  outlast policy apply payment.json --name payment --version 3",
	}
	cmd.RunE = c.call(func(ctx context.Context, api *client.Client, args []string) error {
		options := client.PutOptions{DryRun: dry}
		if cmd.Flags().Changed("version") {
			if name == "" {
				return usage("--version is for one policy: give --name too")
			}
			options.Version = &version
		}
		file, err := c.readPolicies(args[0], name)
		if err != nil {
			return err
		}
		policies := file.All
		var done []client.Policy
		for _, p := range policies {
			put, err := api.PutPolicy(ctx, p.Name, p.Body, options)
			if err != nil {
				if len(done) > 0 && !dry {
					_ = c.applied(done) // the error matters more
					return partial("%d of %d policies were applied, then %s: %s", len(done), len(policies), clean(p.Name), err)
				}
				return err
			}
			done = append(done, *put)
		}
		return c.applied(done)
	})
	nameFlag(cmd, &name)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show what would change, and change nothing")
	cmd.Flags().Int64Var(&version, "version", 0, "change this version only, 0 for a policy that must be new")
	return cmd
}

// applied shows what became of policies.
func (c *cli) applied(done []client.Policy) error {
	for i := range done {
		for _, w := range done[i].Warnings {
			c.say("warning: %s: %s: %s [%s]", clean(done[i].Name), clean(w.Field), clean(w.Message), clean(w.Code))
		}
	}
	return list(c, client.Policies{Policies: done}, done, func(w io.Writer) {
		row(w, "NAME", "CHANGE", "VERSION", "SCHEDULE")
		for i := range done {
			p := &done[i]
			change := "unchanged"
			switch {
			case p.Changed != nil && *p.Changed && p.DryRun:
				change = "would change"
			case p.Changed != nil && *p.Changed:
				change = "changed"
			}
			row(w, clean(p.Name), change, p.Version, clean(p.Summary))
		}
	})
}
