// Package configs is outlast config: look at the configuration of a server.
package configs

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/filecheck"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/settings"
	"github.com/outlast-dev/outlast/internal/config"
)

// Command makes outlast config and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("config", "Check and print server configuration, without a server", newCheck(c), newPrint(c), newSchema(c), newAdopt(c))
}

func newCheck(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "check FILE", Short: "Check a configuration file as outlast serve would", Args: cobra.ExactArgs(1),
		Long: `Check a configuration file as outlast serve would, and warn about probable mistakes.

If the file names a policy, queue or alert channel that it does not define, this is only
a warning, with the nearest known name: it may have been created over the API, which is
not asked. outlast serve refuses the file if it does not exist there either.`,
		Example: "  outlast config check outlast.yaml\n  outlast config check outlast.yaml --output json",
		RunE: c.Act(func(_ context.Context, args []string) error {
			file, err := settings.ReadConfig(args[0])
			found := filecheck.Result{File: args[0], Problems: []config.Problem{}, Warnings: []config.Problem{}}
			if err == nil {
				for name, p := range file.Policies {
					found.Warnings = append(found.Warnings, filecheck.Warnings("policies."+name, p.Policy)...)
				}
				file.Place(found.Warnings)
				found.Warnings = append(found.Warnings, file.Doubts()...)
				found.Warnings = append(found.Warnings, file.Past(time.Now())...)
				found.Warnings = append(found.Warnings, file.Exposed()...)
				found.Warnings = append(found.Warnings, file.Unheard()...)
				found.Warnings = append(found.Warnings, file.Cut()...)
			}
			return filecheck.Show(c, found, err)
		}),
	}
}

func newPrint(c *cli.Env) *cobra.Command {
	f := &settings.Flags{}
	cmd := &cobra.Command{
		Use: "print", Short: "Show every setting of outlast serve and its source", Args: cobra.NoArgs,
		Long: `Show every setting that outlast serve would use with these flags and in this
environment, and its source: a flag, a variable, a line of the file, or the default.
Secrets are not shown.`,
		Example: "  outlast config print --config outlast.yaml\n  OUTLAST_LISTEN=127.0.0.1:8080 outlast config print",
	}
	f.Add(cmd.Flags())
	cmd.RunE = c.Act(func(context.Context, []string) error {
		s, err := f.Read(cmd.Flags())
		if err != nil {
			return err
		}
		if err := s.Check(); err != nil {
			return err
		}
		values := s.Values(s.Overridden)
		return cli.List(c, struct {
			Values []config.Value `json:"values"`
		}{values}, values, func(w io.Writer) {
			cli.Row(w, "KEY", "VALUE", "SOURCE")
			for _, v := range values {
				cli.Row(w, cli.Clean(v.Path), cli.Short(v.Text(), 100), cli.Clean(v.Source))
			}
		})
	})
	return cmd
}

func newSchema(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON Schema of the configuration file, for editors", Args: cobra.NoArgs,
		RunE: c.Act(func(context.Context, []string) error {
			schema, err := config.Schema()
			if err == nil {
				_, err = c.Out.Write(append(schema, '\n'))
			}
			return err
		}),
	}
}
