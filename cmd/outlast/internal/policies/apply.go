package policies

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

func newApply(c *cli.Env) *cobra.Command {
	var name string
	var dry bool
	var version int64
	cmd := &cobra.Command{
		Use: "apply FILE", Short: "Create or change policies from a file", Args: cobra.ExactArgs(1),
		Long: `Create or change policies from a file. Policies that are not in the file stay as they
are. A change applies on all nodes within about a second: to attempts that start, and to
the retries of attempts that fail.

--dry-run shows the changes and warns of probable mistakes, but changes nothing.`,
		Example: "  outlast policy apply policies.yaml --dry-run\n  outlast policy apply payment.json --name payment --version 3",
	}
	cmd.RunE = c.Call(func(ctx context.Context, api *client.Client, args []string) error {
		options := client.PutOptions{DryRun: dry}
		if cmd.Flags().Changed("version") {
			if name == "" {
				return cli.Usagef("--version applies to one policy: add --name")
			}
			options.Version = &version
		}
		file, err := readPolicies(c, args[0], name)
		if err != nil {
			return err
		}
		policies := file.All
		var done []client.Policy
		for _, p := range policies {
			put, err := api.PutPolicy(ctx, p.Name, p.Body, options)
			if err != nil {
				if len(done) > 0 && !dry {
					_ = applied(c, done) // the error matters more
					return cli.Partialf("%d of %d policies were applied, then %s: %s", len(done), len(policies), cli.Clean(p.Name), err)
				}
				return err
			}
			done = append(done, *put)
		}
		return applied(c, done)
	})
	nameFlag(cmd, &name)
	cmd.Flags().BoolVar(&dry, "dry-run", false, "show the changes without making them")
	cmd.Flags().Int64Var(&version, "version", 0, "apply only if this is the current version; 0 if the policy must be new")
	return cmd
}

// changeOf says what a put did, or would do, to a policy.
func changeOf(p *client.Policy) string {
	done := "changed"
	if p.Version == 1 {
		done = "created"
	}
	switch {
	case p.Changed == nil || !*p.Changed:
		return "unchanged"
	case p.DryRun:
		return "would be " + done
	}
	return done
}

// applied shows what became of policies.
func applied(c *cli.Env, done []client.Policy) error {
	for i := range done {
		for _, w := range done[i].Warnings {
			c.Say("warning: %s: %s: %s [%s]", cli.Clean(done[i].Name), cli.Clean(w.Field), cli.Clean(w.Message), cli.Clean(w.Code))
		}
	}
	return cli.List(c, client.Policies{Policies: done}, done, func(w io.Writer) {
		cli.Row(w, "NAME", "CHANGE", "VERSION", "SCHEDULE")
		for i := range done {
			p := &done[i]
			cli.Row(w, cli.Clean(p.Name), changeOf(p), p.Version, cli.Clean(p.Summary))
		}
	})
}
