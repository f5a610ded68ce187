package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

// Act makes the run function of a command.
func (c *Env) Act(do func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		if c.Output != "table" && c.Output != "json" && c.Output != "jsonl" {
			return Usagef("--output must be table, json or jsonl, not %s", task.Quote(c.Output))
		}
		c.acted = true
		return do(cmd.Context(), args)
	}
}

// Call makes the run function of a command that calls the server.
func (c *Env) Call(do func(ctx context.Context, api *client.Client, args []string) error) func(*cobra.Command, []string) error {
	return c.Act(func(ctx context.Context, args []string) error {
		api, err := c.Connect()
		if err != nil {
			return err
		}
		defer api.Close()
		return do(ctx, api, args)
	})
}
