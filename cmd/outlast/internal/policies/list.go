package policies

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

// preset is a policy that everybody has, or one that was put under a name.
type preset struct {
	Name     string               `json:"name"`
	Version  int64                `json:"version,omitempty"` // of one that was put
	Purpose  string               `json:"purpose,omitempty"`
	Source   string               `json:"source"` // file or api for one that was put
	Summary  string               `json:"summary"`
	Attempts int                  `json:"attempts"` // 0 for unlimited
	Total    client.Duration      `json:"total"`    // of the nominal waits; 0 for unlimited attempts
	Policy   json.RawMessage      `json:"policy"`
	Canary   *client.PolicyCanary `json:"canary,omitempty"`
}

type presets struct {
	Policies []preset `json:"policies"`
}

func newList(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the policies of the server and the presets", Args: cobra.NoArgs,
		Long: `List the policies of the server and the presets. If no server can be reached, list only
the presets and say so.`,
		RunE: c.Act(func(ctx context.Context, _ []string) error {
			var kept []client.Policy
			err := look(ctx, c, func(ctx context.Context, api *client.Client) (err error) {
				kept, err = api.Policies(ctx)
				return err
			})
			if err != nil {
				c.Say("note: only presets are listed: %s", cli.Clean(err.Error()))
			}
			all := presets{}
			inPlace := map[string]bool{}
			for i := range kept {
				if kept[i].Source != "preset" {
					all.Policies = append(all.Policies, *keptPolicy(&kept[i]))
					inPlace[kept[i].Name] = true
				}
			}
			for _, name := range retry.Presets() {
				if inPlace[name] {
					continue
				}
				one, err := describe(name)
				if err != nil {
					return err
				}
				all.Policies = append(all.Policies, *one)
			}
			return cli.List(c, all, all.Policies, presetRows(all.Policies))
		}),
	}
}

// keptPolicy is a policy of the server.
func keptPolicy(p *client.Policy) *preset {
	one := &preset{Name: p.Name, Version: p.Version, Source: p.Source, Summary: p.Summary, Attempts: p.Attempts, Policy: p.Policy, Canary: p.Canary}
	if spec, err := retry.ParseSpec(p.Policy); err == nil {
		if policy, err := spec.Policy(); err == nil {
			if report, err := plan.Of(policy, plan.Env{}); err == nil && report.Attempts > 0 {
				one.Total = client.Duration(report.Total.Nominal)
			}
		}
	}
	return one
}

// describe is a preset, of which easyjob has parameters.
func describe(name string) (*preset, error) {
	policy, err := retry.Preset(name)
	if err != nil {
		return nil, err
	}
	report, err := plan.Of(policy, plan.Env{})
	if err != nil {
		return nil, err
	}
	form, err := json.Marshal(report.Policy)
	if err != nil {
		return nil, err
	}
	info, known := retry.DescribePreset(name)
	if !known {
		info = retry.PresetInfo{Purpose: "The schedule of the EasyJob framework.", Source: "EasyJob"}
	}
	one := &preset{Name: name, Purpose: info.Purpose, Source: info.Source, Summary: report.Summary(), Attempts: report.Attempts, Policy: client.PlainJSON(form)}
	if one.Attempts > 0 {
		one.Total = client.Duration(report.Total.Nominal)
	}
	return one, nil
}

func presetRows(presets []preset) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "NAME", "ATTEMPTS", "WAITS", "SCHEDULE", "PURPOSE")
		for _, p := range presets {
			about := p.Purpose
			if p.Version > 0 {
				about = fmt.Sprintf("version %d, from the %s", p.Version, p.Source)
				if p.Canary != nil {
					about += ", canary " + cli.Clean(p.Canary.Share)
				}
			}
			cli.Row(w, cli.Clean(p.Name), limited(p.Attempts), waits(&p), p.Summary, about)
		}
	}
}

func limited(attempts int) any {
	if attempts == 0 {
		return "unlimited"
	}
	return attempts
}

func waits(p *preset) string {
	if p.Attempts == 0 {
		return ""
	}
	return plan.Short(time.Duration(p.Total))
}
