package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

const cliPage = "../../docs/reference/cli.md"

const cliHead = `# Command line

What ` + "`--help`" + ` says, on one page, which is made of it. Data goes to standard output, everything else to standard error. Exit
codes are in [Errors](errors.md); what each command may do is said by the [permission](security.md) of its token.

Flags of all commands:

`

// The page of the command line is what its commands say of themselves.
func TestCLIPage(t *testing.T) {
	root := newRoot(&cli.Env{Lookup: func(string) (string, bool) { return "", false }, Version: "0"})
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	want := cliHead + flagTable(root.PersistentFlags())
	for _, noun := range root.Commands() {
		if !noun.Hidden && noun.Name() != "help" && noun.Name() != "completion" {
			want += commandText("##", noun)
		}
	}
	have, err := os.ReadFile(cliPage)
	switch {
	case err == nil && string(have) == want:
	case *update:
		if err := os.WriteFile(cliPage, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is stale: go generate ./cmd/outlast", cliPage)
	}
}

// commandText is a command with those below it.
func commandText(mark string, command *cobra.Command) string {
	out := fmt.Sprintf("\n%s %s\n\n%s.\n", mark, command.CommandPath(), strings.TrimSuffix(command.Short, "."))
	var said []string
	if !command.HasSubCommands() {
		said = append(said, command.UseLine())
	}
	if text := strings.TrimSpace(command.Long); text != strings.TrimSpace(command.Short) && text != "" {
		said = append(said, text)
	}
	if text := strings.Trim(command.Example, "\n"); text != "" {
		said = append(said, text)
	}
	if len(said) > 0 {
		out += "\n```text\n" + strings.Join(said, "\n\n") + "\n```\n"
	}
	for _, sub := range command.Commands() {
		if !sub.Hidden {
			out += commandText("###", sub)
		}
	}
	if command.HasSubCommands() {
		return out
	}
	if table := flagTable(command.LocalNonPersistentFlags()); table != "" {
		out += "\n" + table
	}
	return out
}

func flagTable(flags *pflag.FlagSet) string {
	var rows strings.Builder
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Hidden || flag.Name == "help" {
			return
		}
		name := "`--" + flag.Name + "`"
		if flag.Shorthand != "" {
			name = "`-" + flag.Shorthand + "`, " + name
		}
		kind, usage := pflag.UnquoteUsage(flag)
		usual := ""
		if flag.DefValue != "" && flag.DefValue != "false" && flag.DefValue != "[]" && flag.DefValue != "0" && flag.DefValue != "0s" {
			usual = "`" + flag.DefValue + "`"
		}
		fmt.Fprintf(&rows, "| %s | %s | %s | %s |\n", name, kind, usual, strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(usage))
	})
	if rows.Len() == 0 {
		return ""
	}
	return "| flag | value | default | meaning |\n|---|---|---|---|\n" + rows.String()
}
