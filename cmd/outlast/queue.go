package main

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newQueue(c *cli) *cobra.Command {
	return noun("queue", "Create, look at and pause queues", newQueueList(c), newQueueGet(c), newQueueCreate(c), newQueuePause(c), newQueueResume(c), newQueueBlocked(c), newQueueReleaseKey(c))
}

func queueRows(queues []client.Queue) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "NAME", "PAUSED", "LANES", "PENDING", "PARKED", "RUNNING", "DEAD", "CONCURRENCY", "MAX PENDING", "POLICY", "UNKNOWN TYPE")
		for _, q := range queues {
			pending, parked, running, dead := "-", "-", "-", "-" // the answer to a change has no counts
			if q.Counts != nil {
				pending, parked, running, dead = upTo(q.Counts.Pending), upTo(q.Counts.Parked), upTo(q.Counts.Running), upTo(q.Counts.Dead)
			}
			row(w, clean(q.Name), q.Paused, q.Lanes, pending, parked, running, dead, q.Concurrency, q.MaxPending, clean(q.Policy), clean(q.UnknownType))
		}
	}
}

// mostCounted is where the server stops to count the tasks of a queue.
const mostCounted = 10_000

// upTo is a number that is counted no further than that.
func upTo(n int) string {
	if n >= mostCounted {
		return strconv.Itoa(n) + "+"
	}
	return strconv.Itoa(n)
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
			if queue.Counts == nil {
				queue.Counts = countsOf(ctx, api, queue.Name)
			}
			return c.show(queue, queueRows([]client.Queue{*queue}))
		}),
	}
}

// countsOf are the tasks of a queue that was changed, nil where they cannot be read:
// the change was made all the same.
func countsOf(ctx context.Context, api *client.Client, name string) *client.QueueCounts {
	queue, err := api.Queue(ctx, name)
	if err != nil {
		return nil
	}
	return queue.Counts
}
