package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newOperation(c *cli) *cobra.Command {
	return noun("operation", "Follow and steer long operations such as redrives",
		c.newOperationList(),
		c.oneOperation("get", "Show an operation and its progress", (*client.Client).Operation),
		c.oneOperation("pause", "Pause an operation", (*client.Client).PauseOperation),
		c.oneOperation("resume", "Resume a paused operation", (*client.Client).ResumeOperation),
		c.oneOperation("cancel", "Cancel an operation; what it has done stays done", (*client.Client).CancelOperation))
}

func operationRows(operations []client.Operation) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "ID", "KIND", "STATE", "DONE", "MATCHED", "CREATED", "FINISHED", "ERROR")
		for _, o := range operations {
			row(w, clean(o.ID), clean(o.Kind), clean(o.State), o.Done, o.Matched, when(o.CreatedAt), when(o.FinishedAt), short(o.Error, 60))
		}
	}
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
