package policies

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

func newGet(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "get NAME", Short: "Show a policy or preset as it would be written in a file", Args: cobra.ExactArgs(1),
		Example: "  outlast policy get payment\n  outlast policy get 'easyjob(30s, 2, 5)' --output json",
		RunE: c.Act(func(ctx context.Context, args []string) error {
			one, err := policyNamed(ctx, c, args[0])
			if err != nil {
				return err
			}
			return c.Show(one, func(w io.Writer) {
				cli.Field(w, "name", cli.Clean(one.Name))
				if one.Version > 0 {
					cli.Field(w, "version", one.Version)
				} else {
					cli.Field(w, "purpose", one.Purpose)
				}
				cli.Field(w, "source", one.Source)
				if one.Canary != nil {
					cli.Field(w, "canary", canaryLine(one.Canary))
				}
				cli.Field(w, "schedule", one.Summary)
				cli.Field(w, "waits", waits(one))
				cli.Field(w, "policy", string(one.Policy))
			})
		}),
	}
}

// policyNamed is a policy of the server, or the preset where there is no server or it
// has none of the name.
func policyNamed(ctx context.Context, c *cli.Env, name string) (*preset, error) {
	var kept *client.Policy
	err := look(ctx, c, func(ctx context.Context, api *client.Client) (err error) {
		kept, err = api.Policy(ctx, name)
		return err
	})
	switch {
	case err == nil && kept.Source != "preset":
		return keptPolicy(kept), nil
	case err != nil && !errors.Is(err, &task.Error{Code: task.CodeNotFound}):
		c.Say("note: only presets are known: %s", cli.Clean(err.Error()))
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
	none.Hint = "see outlast policy list; presets: " + missing.Hint
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
		return cli.Usagef("%s", strings.Join(all, "; "))
	}
	missing := task.NotFound("preset", name)
	missing.Hint = strings.Join(hints, "; ")
	return missing
}
