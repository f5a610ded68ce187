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
			return cli.Usagef("--compensate is for one id, without --dry-run and --reason: many tasks are canceled without compensation")
		}
		return nil
	}
	cmd := steerTasks(c, s)
	cmd.Long += "\n\nWhat the steps of a task have done stays done, unless --compensate is given with one id:\nthen it is undone, the last step first, once the task is canceled. That is also for a\ntask that is canceled already."
	cmd.Flags().BoolVar(&how.Compensate, "compensate", false, "of one task: also undo what its steps have done")
	return cmd
}
