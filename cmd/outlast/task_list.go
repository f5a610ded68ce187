package main

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

// pageFlags steer how much of a list is read.
type pageFlags struct {
	limit  int
	cursor string
}

func (p *pageFlags) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&p.limit, "limit", 50, "how many at most")
	cmd.Flags().StringVar(&p.cursor, "cursor", "", "go on where an earlier list ended")
}

// onePage refuses a limit that no page of the API has.
func onePage(limit int) error {
	if limit < 1 || limit > 500 {
		return usage("--limit is 1 to 500")
	}
	return nil
}

// tasks reads pages until the limit, and says how to go on.
func (c *cli) tasks(ctx context.Context, p pageFlags, rows func([]client.Task) func(io.Writer), page func(ctx context.Context, limit int, cursor string) (*client.Tasks, error)) error {
	if p.limit < 1 {
		return usage("--limit must be at least 1")
	}
	all := client.Tasks{Tasks: []client.Task{}, NextCursor: p.cursor}
	for len(all.Tasks) < p.limit {
		next, err := page(ctx, min(500, p.limit-len(all.Tasks)), all.NextCursor)
		if err != nil {
			return err
		}
		all.Tasks = append(all.Tasks, next.Tasks...)
		if all.NextCursor = next.NextCursor; all.NextCursor == "" {
			break
		}
	}
	if all.NextCursor != "" {
		c.say("there is more: --cursor %s", clean(all.NextCursor))
	}
	return list(c, &all, all.Tasks, rows(all.Tasks))
}

// failuresShown is how many failures are listed where nobody says how many.
const failuresShown = 1000

func newTaskList(c *cli) *cobra.Command {
	var filter filterFlags
	var page pageFlags
	var waiting string
	cmd := &cobra.Command{
		Use: "list", Short: "Find tasks, newest first", Args: cobra.NoArgs,
		Example: `  outlast task list --state failed              # what failed in the last hour and has not succeeded since
  outlast task list --failed-since 24h --type crm.sync`,
	}
	cmd.RunE = c.call(func(ctx context.Context, api *client.Client, _ []string) error {
		chosen, _, err := filter.read(time.Now())
		if err != nil {
			return err
		}
		chosen.Waiting = waiting
		rows := taskRows
		if chosen.State == "failed" || !chosen.FailedSince.IsZero() || !chosen.FailedUntil.IsZero() {
			rows = failureRows
		}
		if chosen.State == "failed" && !cmd.Flags().Changed("limit") {
			page.limit = failuresShown
		}
		return c.tasks(ctx, page, rows, func(ctx context.Context, limit int, cursor string) (*client.Tasks, error) {
			return api.Tasks(ctx, chosen, limit, cursor)
		})
	})
	filter.add(cmd.Flags(), false)
	cmd.Flags().StringVar(&waiting, "waiting", "", "pending tasks that wait for this reason, such as 'key blocked'")
	page.add(cmd)
	return cmd
}
