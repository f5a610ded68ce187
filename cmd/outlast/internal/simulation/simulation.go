// Package simulation is outlast sim: retry storms, and recorded tasks again, in virtual
// time.
package simulation

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/internal/sim"
)

// Command makes outlast sim and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("sim", "Simulate retry storms, and replay recorded tasks, in virtual time", newList(c), newRun(c), newCompare(c), newWhatIf(c))
}

func newList(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the scenarios", Args: cobra.NoArgs,
		RunE: c.Act(func(context.Context, []string) error {
			all := sim.Scenarios()
			if c.Output != "table" {
				return writeStorms(c, map[string]any{"scenarios": all}, all)
			}
			return c.Table(func(w io.Writer) {
				cli.Row(w, "ID", "NAME", "SHOWS")
				for _, s := range all {
					cli.Row(w, s.ID, s.Name, s.Shows)
				}
			})
		}),
	}
}

// writeStorms writes the simulator's own types, whole or one per line.
func writeStorms[T any](c *cli.Env, whole any, items []T) error {
	write := func(value any) error {
		var data bytes.Buffer
		encoder := json.NewEncoder(&data)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			return err
		}
		return c.WriteLine(bytes.TrimSuffix(data.Bytes(), []byte("\n")))
	}
	if c.Output != "jsonl" {
		return write(whole)
	}
	for i := range items {
		if err := write(&items[i]); err != nil {
			return err
		}
	}
	return nil
}

// scenario finds one, or says which there are.
func scenario(id string) (*sim.Scenario, error) {
	if s := sim.Find(id); s != nil {
		return s, nil
	}
	var ids []string
	for _, s := range sim.Scenarios() {
		ids = append(ids, s.ID)
	}
	return nil, cli.Usagef("there is no scenario %s; scenarios: %s", cli.Clean(id), strings.Join(ids, ", "))
}
