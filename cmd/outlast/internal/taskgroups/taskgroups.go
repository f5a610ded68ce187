// Package taskgroups is outlast task-group: groups of tasks with one callback.
package taskgroups

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

// Command makes outlast task-group and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("task-group", "Create, list and close groups of tasks with one callback",
		newCreate(c), newList(c),
		oneGroup(c, "get", "Show a group of tasks with its members by outcome", (*client.Client).TaskGroup),
		oneGroup(c, "close", "Close a group of tasks to new members", (*client.Client).CloseTaskGroup))
}

func newCreate(c *cli.Env) *cobra.Command {
	var draft client.TaskGroupDraft
	var to client.Target
	var id, payload string
	cmd := &cobra.Command{
		Use: "create", Short: "Create a group of tasks with one callback", Args: cobra.NoArgs,
		Long: `Create a group of tasks. Enqueue its members with outlast task enqueue --task-group ID,
then close the group. When all members have ended, with any outcome, the callback is
enqueued once. Without --payload, its payload is the counts of the group.`,
		Example: "  outlast task-group create --label 'invoices of March' --type invoices.report\n  outlast task-group create --url https://example.com/done",
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) (err error) {
			if draft.ID, err = cli.FlagID("id", id); err != nil {
				return err
			}
			if draft.Callback.Payload, err = c.ReadJSON("payload", payload); err != nil {
				return err
			}
			if to.URL != "" {
				draft.Callback.Target = &to
			}
			group, err := api.CreateTaskGroup(ctx, draft)
			if err != nil {
				return err
			}
			return c.Show(group, func(w io.Writer) { cli.Row(w, group.ID.String()) })
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&id, "id", "", "id of the group, so that a repeat creates no second group")
	flags.StringVar(&draft.Label, "label", "", "label, for people")
	flags.StringVar(&draft.Callback.Type, "type", "", "task type of the callback; default http with --url")
	flags.StringVar(&draft.Callback.Queue, "queue", "", "queue of the callback; the default is named default")
	flags.StringVar(&draft.Callback.Policy, "policy", "", "name of a retry policy for the callback")
	flags.StringVar(&payload, "payload", "", "JSON payload of the callback; @FILE reads a file, - standard input")
	flags.StringVar(&to.URL, "url", "", "URL that the callback calls")
	return cmd
}

func newList(c *cli.Env) *cobra.Command {
	var page cli.PageFlags
	var state string
	cmd := &cobra.Command{
		Use: "list", Short: "List groups of tasks, newest first", Args: cobra.NoArgs,
		Long: `List groups of tasks. An open group takes members, a closed group waits for its members
to end, and a group that is done has enqueued its callback.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			if err := cli.OnePage(page.Limit); err != nil {
				return err
			}
			groups, err := api.TaskGroups(ctx, task.GroupState(state), page.Limit, page.Cursor)
			if err != nil {
				return err
			}
			if groups.NextCursor != "" {
				c.Say("more rows follow: add --cursor %s", cli.Clean(groups.NextCursor))
			}
			return cli.List(c, groups, groups.TaskGroups, rows(groups.TaskGroups))
		}),
	}
	page.Add(cmd)
	cmd.Flags().StringVar(&state, "state", "", "only groups in this state: open, closed or done")
	return cmd
}

func rows(groups []client.TaskGroup) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "ID", "STATE", "MEMBERS", "SUCCEEDED", "DEAD", "CANCELED", "CREATED", "DONE", "LABEL")
		for i := range groups {
			g := &groups[i]
			cli.Row(w, g.ID.String(), cli.Clean(string(g.State)), g.Members, g.Succeeded, g.Dead, g.Canceled, cli.When(g.CreatedAt), cli.When(g.DoneAt), cli.Short(g.Label, 60))
		}
	}
}

// oneGroup is a command about one group, which it shows as it then stands.
func oneGroup(c *cli.Env, verb, short string, do func(*client.Client, context.Context, task.ID) (*client.TaskGroup, error)) *cobra.Command {
	return &cobra.Command{
		Use: verb + " ID", Short: short, Args: cobra.ExactArgs(1),
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			id, err := cli.ParseID(args[0])
			if err != nil {
				return err
			}
			group, err := do(api, ctx, id)
			if err != nil {
				return err
			}
			return c.Show(group, func(w io.Writer) { fields(w, group) })
		}),
	}
}

func fields(w io.Writer, g *client.TaskGroup) {
	cli.Field(w, "id", g.ID.String())
	cli.Field(w, "label", cli.Short(g.Label, 400))
	cli.Field(w, "state", cli.Clean(string(g.State)))
	cli.Row(w, "members", g.Members)
	cli.Row(w, "succeeded", g.Succeeded)
	cli.Row(w, "dead", g.Dead)
	cli.Row(w, "canceled", g.Canceled)
	cli.Field(w, "callback", cli.Clean(g.Callback.Type+" in "+g.Callback.Queue))
	if !g.CallbackTask.IsZero() {
		cli.Field(w, "its task", g.CallbackTask.String())
	}
	cli.Field(w, "created", cli.When(g.CreatedAt))
	cli.Field(w, "closed", cli.When(g.ClosedAt))
	cli.Field(w, "done", cli.When(g.DoneAt))
}
