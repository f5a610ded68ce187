package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/config"
	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

func newConfig(c *cli) *cobra.Command {
	return noun("config", "Look at the configuration of a server; needs no server", newConfigCheck(c), newConfigPrint(c), newConfigSchema(c), newConfigAdopt(c))
}

// checked is what config check and policy check say.
type checked struct {
	File     string           `json:"file"`
	Good     bool             `json:"good"`
	Problems []config.Problem `json:"problems"`
	Warnings []config.Problem `json:"warnings"` // what is probably not meant
}

func newConfigCheck(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "check FILE", Short: "Check a file as outlast serve does when it reads it", Args: cobra.ExactArgs(1),
		Long: `Check a configuration file as outlast serve does when it reads it, and name what is
probably not meant. A policy, queue or alert channel that the file names and does not
have may have been put by the API, which is not looked at: it is a warning here, with
the nearest name that is known, and serve refuses the file if nobody has put it.`,
		Example: "  outlast config check outlast.yaml\n  outlast config check outlast.yaml --output json",
		RunE: c.act(func(_ context.Context, args []string) error {
			file, err := readConfig(args[0])
			found := checked{File: args[0], Problems: []config.Problem{}, Warnings: []config.Problem{}}
			if err == nil {
				for name, p := range file.Policies {
					found.Warnings = append(found.Warnings, warningsOf("policies."+name, p.Policy)...)
				}
				file.Place(found.Warnings)
				found.Warnings = append(found.Warnings, file.Doubts()...)
				found.Warnings = append(found.Warnings, file.Past(time.Now())...)
				found.Warnings = append(found.Warnings, file.Exposed()...)
				found.Warnings = append(found.Warnings, file.Unheard()...)
				found.Warnings = append(found.Warnings, file.Cut()...)
			}
			return c.checked(found, err)
		}),
	}
}

// readConfig reads a configuration file; one that cannot be opened is a mistake in
// the command, as it is for a file of policies.
func readConfig(path string) (*config.File, error) {
	file, err := config.Read(path)
	if errors.As(err, new(*fs.PathError)) {
		err = usage("%v", err)
	}
	return file, err
}

// checked shows what was found; a file with problems is an error.
func (c *cli) checked(found checked, err error) error {
	var refused *config.Error
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	if found.Good = err == nil; !found.Good {
		found.Problems = refused.Problems
	}
	if c.output != "table" {
		if err := c.writeJSON(found); err != nil {
			return err
		}
	}
	if !found.Good {
		return err
	}
	if c.output == "table" {
		for _, w := range found.Warnings {
			c.say("warning: %s", clean(w.In(found.File)))
		}
		c.say("%s is good", clean(found.File))
	}
	return nil
}

// warningsOf is what the planner says about a policy.
func warningsOf(path string, policy *retry.Policy) []config.Problem {
	report, err := plan.Of(policy, plan.Env{Rows: 1})
	if err != nil {
		return nil // it was planned for nothing in particular; there is no such error
	}
	var all []config.Problem
	for _, w := range report.Warnings {
		at := path
		if w.Field != "" {
			at += "." + w.Field
		}
		all = append(all, config.Problem{Path: at, Message: w.Message + " [" + w.Code + "]"})
	}
	return all
}

func newConfigPrint(c *cli) *cobra.Command {
	f := &serveFlags{}
	cmd := &cobra.Command{
		Use: "print", Short: "Show every setting of outlast serve and where it comes from", Args: cobra.NoArgs,
		Long: `Show every setting that outlast serve would have with these flags, in this
environment, and where it comes from: a flag, a variable, a line of the file, or the
default. Secrets are not shown.`,
		Example: "  outlast config print --config outlast.yaml\n  OUTLAST_LISTEN=127.0.0.1:8080 outlast config print",
	}
	f.add(cmd.Flags())
	cmd.RunE = c.act(func(context.Context, []string) error {
		s, err := f.settings(cmd.Flags())
		if err != nil {
			return err
		}
		if err := s.Check(); err != nil {
			return err
		}
		values := s.Values(s.overridden)
		return list(c, struct {
			Values []config.Value `json:"values"`
		}{values}, values, func(w io.Writer) {
			row(w, "KEY", "VALUE", "SOURCE")
			for _, v := range values {
				row(w, clean(v.Path), short(v.Text(), 100), clean(v.Source))
			}
		})
	})
	return cmd
}

func newConfigSchema(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Write the JSON Schema of the file, for editors", Args: cobra.NoArgs,
		RunE: c.act(func(context.Context, []string) error {
			schema, err := config.Schema()
			if err == nil {
				_, err = c.out.Write(append(schema, '\n'))
			}
			return err
		}),
	}
}
