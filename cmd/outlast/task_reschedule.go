package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

func newTaskReschedule(c *cli) *cobra.Command {
	var at string
	var delay time.Duration
	cmd := c.oneTask("reschedule", "Move the next attempt of a pending task", func(ctx context.Context, api *client.Client, id task.ID) (*client.Task, error) {
		to := client.Reschedule{}
		if at == "" {
			to.Delay = (*client.Duration)(&delay)
		} else {
			if err := to.RunAt.UnmarshalText([]byte(at)); err != nil {
				return nil, usage("--run-at: %s", err)
			}
		}
		return api.Reschedule(ctx, id, to)
	})
	cmd.Flags().StringVar(&at, "run-at", "", "time of the next attempt, RFC 3339")
	cmd.Flags().DurationVar(&delay, "delay", 0, "the same, counted from now")
	cmd.MarkFlagsMutuallyExclusive("run-at", "delay")
	cmd.MarkFlagsOneRequired("run-at", "delay")
	return cmd
}
