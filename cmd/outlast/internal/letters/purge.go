package letters

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

func newPurge(c *cli.Env) *cobra.Command {
	var s selection
	var dryRun bool
	cmd := &cobra.Command{
		Use: "purge [ID…]", Short: "Delete dead letters for good",
		Long:    "Delete dead letters for good: those with the ids, those that match the filters, or all.\nThe command first shows how many there are, and asks.",
		Example: "  outlast dead export --type old.job > letters.ndjson && outlast dead purge --type old.job",
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			filter, filtered, err := s.Read(time.Now())
			if err != nil {
				return err
			}
			if err := s.check(args, filtered); err != nil {
				return err
			}
			request := client.Purge{DryRun: true}
			if request.IDs, err = cli.ParseIDs(args); err != nil {
				return err
			}
			if len(args) == 0 {
				request.Filter = &filter.DeadFilter
			}
			return purge(ctx, c, api, request, filter, dryRun)
		}),
	}
	s.addTo(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be deleted, and delete nothing")
	return cmd
}

func purge(ctx context.Context, c *cli.Env, api *client.Client, request client.Purge, filter client.Filter, dryRun bool) error {
	result, err := api.Purge(ctx, request)
	if err != nil {
		return err
	}
	if request.Filter != nil {
		filter.DiedBefore = result.DiedBefore // what dies meanwhile was not shown
		request.Filter = &filter.DeadFilter
		err = preview(ctx, c, api, filter, result.Matched, "deleted for good")
	} else {
		c.Say("%d of %d ids are dead letters and would be deleted for good", result.Matched, len(request.IDs))
	}
	if err != nil {
		return err
	}
	if result.Matched > 0 && !dryRun {
		if err := c.Confirm("Delete them?"); err != nil {
			return err
		}
		request.DryRun = false
		if result, err = api.Purge(ctx, request); err != nil {
			return err
		}
	}
	if err := c.Show(result, func(w io.Writer) { cli.Row(w, "matched", result.Matched) }); err != nil {
		return err
	}
	switch asked := len(request.IDs); {
	case asked == 0 || result.Matched >= asked:
		return nil
	case result.Matched == 0:
		return &task.Error{Code: task.CodeNotFound, Message: "none of the ids is a dead letter"}
	default:
		return cli.Partialf("%d of %d ids are not dead letters", asked-result.Matched, asked)
	}
}
