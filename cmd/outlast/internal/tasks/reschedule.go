package tasks

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

func newReschedule(c *cli.Env) *cobra.Command {
	var at string
	var delay time.Duration
	var to client.Reschedule
	var cmd *cobra.Command
	cmd = steerTasks(c, &steering{
		action: "reschedule", short: "Move the next attempt of pending tasks", done: "rescheduled",
		one: func(ctx context.Context, api *client.Client, id task.ID) (*client.Task, error) {
			return api.Reschedule(ctx, id, to)
		},
		prepare: func(request *client.Bulk) error {
			if flags := cmd.Flags(); flags.Changed("run-at") == flags.Changed("delay") {
				return cli.Usagef("give either --run-at or --delay")
			}
			if at == "" {
				to.Delay = (*client.Duration)(&delay)
			} else if err := to.RunAt.UnmarshalText([]byte(at)); err != nil {
				return cli.Usagef("--run-at: %s", err)
			}
			request.RunAt, request.Delay = to.RunAt, to.Delay
			return nil
		},
	})
	cmd.Flags().StringVar(&at, "run-at", "", "time of the next attempt, RFC 3339")
	cmd.Flags().DurationVar(&delay, "delay", 0, "wait from now until the next attempt")
	return cmd
}
