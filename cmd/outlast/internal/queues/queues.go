// Package queues is outlast queue: create, look at and pause queues.
package queues

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// Command makes outlast queue and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("queue", "Create, list and pause queues", newList(c), newGet(c), newCreate(c), newPause(c), newResume(c), newShares(c), newBlocked(c), newReleaseKey(c))
}

func queueRows(queues []client.Queue) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "NAME", "PAUSED", "LANES", "PENDING", "PARKED", "RUNNING", "DEAD", "OLDEST DUE", "DELAY P99", "CONCURRENCY", "MAX PENDING", "POLICY", "UNKNOWN TYPE")
		for _, q := range queues {
			pending, parked, running, dead := "-", "-", "-", "-" // the answer to a change has no counts
			if q.Counts != nil {
				pending, parked, running, dead = cli.UpTo(q.Counts.Pending), cli.UpTo(q.Counts.Parked), cli.UpTo(q.Counts.Running), cli.UpTo(q.Counts.Dead)
			}
			cli.Row(w, cli.Clean(q.Name), q.Paused, q.Lanes, pending, parked, running, dead, oldestDue(&q), delay(&q), q.Concurrency, q.MaxPending, cli.Clean(q.Policy), cli.Clean(q.UnknownType))
		}
	}
}

// oldestDue is how long the oldest task of a queue has been due.
func oldestDue(q *client.Queue) string {
	if q.OldestDue == 0 {
		return "-"
	}
	return time.Duration(q.OldestDue).Round(time.Millisecond).String()
}

// delay is how much later than due attempts of a queue started lately, but for one in a hundred.
func delay(q *client.Queue) string {
	if q.Recent == nil || q.Recent.Wait == nil {
		return "-"
	}
	return q.Recent.Wait.P99.String()
}

// oneQueue makes a command that takes the name of a queue and shows it.
func oneQueue(c *cli.Env, use, short string, do func(ctx context.Context, api *client.Client, name string) (*client.Queue, error)) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME", Short: short, Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			queue, err := do(ctx, api, args[0])
			if err != nil {
				return err
			}
			if queue.Counts == nil {
				queue.Counts = countsOf(ctx, api, queue.Name)
			}
			return c.Show(queue, queueRows([]client.Queue{*queue}))
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
