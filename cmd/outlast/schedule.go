package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/task"
)

func newSchedule(c *cli) *cobra.Command {
	return noun("schedule", "Make, look at, pause and trigger schedules", newScheduleList(c), newScheduleGet(c), newScheduleApply(c), newScheduleNext(c),
		newScheduleTrigger(c), newSchedulePause(c), newScheduleResume(c), newScheduleDelete(c))
}

func scheduleRows(schedules []client.Schedule) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "NAME", "WHEN", "TYPE", "PAUSED", "NEXT", "LAST", "FIRED", "MISSED", "SKIPPED", "WAITING", "MANAGED")
		for i := range schedules {
			s := &schedules[i]
			row(w, clean(s.Name), clean(whenOf(&s.ScheduleRule)), clean(typeOf(&s.Task)), s.Paused, when(s.Next), when(s.Last), s.Fired, s.Missed, s.Skipped,
				s.Waiting, clean(s.Managed))
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
		return "every " + span(r.Every)
	case !r.At.IsZero():
		return "at " + when(r.At)
	case r.Zone != "":
		return r.Cron + " " + r.Zone
	}
	return r.Cron
}

func (c *cli) showSchedule(s *client.Schedule) error {
	return c.show(s, scheduleRows([]client.Schedule{*s}))
}

// oneSchedule makes a command that takes the name of a schedule and shows it.
func (c *cli) oneSchedule(use, short string, do func(ctx context.Context, api *client.Client, name string) (*client.Schedule, error)) *cobra.Command {
	return &cobra.Command{
		Use: use + " NAME", Short: short, Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			schedule, err := do(ctx, api, args[0])
			if err != nil {
				return err
			}
			return c.showSchedule(schedule)
		}),
	}
}

func newScheduleList(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List schedules by name", Args: cobra.NoArgs,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			schedules, err := api.Schedules(ctx)
			if err != nil {
				return err
			}
			return list(c, client.Schedules{Schedules: schedules}, schedules, scheduleRows(schedules))
		}),
	}
}

func newScheduleGet(c *cli) *cobra.Command {
	return c.oneSchedule("get", "Show a schedule", func(ctx context.Context, api *client.Client, name string) (*client.Schedule, error) {
		return api.Schedule(ctx, name)
	})
}

func newSchedulePause(c *cli) *cobra.Command {
	return c.oneSchedule("pause", "Pause a schedule", func(ctx context.Context, api *client.Client, name string) (*client.Schedule, error) {
		return api.PauseSchedule(ctx, name, true)
	})
}

func newScheduleResume(c *cli) *cobra.Command {
	return c.oneSchedule("resume", "Resume a schedule; the ticks of its pause are left out", func(ctx context.Context, api *client.Client, name string) (*client.Schedule, error) {
		return api.PauseSchedule(ctx, name, false)
	})
}

func newScheduleNext(c *cli) *cobra.Command {
	n := 0
	cmd := &cobra.Command{
		Use: "next NAME", Short: "Show the next ticks of a schedule", Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			ticks, err := api.NextTicks(ctx, args[0], n)
			if err != nil {
				return err
			}
			return list(c, client.Ticks{Next: ticks}, ticks, func(w io.Writer) {
				for _, tick := range ticks {
					row(w, when(tick))
				}
			})
		}),
	}
	cmd.Flags().IntVarP(&n, "number", "n", 5, "how many, 1 to 100")
	return cmd
}

func newScheduleTrigger(c *cli) *cobra.Command {
	id := ""
	cmd := &cobra.Command{
		Use: "trigger NAME", Short: "Enqueue the task of a schedule now, also while it is paused", Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			var of task.ID
			if id != "" {
				var err error
				if of, err = parseID(id); err != nil {
					return err
				}
			}
			t, err := api.TriggerSchedule(ctx, args[0], of)
			if err != nil {
				return err
			}
			return c.showTask(t)
		}),
	}
	cmd.Flags().StringVar(&id, "id", "", "UUID of version 7 for the task, so that a repeat finds the first one")
	return cmd
}

func newScheduleDelete(c *cli) *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME", Short: "Delete a schedule; tasks that it has enqueued stay", Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			if _, err := api.Schedule(ctx, args[0]); err != nil {
				return err
			}
			if err := c.ask(fmt.Sprintf("Delete the schedule %s?", clean(args[0]))); err != nil {
				return err
			}
			gone, err := api.DeleteSchedule(ctx, args[0])
			if err != nil {
				return err
			}
			return c.showSchedule(gone)
		}),
	}
}
