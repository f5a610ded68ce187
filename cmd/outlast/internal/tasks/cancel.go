package tasks

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

func newCancel(c *cli.Env) *cobra.Command {
	var how client.Cancellation
	s := &steering{
		action: "cancel", short: "Cancel pending tasks, or ask running ones to stop", done: "canceled",
		one: func(ctx context.Context, api *client.Client, id task.ID) (*client.Task, error) {
			return api.Cancel(ctx, id, how)
		},
	}
	s.prepare = func(bulk *client.Bulk) error {
		if how.Compensate && (len(bulk.IDs) != 1 || bulk.DryRun || bulk.Reason != "") {
			return cli.Usagef("--compensate takes one id, and neither --dry-run nor --reason; several tasks can only be canceled without compensation")
		}
		return nil
	}
	cmd := steerTasks(c, s)
	cmd.Long += "\n\nThe effects of completed steps stay, unless you give --compensate with one id: then the\nsteps are undone, the last one first, once the task is canceled. This also works for a\ntask that is canceled already."
	cmd.Flags().BoolVar(&how.Compensate, "compensate", false, "for one task: also undo its completed steps")
	return cmd
}
