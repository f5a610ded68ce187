package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

func newPolicyGet(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "get NAME", Short: "Show a policy of the server, or a preset, as it would be written", Args: cobra.ExactArgs(1),
		Example: "  outlast policy get payment\n  outlast policy get 'easyjob(30s, 2, 5)' --output json",
		RunE: c.act(func(ctx context.Context, args []string) error {
			one, err := c.policyNamed(ctx, args[0])
			if err != nil {
				return err
			}
			return c.show(one, func(w io.Writer) {
				field(w, "name", clean(one.Name))
				if one.Version > 0 {
					field(w, "version", one.Version)
				} else {
					field(w, "purpose", one.Purpose)
				}
				field(w, "source", one.Source)
				if one.Canary != nil {
					field(w, "canary", canaryLine(one.Canary))
				}
				field(w, "schedule", one.Summary)
				field(w, "waits", waits(one))
				field(w, "policy", string(one.Policy))
			})
		}),
	}
}

// policyNamed is a policy of the server, or the preset where there is no server or it
// has none of the name.
func (c *cli) policyNamed(ctx context.Context, name string) (*preset, error) {
	var kept *client.Policy
	err := c.look(ctx, func(ctx context.Context, api *client.Client) (err error) {
		kept, err = api.Policy(ctx, name)
		return err
	})
	switch {
	case err == nil && kept.Source != "preset":
		return keptPolicy(kept), nil
	case err != nil && !errors.Is(err, &task.Error{Code: task.CodeNotFound}):
		c.say("note: only presets are known: %s", clean(err.Error()))
	}
	one, err := describe(name)
	if err != nil {
		return nil, noPolicy(name, noPreset(name, err))
	}
	return one, nil
}

// noPolicy says that a name is neither a policy nor a preset.
func noPolicy(name string, err error) error {
	var missing *task.Error
	if !errors.As(err, &missing) || missing.Code != task.CodeNotFound {
		return err
	}
	none := task.NotFound("policy", name)
	none.Hint = "outlast policy list shows those of a server; presets: " + missing.Hint
	return none
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
