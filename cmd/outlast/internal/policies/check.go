package policies

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/filecheck"
	"github.com/outlast-dev/outlast/internal/config"
)

func newCheck(c *cli.Env) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "check FILE", Short: "Check a file of policies and warn of probable mistakes, without a server", Args: cobra.ExactArgs(1),
		Example: "  outlast policy check policies.yaml\n  outlast policy check payment.json --name payment",
		RunE: c.Act(func(_ context.Context, args []string) error {
			policies, err := readPolicies(c, args[0], name)
			found := filecheck.Result{File: args[0], Problems: []config.Problem{}, Warnings: []config.Problem{}}
			if policies != nil {
				for _, p := range policies.All {
					found.Warnings = append(found.Warnings, filecheck.Warnings("policies."+p.Name, p.Policy)...)
				}
				policies.Place(found.Warnings)
			}
			return filecheck.Show(c, found, err)
		}),
	}
	nameFlag(cmd, &name)
	return cmd
}

func nameFlag(cmd *cobra.Command, name *string) {
	cmd.Flags().StringVar(name, "name", "", "the file is a single policy with this name; otherwise it lists policies by name under the key policies")
}

// readPolicies reads a file of policies, - for standard input.
func readPolicies(c *cli.Env, file, name string) (*config.Policies, error) {
	data, err := c.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return config.ParsePolicies(file, name, data)
}
