package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/sim"
)

func newSim(c *cli) *cobra.Command {
	return noun("sim", "Play retry storms, and recorded tasks again, in virtual time", newSimList(c), newSimRun(c), newSimCompare(c), newSimWhatIf(c))
}

func newSimList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the scenarios", Args: cobra.NoArgs,
		RunE: c.act(func(context.Context, []string) error {
			all := sim.Scenarios()
			if c.output != "table" {
				return writeStorms(c, map[string]any{"scenarios": all}, all)
			}
			return c.table(func(w io.Writer) {
				row(w, "ID", "NAME", "SHOWS")
				for _, s := range all {
					row(w, s.ID, s.Name, s.Shows)
				}
			})
		}),
	}
}

// writeStorms writes the simulator's own types, whole or one per line.
func writeStorms[T any](c *cli, whole any, items []T) error {
	write := func(value any) error {
		var data bytes.Buffer
		encoder := json.NewEncoder(&data)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(value); err != nil {
			return err
		}
		return c.writeLine(bytes.TrimSuffix(data.Bytes(), []byte("\n")))
	}
	if c.output != "jsonl" {
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
	return nil, usage("there is no scenario %s; known: %s", clean(id), strings.Join(ids, ", "))
}
