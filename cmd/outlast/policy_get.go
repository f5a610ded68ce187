package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

func newPolicyGet(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "get NAME", Short: "Show a preset, complete and as it would be written", Args: cobra.ExactArgs(1),
		Example: "  outlast policy get payment\n  outlast policy get 'easyjob(30s, 2, 5)' --output json",
		RunE: c.act(func(_ context.Context, args []string) error {
			one, err := describe(args[0])
			if err != nil {
				return noPreset(args[0], err)
			}
			return c.show(one, func(w io.Writer) {
				field(w, "name", clean(one.Name))
				field(w, "purpose", one.Purpose)
				field(w, "source", one.Source)
				field(w, "schedule", one.Summary)
				field(w, "waits", waits(one))
				field(w, "policy", string(one.Policy))
			})
		}),
	}
}

// noPreset is the error of a name that is no preset, or of easyjob with
// arguments that it does not take.
func noPreset(name string, err error) error {
	var all, hints []string
	for _, wrong := range retry.FieldErrors(err) {
		all, hints = append(all, wrong.Error()), append(hints, wrong.Hint)
	}
	switch {
	case len(all) == 0:
		return err
	case strings.HasPrefix(name, "easyjob"):
		return usage("%s", strings.Join(all, "; "))
	}
	missing := task.NotFound("preset", name)
	missing.Hint = strings.Join(hints, "; ")
	return missing
}
