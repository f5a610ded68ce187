package cli

import (
	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

// Complete gives the root the flags of all commands and its nouns, and makes each command
// say what is wrong with how it was called.
func Complete(c *Env, root *cobra.Command, nouns ...*cobra.Command) *cobra.Command {
	root.SetOut(c.Out)
	root.SetErr(c.Messages)
	flags := root.PersistentFlags()
	flags.StringVar(&c.Server, "server", client.DefaultServer, "URL of the server; env OUTLAST_SERVER")
	flags.StringVar(&c.tokenFile, "token-file", "", "file with the token for the server; overrides the variable OUTLAST_TOKEN; env OUTLAST_TOKEN_FILE")
	flags.StringVar(&c.ca, "ca-file", "", "PEM file with the certificate authorities to trust for https, instead of the system's; env OUTLAST_CA_FILE")
	flags.StringVar(&c.Output, "output", "table", "table, json or jsonl; env OUTLAST_OUTPUT")
	flags.BoolVar(&c.Yes, "yes", false, "do not ask for confirmation")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return fromEnvironment(cmd.Flags(), c.Lookup) }
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
			shells := Noun("completion", "")
			cmd.Args, cmd.RunE = nil, func(_ *cobra.Command, args []string) error { return shells.RunE(cmd, args) }
		}
	}
}
