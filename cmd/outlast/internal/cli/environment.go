package cli

import (
	"strings"

	"github.com/spf13/pflag"
)

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
			failure = Usagef("%s: %v", name, err)
		}
		if flag.Annotations == nil {
			flag.Annotations = map[string][]string{}
		}
		flag.Annotations[fromVariable] = []string{name}
	})
	return failure
}

// SourceOf is where the value of a flag comes from.
func SourceOf(flag *pflag.Flag) string {
	if name := flag.Annotations[fromVariable]; len(name) == 1 {
		return "env " + name[0]
	}
	return "flag --" + flag.Name
}
