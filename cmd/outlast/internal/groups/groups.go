// Package groups is outlast group: worker groups and their members.
package groups

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
	"github.com/outlast-dev/outlast/task"
)

// Command makes outlast group and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("group", "List worker groups and their members", newList(c), newMembers(c))
}

func newList(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List worker groups", Args: cobra.NoArgs,
		Long: `List worker groups as this server sees them.

STATE is ready if the group takes tasks, silent if no member is alive, and held if no
member took the last task. LIVING counts members with a recent heartbeat. FAILURES
counts consecutive dispatches that no member took. They are not attempts, and nothing is
sent to the group before NEXT TRY.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			groups, err := api.Groups(ctx)
			if err != nil {
				return err
			}
			return cli.List(c, client.Groups{Groups: groups}, groups, groupRows(groups))
		}),
	}
}

func groupRows(groups []client.Group) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "NAME", "STATE", "LIVING", "CAPACITY", "IN FLIGHT", "FAILURES", "KIND", "NEXT TRY", "LAST ERROR")
		for i := range groups {
			g := &groups[i]
			living, capacity, flying := 0, 0, 0
			for j := range g.Members {
				flying += g.Members[j].InFlight
				if g.Members[j].Living {
					living++
					capacity += g.Members[j].Capacity
				}
			}
			cli.Row(w, cli.Clean(g.Name), cli.Clean(g.State), fmt.Sprintf("%d/%d", living, len(g.Members)), capacity, flying, g.Failures, cli.Clean(g.Kind), cli.When(g.NextAt), cli.Short(g.LastError, 80))
		}
	}
}

func newMembers(c *cli.Env) *cobra.Command {
	return &cobra.Command{
		Use: "members NAME", Short: "List the members of a worker group", Args: cobra.ExactArgs(1),
		Long: `List the members of a worker group as this server sees them. LOAD is the number of
tasks that a member reports, IN FLIGHT the number that this server has sent it.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, args []string) error {
			groups, err := api.Groups(ctx)
			if err != nil {
				return err
			}
			for i := range groups {
				if groups[i].Name == args[0] {
					return cli.List(c, groups[i], groups[i].Members, memberRows(groups[i].Members))
				}
			}
			return &task.Error{Code: task.CodeNotFound, Message: "there is no worker group " + task.Quote(args[0]), Hint: "see outlast group list"}
		}),
	}
}

func memberRows(members []client.GroupMember) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "ID", "LIVING", "URL", "CAPACITY", "LOAD", "IN FLIGHT", "TTL", "SEEN")
		for i := range members {
			m := &members[i]
			cli.Row(w, cli.Clean(m.ID), m.Living, cli.Clean(m.URL), m.Capacity, m.Load, m.InFlight, cli.Span(m.TTL), cli.When(m.SeenAt))
		}
	}
}
