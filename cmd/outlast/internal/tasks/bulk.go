package tasks

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/taskview"
	"github.com/outlast-dev/outlast/task"
)

// steering is a command that does something to one task or to many.
type steering struct {
	action, short, done string // done: what would be done to each, such as "canceled"
	one                 func(ctx context.Context, api *client.Client, id task.ID) (*client.Task, error)
	// prepare completes what is asked of many, nil for nothing; it is called for one, too.
	prepare func(*client.Bulk) error

	cli.FilterFlags
	all, dryRun, wait bool
	reason            string
}

func steerTasks(c *cli.Env, s *steering) *cobra.Command {
	cmd := &cobra.Command{
		Use: s.action + " [ID…]", Short: s.short,
		Long: s.short + `: those with the ids, those that
match the filters, or all. Without ids, the command first shows how many match, and asks.

Without ids, or with more than 100, this is an operation that continues after this
command has ended. Follow it with "outlast operation get", control it with pause, resume
and cancel, and list its tasks with "outlast operation items". It covers the tasks that
match when it begins.

Exit code 3: it was not possible for some of the ids.`,
		Example: "  outlast task " + s.action + " --type mail.send --queue bulk --dry-run\n  outlast task " + s.action + " --search smtp --wait --reason 'the relay is gone'",
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			return steer(ctx, c, api, s, args)
		}),
	}
	s.Add(cmd.Flags(), false)
	flags := cmd.Flags()
	flags.BoolVar(&s.all, "all", false, "all tasks for which it is possible")
	flags.BoolVar(&s.dryRun, "dry-run", false, "show what would be done, and do nothing")
	flags.BoolVar(&s.wait, "wait", false, "wait until all tasks are processed")
	flags.StringVar(&s.reason, "reason", "", "reason, for the audit log")
	return cmd
}

func steer(ctx context.Context, c *cli.Env, api *client.Client, s *steering, args []string) error {
	request := client.Bulk{Action: s.action, DryRun: s.dryRun, Reason: s.reason}
	filter, filtered, err := s.Read(time.Now())
	if err != nil {
		return err
	}
	switch {
	case len(args) > 0 && (filtered || s.all), s.all && filtered:
		return cli.Usagef("give either ids, filters or --all")
	case len(args) == 0 && !filtered && !s.all:
		return cli.Usagef("name the tasks: ids, filters such as --type, or --all")
	}
	if request.IDs, err = cli.ParseIDs(args); err != nil {
		return err
	}
	if s.prepare != nil {
		if err := s.prepare(&request); err != nil {
			return err
		}
	}
	if len(args) == 1 && !s.dryRun && s.reason == "" {
		t, err := s.one(ctx, api, request.IDs[0])
		if err != nil {
			return err
		}
		return taskview.Show(c, t)
	}
	if len(args) == 0 {
		request.Filter = taskFilter(&filter)
		if done, err := previewBulk(ctx, c, api, request, s.done); err != nil || done {
			return err
		}
	}
	return bulk(ctx, c, api, request, s.wait)
}

func taskFilter(f *client.Filter) *client.TaskFilter {
	return &client.TaskFilter{
		State: f.State, Type: f.Type, Queue: f.Queue, Key: f.Key, Category: f.Category, Trace: f.Trace, Since: f.Since, Until: f.Until,
		Target: f.Target, AttemptMin: f.AttemptMin, Metadata: f.Metadata, Q: f.Q, FailedSince: f.FailedSince, FailedUntil: f.FailedUntil,
	}
}

// previewBulk says what would happen and asks whether to go on, with what was counted.
// Done means that there is no more to do.
func previewBulk(ctx context.Context, c *cli.Env, api *client.Client, request client.Bulk, verb string) (done bool, err error) {
	dryRun := request.DryRun
	request.DryRun = true
	would, err := api.Bulk(ctx, request)
	if err != nil {
		return false, err
	}
	least := ""
	if would.AtLeast {
		least = "at least "
	}
	c.Say("%s%d tasks match and would be %s", least, would.Matched, verb)
	for i := range would.Sample {
		s := &would.Sample[i]
		failure := ""
		if s.Category != "" {
			failure = cli.Short(s.Category+": "+s.Message, 60)
		}
		c.Say("  %s %s %s %s %s", s.ID, cli.Clean(s.Type), cli.Clean(s.Queue), cli.Clean(s.State), failure)
	}
	if more := would.Matched - len(would.Sample); more > 0 {
		c.Say("  and %s%d more", least, more)
	}
	if dryRun || would.Matched == 0 {
		return true, showBulked(c, would)
	}
	request.Filter.Until = would.Until // what comes meanwhile was not shown
	return false, c.Confirm("Continue?")
}

// bulk does it and, if asked, waits for the end of the operation.
func bulk(ctx context.Context, c *cli.Env, api *client.Client, request client.Bulk, wait bool) error {
	result, err := api.Bulk(ctx, request)
	if err != nil {
		return err
	}
	if wait && result.Operation != "" {
		if err := c.Follow(ctx, api, result.Operation); err != nil {
			return err
		}
	}
	if err := showBulked(c, result); err != nil {
		return err
	}
	return left(result.Results)
}

func showBulked(c *cli.Env, result *client.Bulked) error {
	return c.Show(result, func(w io.Writer) {
		cli.Field(w, "operation", cli.Clean(result.Operation))
		cli.Row(w, "matched", result.Matched)
		for _, r := range result.Results {
			cli.Row(w, r.ID, cli.Clean(r.Status), cli.Clean(r.State))
		}
	})
}

// left is an error if to some of the ids it could not be done.
func left(results []client.BulkResult) error {
	var first *client.BulkResult
	n := 0
	for i := range results {
		if r := &results[i]; r.Status != "changed" && r.Status != "asked" {
			n++
			if first == nil {
				first = r
			}
		}
	}
	if n == 0 {
		return nil
	}
	return cli.Partialf("not possible for %d of the tasks, such as %s: %s", n, first.ID, cli.Clean(first.Status))
}
