package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/hints"
)

func newRoot(c *cli) *cobra.Command {
	root := &cobra.Command{
		Use:   "outlast",
		Short: "Durable retry engine",
		Long: `Outlast is a durable retry engine. Hand it a task and the task outlasts
network jitter, deploys, crashes and outages.

Data goes to standard output, everything else to standard error.
Exit codes: 0 ok, 1 failed, 2 usage, 3 partial, 4 not found, 5 denied,
6 conflict, 7 unavailable.`,
		Example:       "  outlast demo\n  outlast serve\n  outlast task enqueue --url https://example.com/hook --payload '{\"hello\":\"world\"}'",
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return cmd.Help()
		},
	}
	return complete(c, root,
		newServe(c), newDemo(c), newTask(c), newDead(c), newQueue(c), newPolicy(c), newConfig(c), newSchedule(c), newOperation(c), newTarget(c), newAlert(c),
		newNode(c), newGroup(c), newToken(c), newWhoami(c), newSim(c), newStats(c), newMigrate(c), newDoctor(c), newBench(c), newVersion(c), newAudit(c),
	)
}

// complete gives the root the flags of all commands and its nouns, and makes each command
// say what is wrong with how it was called.
func complete(c *cli, root *cobra.Command, nouns ...*cobra.Command) *cobra.Command {
	root.SetOut(c.out)
	root.SetErr(c.messages)
	flags := root.PersistentFlags()
	flags.StringVar(&c.server, "server", client.DefaultServer, "URL of the server; env OUTLAST_SERVER")
	flags.StringVar(&c.tokenFile, "token-file", "", "file with the token for the server, before the variable OUTLAST_TOKEN; env OUTLAST_TOKEN_FILE")
	flags.StringVar(&c.ca, "ca-file", "", "PEM file with the certificate authorities of an https server, in place of the system's; env OUTLAST_CA_FILE")
	flags.StringVar(&c.output, "output", "table", "table, json or jsonl; env OUTLAST_OUTPUT")
	flags.BoolVar(&c.yes, "yes", false, "do not ask before what cannot be undone")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return fromEnvironment(cmd.Flags(), c.lookup) }
	root.AddCommand(nouns...)
	completion(root)
	explain(root)
	return root
}

// completion makes cobra's command refuse what is no shell, where it would
// show its help and end well.
func completion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			shells := noun("completion", "")
			cmd.Args, cmd.RunE = nil, func(_ *cobra.Command, args []string) error { return shells.RunE(cmd, args) }
		}
	}
}

// fromVariable is the annotation of a flag with the variable that set it.
const fromVariable = "variable"

// fromEnvironment sets the flags that name a variable and are not given:
// flag > environment > default.
func fromEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	var failure error
	flags.VisitAll(func(flag *pflag.Flag) {
		_, name, found := strings.Cut(flag.Usage, "env ")
		if !found || flag.Changed || failure != nil {
			return
		}
		value, set := lookup(name)
		if !set || value == "" {
			return
		}
		if err := flags.Set(flag.Name, value); err != nil {
			failure = usage("%s: %v", name, err)
		}
		if flag.Annotations == nil {
			flag.Annotations = map[string][]string{}
		}
		flag.Annotations[fromVariable] = []string{name}
	})
	return failure
}

// byDefault has a noun do what one of its verbs does where none is named.
func byDefault(noun, verb *cobra.Command) *cobra.Command {
	needs := noun.RunE
	noun.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return needs(cmd, args)
		}
		return verb.RunE(cmd, args)
	}
	return noun
}

// noun makes a command that only holds others.
func noun(use, short string, verbs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			var names []string
			for _, verb := range cmd.Commands() {
				names = append(names, verb.Name())
			}
			if len(args) > 0 {
				if near := hints.Nearest(args[0], names); near != "" {
					return usage("unknown command %q of outlast %s; did you mean %s?", args[0], use, near)
				}
				return usage("unknown command %q of outlast %s; known: %s", args[0], use, strings.Join(names, ", "))
			}
			return usage("outlast %s needs a command: %s", use, strings.Join(names, ", "))
		},
	}
	cmd.AddCommand(verbs...)
	return cmd
}
