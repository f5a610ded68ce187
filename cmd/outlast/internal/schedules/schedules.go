// Package schedules is outlast schedule: make, look at, pause and trigger schedules.
package schedules

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/taskview"
	"github.com/outlast-dev/outlast/task"
)

// Command makes outlast schedule and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("schedule", "Create, list, pause and trigger schedules", newList(c), newGet(c), newApply(c), newNext(c),
		newTrigger(c), newPause(c), newResume(c), newDelete(c))
}

func scheduleRows(schedules []client.Schedule) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "NAME", "WHEN", "TYPE", "PAUSED", "NEXT", "LAST", "FIRED", "MISSED", "SKIPPED", "WAITING", "MANAGED")
		for i := range schedules {
			s := &schedules[i]
			cli.Row(w, cli.Clean(s.Name), cli.Clean(whenOf(&s.ScheduleRule)), cli.Clean(typeOf(&s.Task)), s.Paused, cli.When(s.Next), cli.When(s.Last), s.Fired, s.Missed, s.Skipped,
				s.Waiting, cli.Clean(s.Managed))
		}
	}
}

// typeOf is the type that the tasks of a schedule have.
func typeOf(d *client.ScheduledTask) string {
	if d.Type == "" && d.Target != nil {
		return task.HTTPType
	}
	return d.Type
}

// whenOf says when a schedule fires, as it was written.
func whenOf(r *client.ScheduleRule) string {
	switch {
	case r.Every != 0:
		return "every " + cli.Span(r.Every)
	case !r.At.IsZero():
		return "at " + cli.When(r.At)
	case r.Zone != "":
		return r.Cron + " " + r.Zone
	}
	return r.Cron
}

func showSchedule(c *cli.Env, s *client.Schedule) error {
	return c.Show(s, scheduleRows([]client.Schedule{*s}))
}

// oneSchedule makes a command that takes the name of a schedule and shows it.
func oneSchedule(c *cli.Env, use, short string, do func(ctx context.Context, api *client.Client, name string) (*client.Schedule, error)) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME", Short: short, Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			schedule, err := do(ctx, api, args[0])
			if err != nil {
				return err
			}
			return showSchedule(c, schedule)
		}),
	}
}

func newList(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List schedules by name", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			schedules, err := api.Schedules(ctx)
			if err != nil {
				return err
			}
			return cli.List(c, client.Schedules{Schedules: schedules}, schedules, scheduleRows(schedules))
		}),
	}
}

func newGet(c *cli.Env) *cobra.Command {
	return oneSchedule(c, "get", "Show a schedule", func(ctx context.Context, api *client.Client, name string) (*client.Schedule, error) {
		return api.Schedule(ctx, name)
	})
}

func newPause(c *cli.Env) *cobra.Command {
	return oneSchedule(c, "pause", "Pause a schedule", func(ctx context.Context, api *client.Client, name string) (*client.Schedule, error) {
		return api.PauseSchedule(ctx, name, true)
	})
}

func newResume(c *cli.Env) *cobra.Command {
	return oneSchedule(c, "resume", "Resume a schedule; ticks during the pause are skipped", func(ctx context.Context, api *client.Client, name string) (*client.Schedule, error) {
		return api.PauseSchedule(ctx, name, false)
	})
}

func newNext(c *cli.Env) *cobra.Command {
	n := 0
	cmd := &cobra.Command{
		Use: "next NAME", Short: "Show the next ticks of a schedule", Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			ticks, err := api.NextTicks(ctx, args[0], n)
			if err != nil {
				return err
			}
			return cli.List(c, client.Ticks{Next: ticks}, ticks, func(w io.Writer) {
				for _, tick := range ticks {
					cli.Row(w, cli.When(tick))
				}
			})
		}),
	}
	cmd.Flags().IntVarP(&n, "number", "n", 5, "number of ticks, 1 to 100")
	return cmd
}

func newTrigger(c *cli.Env) *cobra.Command {
	id := ""
	cmd := &cobra.Command{
		Use: "trigger NAME", Short: "Enqueue the task of a schedule now, also while it is paused", Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			of, err := cli.FlagID("id", id)
			if err != nil {
				return err
			}
			t, err := api.TriggerSchedule(ctx, args[0], of)
			if err != nil {
				return err
			}
			return taskview.Show(c, t)
		}),
	}
	cmd.Flags().StringVar(&id, "id", "", "id of the task, a UUID of version 7, so that a repeat creates no second task")
	return cmd
}

func newDelete(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME", Short: "Delete a schedule but keep the tasks that it has enqueued", Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			if _, err := api.Schedule(ctx, args[0]); err != nil {
				return err
			}
			if err := c.Ask(fmt.Sprintf("Delete the schedule %s?", cli.Clean(args[0]))); err != nil {
				return err
			}
			gone, err := api.DeleteSchedule(ctx, args[0])
			if err != nil {
				return err
			}
			return showSchedule(c, gone)
		}),
	}
}
