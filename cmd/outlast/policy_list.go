package main

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

// preset is a policy that everybody has.
type preset struct {
	Name     string          `json:"name"`
	Purpose  string          `json:"purpose"`
	Source   string          `json:"source"`
	Summary  string          `json:"summary"`
	Attempts int             `json:"attempts"` // 0 for unlimited
	Total    client.Duration `json:"total"`    // of the nominal waits; 0 for unlimited attempts
	Policy   json.RawMessage `json:"policy"`
}

type presets struct {
	Policies []preset `json:"policies"`
}

func newPolicyList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the presets", Args: cobra.NoArgs,
		RunE: c.act(func(context.Context, []string) error {
			all := presets{}
			for _, name := range retry.Presets() {
				one, err := describe(name)
				if err != nil {
					return err
				}
				all.Policies = append(all.Policies, *one)
			}
			return list(c, all, all.Policies, presetRows(all.Policies))
		}),
	}
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
	one := &preset{Name: name, Purpose: info.Purpose, Source: info.Source, Summary: report.Summary(), Attempts: report.Attempts, Policy: form}
	if one.Attempts > 0 {
		one.Total = client.Duration(report.Total.Nominal)
	}
	return one, nil
}

func presetRows(presets []preset) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "NAME", "ATTEMPTS", "WAITS", "SCHEDULE", "PURPOSE")
		for _, p := range presets {
			row(w, p.Name, limited(p.Attempts), waits(&p), p.Summary, p.Purpose)
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
