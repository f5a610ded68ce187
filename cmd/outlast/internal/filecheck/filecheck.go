// Package filecheck shows what was found in a file: by config check, and by policy check.
package filecheck

import (
	"errors"

	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/internal/config"
	"github.com/outlast-dev/outlast/plan"
	"github.com/outlast-dev/outlast/retry"
)

// Result is what config check and policy check say.
type Result struct {
	File     string           `json:"file"`
	Good     bool             `json:"good"` // it has no problems
	Problems []config.Problem `json:"problems"`
	Warnings []config.Problem `json:"warnings"` // what is probably not meant
}

// Show shows what was found; a file with problems is an error.
func Show(c *cli.Env, found Result, err error) error {
	var refused *config.Error
	if err != nil && !errors.As(err, &refused) {
		return err
	}
	if found.Good = err == nil; !found.Good {
		found.Problems = refused.Problems
	}
	if c.Output != "table" {
		if err := c.WriteJSON(found); err != nil {
			return err
		}
	}
	if !found.Good {
		return err
	}
	if c.Output == "table" {
		for _, w := range found.Warnings {
			c.Say("warning: %s", cli.Clean(w.In(found.File)))
		}
		c.Say("%s is valid", cli.Clean(found.File))
	}
	return nil
}

// Warnings is what the planner says about a policy.
func Warnings(path string, policy *retry.Policy) []config.Problem {
	report, err := plan.Of(policy, plan.Env{Rows: 1})
	if err != nil {
		return nil // it was planned for nothing in particular; there is no such error
	}
	var all []config.Problem
	for _, w := range report.Warnings {
		at := path
		if w.Field != "" {
			at += "." + w.Field
		}
		all = append(all, config.Problem{Path: at, Message: w.Message + " [" + w.Code + "]"})
	}
	return all
}
