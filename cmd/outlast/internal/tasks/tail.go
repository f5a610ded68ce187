package tasks

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

func newTail(c *cli.Env) *cobra.Command {
	var filter client.EventFilter
	var state, id string
	cmd := &cobra.Command{
		Use: "tail", Short: "Follow tasks live: every start, failure and end", Args: cobra.NoArgs,
		Long: `Follow tasks live: one line for every start, failure and end, at most 400 per second. If
more happens, standard error shows how many lines were left out.

Only changes on the node that answers are shown; with --task, changes on all nodes. Stop
with Ctrl-C or --for.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			filter.State = task.State(state)
			var err error
			if filter.Task, err = cli.FlagID("task", id); err != nil {
				return err
			}
			return tail(ctx, c, api, filter)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&filter.Queue, "queue", "", "only tasks of this queue")
	flags.StringVar(&filter.Type, "type", "", "only tasks of this type")
	flags.StringVar(&filter.Target, "target", "", "only tasks that call this target")
	flags.StringVar(&state, "state", "", "only changes to this state: pending, running, succeeded, dead or canceled")
	flags.StringVar(&id, "task", "", "only the task with this id")
	flags.DurationVar(&filter.For, "for", 0, "stop after this time, such as 30s")
	return cmd
}

// tail writes changes until ctx ends. A server that was never reached is an error; one
// that goes away is waited for.
func tail(ctx context.Context, c *cli.Env, api *client.Client, filter client.EventFilter) error {
	reached, last := false, error(nil)
	for event, err := range api.Events(ctx, filter) {
		if last = err; err != nil {
			if !reached {
				return err
			}
			c.Say("%s", cli.Clean(err.Error()))
			continue
		}
		switch {
		case event.Hello != nil:
			if reached = true; event.Hello.Nodes == "this" && filter.Task.IsZero() {
				c.Say("only node %s is shown; other nodes run tasks too", cli.Clean(event.Hello.Node))
			}
		case event.Resync != nil:
			c.Say("some changes were missed")
		case event.Tasks != nil:
			if err := changes(c, event.Tasks); err != nil {
				return err
			}
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return last
}

// changes writes those of one message.
func changes(c *cli.Env, tasks *client.EventTasks) error {
	if tasks.LeftOut > 0 {
		c.Say("%d more changes", tasks.LeftOut)
	}
	for i := range tasks.Tasks {
		change := &tasks.Tasks[i]
		if c.Output != "table" {
			if err := c.WriteJSON(change); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprintln(c.Out, changeLine(change)); err != nil {
			return err
		}
	}
	return nil
}

// changeLine is a change in columns that fit what is usual: lines are written as they
// come, so that none can wait for the widest.
func changeLine(change *client.EventTask) string {
	line := fmt.Sprintf("%s  %-9s  %s  %-20s  %-12s  %d", cli.When(change.At), cli.Clean(change.What), change.ID, cli.Clean(change.Type), cli.Clean(change.Queue), change.Attempt)
	for _, more := range []string{change.Category, change.Code, change.Reason} {
		if more != "" {
			line += "  " + cli.Clean(more)
		}
	}
	if !change.NextAt.IsZero() && change.NextAt.After(change.At.Add(time.Second)) {
		line += "  next " + cli.When(change.NextAt)
	}
	return line
}
