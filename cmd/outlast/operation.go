package main

import (
	"cmp"
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newOperation(c *cli) *cobra.Command {
	return noun("operation", "Follow and steer long operations such as redrives and actions on many tasks",
		c.newOperationList(),
		c.newOperationItems(),
		c.oneOperation("get", "Show an operation and its progress", (*client.Client).Operation),
		c.oneOperation("pause", "Pause an operation", (*client.Client).PauseOperation),
		c.oneOperation("resume", "Resume a paused operation", (*client.Client).ResumeOperation),
		c.oneOperation("cancel", "Cancel an operation; what it has done stays done", (*client.Client).CancelOperation))
}

func operationRows(operations []client.Operation) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "ID", "KIND", "STATE", "DONE", "MATCHED", "SKIPPED", "FAILING", "CREATED", "FINISHED", "ABOUT")
		for _, o := range operations {
			row(w, clean(o.ID), clean(o.Kind), clean(o.State), o.Done, o.Matched, o.Skipped, watched(o.Failing), when(o.CreatedAt), when(o.FinishedAt),
				short(cmp.Or(o.Error, o.Waiting), 60))
		}
	}
}

// watched is a number, or a dash where nobody counted.
func watched(n *int) string {
	if n == nil {
		return "-"
	}
	return strconv.Itoa(*n)
}

func (c *cli) newOperationList() *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List operations, newest first", Args: cobra.NoArgs,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			operations, err := api.Operations(ctx)
			if err != nil {
				return err
			}
			return list(c, client.Operations{Operations: operations}, operations, operationRows(operations))
		}),
	}
}

func (c *cli) newOperationItems() *cobra.Command {
	var page pageFlags
	var status string
	cmd := &cobra.Command{
		Use: "items ID", Short: "Show what has become of each letter or task of an operation", Args: cobra.ExactArgs(1),
		Long: `Show what has become of each letter of a redrive, or of each task of a cancel,
retry or reschedule, in the order in which they go.

Tasks: changed: was canceled, or its next run was moved. asked: was running, and was
asked to end. left_running, left_ended, not_found: was left alone.

Letters: waiting: its turn has not come. skipped: it was no dead letter any more when its
turn came. pending, running, succeeded, dead, canceled: it was sent back, and is
that now. resent: another redrive has sent it back since. gone: what became of it
was deleted.`,
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			if page.limit < 1 {
				return usage("--limit must be at least 1")
			}
			all, err := readItems(ctx, api, args[0], page, status)
			if err != nil {
				return err
			}
			if all.NextCursor != "" {
				c.say("there is more: --cursor %s", clean(all.NextCursor))
			}
			return list(c, all, all.Items, itemRows(all.Items))
		}),
	}
	page.add(cmd)
	cmd.Flags().StringVar(&status, "status", "", "only letters or tasks of this status, such as dead")
	return cmd
}

// readItems reads pages of a report until it has as many items of the status, any
// if that is "", as are wanted.
func readItems(ctx context.Context, api *client.Client, id string, wanted pageFlags, status string) (*client.OperationItems, error) {
	all := &client.OperationItems{Items: []client.OperationItem{}, NextCursor: wanted.cursor}
	for {
		next, err := api.OperationItems(ctx, id, 500, all.NextCursor)
		if err != nil {
			return nil, err
		}
		all.NextCursor = next.NextCursor
		for _, item := range next.Items {
			switch {
			case status != "" && item.Status != status:
			case len(all.Items) == wanted.limit:
				all.NextCursor = strconv.Itoa(item.Place - 1)
				return all, nil
			default:
				all.Items = append(all.Items, item)
			}
		}
		if all.NextCursor == "" || len(all.Items) == wanted.limit {
			return all, nil
		}
	}
}

func itemRows(items []client.OperationItem) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "PLACE", "ID", "STATUS", "TYPE", "QUEUE", "ATTEMPT", "CHANGED", "ERROR")
		for i := range items {
			item := &items[i]
			failure := ""
			if item.Error != nil {
				failure = short(item.Error.Category+": "+item.Error.Message, 60)
			}
			row(w, item.Place, item.ID, clean(item.Status), clean(item.Type), clean(item.Queue), item.Attempt, when(item.At), failure)
		}
	}
}

func (c *cli) oneOperation(use, short string, do func(*client.Client, context.Context, string) (*client.Operation, error)) *cobra.Command {
	return &cobra.Command{
		Use: use + " ID", Short: short, Args: cobra.ExactArgs(1),
		RunE: c.call(func(ctx context.Context, api *client.Client, args []string) error {
			operation, err := do(api, ctx, args[0])
			if err != nil {
				return err
			}
			return c.show(operation, operationRows([]client.Operation{*operation}))
		}),
	}
}
