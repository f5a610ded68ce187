package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

var manual = flag.String("manual", "", "write the man pages into this folder")

// Every command has a man page with its flags. They are made here, for releases too, so
// that the binary need not contain what makes them.
func TestManual(t *testing.T) {
	dir := *manual
	if dir == "" {
		dir = t.TempDir()
	}
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	root := newRoot(&cli.Env{Version: version()})
	root.DisableAutoGenTag = true
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "Outlast", Manual: "Outlast"}, dir); err != nil {
		t.Fatal(err)
	}
	described(t, root, dir)
}

func described(t *testing.T, cmd *cobra.Command, dir string) {
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
	page, err := os.ReadFile(filepath.Join(dir, name+".1"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.NonInheritedFlags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden && !strings.Contains(strings.ReplaceAll(string(page), `\`, ""), "--"+flag.Name) {
			t.Errorf("the page %s does not name --%s", name, flag.Name)
		}
	})
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			described(t, sub, dir)
		}
	}
}
