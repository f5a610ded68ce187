package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newQueue(c *cli) *cobra.Command {
	return noun("queue", "Create, look at and pause queues", newQueueList(c), newQueueGet(c), newQueueCreate(c), newQueuePause(c), newQueueResume(c), newQueueReleaseKey(c))
}

func queueRows(queues []client.Queue) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "NAME", "PAUSED", "LANES", "PENDING", "RUNNING", "DEAD", "CONCURRENCY", "MAX PENDING", "POLICY", "UNKNOWN TYPE")
		for _, q := range queues {
			counts := client.QueueCounts{}
			if q.Counts != nil {
				counts = *q.Counts
			}
			row(w, clean(q.Name), q.Paused, q.Lanes, counts.Pending, counts.Running, counts.Dead, q.Concurrency, q.MaxPending, clean(q.Policy), clean(q.UnknownType))
		}
	}
}

// oneQueue makes a command that takes the name of a queue and shows it.
func (c *cli) oneQueue(use, short string, do func(ctx context.Context, api *client.Client, name string) (*client.Queue, error)) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME", Short: short, Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			queue, err := do(ctx, api, args[0])
			if err != nil {
				return err
			}
			return c.show(queue, queueRows([]client.Queue{*queue}))
		}),
	}
}
