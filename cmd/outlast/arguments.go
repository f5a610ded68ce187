package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// explain makes all commands say which arguments they take when these are wrong,
// and which command may have been meant when there is none of a name.
func explain(root *cobra.Command) {
	root.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		message := "unknown command %q of outlast"
		if meant := namesakes(root, args[0]); len(meant) > 0 {
			message += "; did you mean: " + strings.Join(meant, ", ")
		}
		return usage(message, args[0])
	}
	for _, cmd := range descendants(root) {
		check := cmd.Args
		takes := strings.TrimPrefix(strings.TrimPrefix(cmd.Use, cmd.Name()), " ")
		if check == nil || takes == "" {
			continue
		}
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) == nil {
				return nil
			}
			return usage("write it as: %s %s", cmd.CommandPath(), takes)
		}
	}
}

// mostMeant is how many commands are proposed instead of an unknown one.
const mostMeant = 4

// namesakes are the commands that have a name, or it in the singular, below others.
func namesakes(root *cobra.Command, name string) (paths []string) {
	for _, cmd := range descendants(root) {
		if known := cmd.Name(); known == name || known == strings.TrimSuffix(name, "s") || known == name+"s" {
			paths = append(paths, cmd.CommandPath())
		}
	}
	slices.Sort(paths)
	return paths[:min(len(paths), mostMeant)]
}

// descendants are all commands below one.
func descendants(cmd *cobra.Command) (all []*cobra.Command) {
	for _, child := range cmd.Commands() {
		all = append(append(all, child), descendants(child)...)
	}
	return all
}
