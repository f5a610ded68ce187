// Package operations is outlast operation: follow and steer long operations.
package operations

import (
	"cmp"
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// Command makes outlast operation and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("operation", "Follow, pause and cancel long operations, such as redrives",
		newList(c),
		newItems(c),
		oneOperation(c, "get", "Show an operation and its progress", (*client.Client).Operation),
		oneOperation(c, "pause", "Pause an operation", (*client.Client).PauseOperation),
		oneOperation(c, "resume", "Resume a paused operation", (*client.Client).ResumeOperation),
		oneOperation(c, "cancel", "Cancel an operation, without undoing what is done", (*client.Client).CancelOperation))
}

func operationRows(operations []client.Operation) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "ID", "KIND", "STATE", "DONE", "MATCHED", "SKIPPED", "FAILING", "CREATED", "FINISHED", "ABOUT")
		for _, o := range operations {
			cli.Row(w, cli.Clean(o.ID), cli.Clean(o.Kind), cli.Clean(o.State), o.Done, o.Matched, o.Skipped, watched(o.Failing), cli.When(o.CreatedAt), cli.When(o.FinishedAt),
				cli.Short(cmp.Or(o.Error, o.Waiting), 60))
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

func newList(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List operations, newest first", Args: cobra.NoArgs,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			operations, err := api.Operations(ctx)
			if err != nil {
				return err
			}
			return cli.List(c, client.Operations{Operations: operations}, operations, operationRows(operations))
		}),
	}
}

func newItems(c *cli.Env) *cobra.Command {
	var page cli.PageFlags
	var status string
	cmd := &cobra.Command{
		Use: "items ID", Short: "List the letters or tasks of an operation, with the outcome of each", Args: cobra.ExactArgs(1),
		Long: `List the letters of a redrive, or the tasks of a cancel, retry or reschedule, in the
order in which they are processed, with the outcome of each.

Status of tasks:
  changed      canceled, or the next run was moved
  asked        was running and was asked to stop
  left_running, left_ended, not_found
               not changed

Status of letters:
  waiting      not processed yet
  skipped      no longer a dead letter when its turn came
  pending, running, succeeded, dead, canceled
               redriven; this is the state of the task now
  resent       redriven again by somebody else since
  gone         redriven, and the task was deleted since`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			if page.Limit < 1 {
				return cli.Usagef("--limit must be at least 1")
			}
			all, err := readItems(ctx, api, args[0], page, status)
			if err != nil {
				return err
			}
			if all.NextCursor != "" {
				c.Say("more rows follow: add --cursor %s", cli.Clean(all.NextCursor))
			}
			return cli.List(c, all, all.Items, itemRows(all.Items))
		}),
	}
	page.Add(cmd)
	cmd.Flags().StringVar(&status, "status", "", "only letters or tasks with this status, such as dead")
	return cmd
}

// readItems reads pages of a report until it has as many items of the status, any
// if that is "", as are wanted.
func readItems(ctx context.Context, api *client.Client, id string, wanted cli.PageFlags, status string) (*client.OperationItems, error) {
	all := &client.OperationItems{Items: []client.OperationItem{}, NextCursor: wanted.Cursor}
	for {
		next, err := api.OperationItems(ctx, id, 500, all.NextCursor)
		if err != nil {
			return nil, err
		}
		all.NextCursor = next.NextCursor
		for _, item := range next.Items {
			switch {
			case status != "" && item.Status != status:
			case len(all.Items) == wanted.Limit:
				all.NextCursor = strconv.Itoa(item.Place - 1)
				return all, nil
			default:
				all.Items = append(all.Items, item)
			}
		}
		if all.NextCursor == "" || len(all.Items) == wanted.Limit {
			return all, nil
		}
	}
}

func itemRows(items []client.OperationItem) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "PLACE", "ID", "STATUS", "TYPE", "QUEUE", "ATTEMPT", "CHANGED", "ERROR")
		for i := range items {
			item := &items[i]
			failure := ""
			if item.Error != nil {
				failure = cli.Short(item.Error.Category+": "+item.Error.Message, 60)
			}
			cli.Row(w, item.Place, item.ID, cli.Clean(item.Status), cli.Clean(item.Type), cli.Clean(item.Queue), item.Attempt, cli.When(item.At), failure)
		}
	}
}

func oneOperation(c *cli.Env, use, short string, do func(*client.Client, context.Context, string) (*client.Operation, error)) *cobra.Command {
	return &cobra.Command{
		Use: use + " ID", Short: short, Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			operation, err := do(api, ctx, args[0])
			if err != nil {
				return err
			}
			return c.Show(operation, operationRows([]client.Operation{*operation}))
		}),
	}
}
