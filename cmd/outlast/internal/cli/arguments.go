package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/internal/hints"
	"github.com/outlast-dev/outlast/task"
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
		} else if near := nearestCommand(root, args[0]); near != "" {
			message += "; did you mean " + near + "?"
		}
		return Usagef(message, args[0])
	}
	root.SetFlagErrorFunc(flagError)
	for _, cmd := range descendants(root) {
		check := cmd.Args
		takes := strings.TrimPrefix(strings.TrimPrefix(cmd.Use, cmd.Name()), " ")
		if check == nil {
			continue
		}
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if check(cmd, args) == nil {
				return nil
			}
			if takes == "" {
				return Usagef("%s takes no arguments, but got %s", cmd.CommandPath(), task.Quote(args[0]))
			}
			return Usagef("usage: %s %s", cmd.CommandPath(), takes)
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

// nearestCommand is the command whose name is nearest to one that there is not.
func nearestCommand(root *cobra.Command, name string) string {
	var names []string
	for _, cmd := range root.Commands() {
		names = append(names, cmd.Name())
	}
	return hints.Nearest(name, names)
}

// flagError says what is wrong with a flag in words of the command line.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var wrong *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
		if near := hints.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			return Usagef("%v; did you mean --%s?", err, near)
		}
	case errors.As(err, &wrong):
		return wrongValue(wrong.GetFlag(), wrong.GetValue(), err)
	}
	return err
}

// wrongValue says what a flag takes instead of a value.
func wrongValue(flag *pflag.Flag, value string, err error) error {
	wanted := map[string]string{
		"duration": "not a duration; write it with a unit, such as 90s, 5m or 1h30m", "durationSlice": "not a list of durations such as 1s,5s,1m",
		"int": "not a whole number", "uint64": "not a whole number of 0 or more", "intSlice": "not a list of whole numbers such as 3,4",
		"float64": "not a number", "bool": "not true or false",
	}[flag.Value.Type()]
	if wanted == "" {
		return err
	}
	return Usagef("--%s: %s is %s", flag.Name, task.Quote(value), wanted)
}
