package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/internal/hints"
)

// ByDefault has a noun do what one of its verbs does where none is named.
func ByDefault(noun, verb *cobra.Command) *cobra.Command {
	needs := noun.RunE
	noun.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return needs(cmd, args)
		}
		return verb.RunE(cmd, args)
	}
	return noun
}

// Noun makes a command that only holds others.
func Noun(use, short string, verbs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			var names []string
			for _, verb := range cmd.Commands() {
				names = append(names, verb.Name())
			}
			if len(args) > 0 {
				if near := hints.Nearest(args[0], names); near != "" {
					return Usagef("unknown command %q of outlast %s; did you mean %s?", args[0], use, near)
				}
				return Usagef("unknown command %q of outlast %s; commands: %s", args[0], use, strings.Join(names, ", "))
			}
			return Usagef("outlast %s needs a command: %s", use, strings.Join(names, ", "))
		},
	}
	cmd.AddCommand(verbs...)
	return cmd
}
