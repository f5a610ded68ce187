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
		Long: `Follow tasks live: every start, failure and end: a line for each change, at most
400 a second, and on standard error how many there was no room for.

Told is what happens on the node that answers; of one task, also what happens on
others. It ends with Ctrl-C, or after --for.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			filter.State = task.State(state)
			if id != "" {
				var err error
				if filter.Task, err = cli.ParseID(id); err != nil {
					return err
				}
			}
			return tail(ctx, c, api, filter)
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&filter.Queue, "queue", "", "of this queue only")
	flags.StringVar(&filter.Type, "type", "", "of this type only")
	flags.StringVar(&filter.Target, "target", "", "of tasks that call this target only")
	flags.StringVar(&state, "state", "", "into this state only: pending, running, succeeded, dead or canceled")
	flags.StringVar(&id, "task", "", "of the task with this id only")
	flags.DurationVar(&filter.For, "for", 0, "end after so long, such as 30s")
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
				c.Say("of the node %s only: others run tasks too", cli.Clean(event.Hello.Node))
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
