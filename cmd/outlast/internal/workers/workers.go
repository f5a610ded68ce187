// Package workers is outlast worker: remote workers, and what nobody can run.
package workers

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// Command makes outlast worker and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("worker", "List remote workers, and the tasks that nobody can run", newList(c))
}

func newList(c *cli.Env) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List remote workers by name", Args: cobra.NoArgs,
		Long: `List the remote workers of all servers: programs that ask a server for tasks. Listed
are those that polled or extended a lease within the last minute, and those that have
leases. What other servers know is up to ten seconds old.

LAST POLL is "now" while the worker waits for tasks. IN HAND counts the tasks leased to
it, and LEASE UNTIL is the earliest end of a lease: when the worker neither reports nor
extends, the task runs elsewhere from then on. * among the TYPES is every type but HTTP
requests. JSON output lists the leases.

Below the table stand due tasks that no server or worker can run.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			if err := cli.OnePage(limit); err != nil {
				return err
			}
			list, err := api.RemoteWorkers(ctx, limit)
			if err != nil {
				return err
			}
			if err := cli.List(c, list, list.Workers, rows(list.Workers)); err != nil || c.Output != "table" {
				return err
			}
			if left := list.Total - len(list.Workers); left > 0 {
				c.Say("%d more; raise --limit", left)
			}
			sayStranded(c, list)
			return nil
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "maximum number of workers, 1 to 500")
	return cmd
}

func rows(workers []client.RemoteWorker) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "NAME", "RELEASE", "QUEUES", "TYPES", "NODES", "LAST POLL", "IN HAND", "LEASE UNTIL")
		for i := range workers {
			r := &workers[i]
			polled, inHand, until := cli.When(r.LastPoll), "?", ""
			if r.Waiting {
				polled = "now"
			}
			if r.InHand != nil {
				inHand = fmt.Sprint(*r.InHand)
			}
			if len(r.Leases) > 0 {
				until = cli.When(r.Leases[0].LeaseUntil)
			}
			cli.Row(w, cli.Clean(r.Name), cli.Clean(r.Release), cli.Few(r.Queues), cli.Few(r.Types), len(r.Nodes), polled, inHand, until)
		}
	}
}

// sayStranded says what nobody can run, and what would help.
func sayStranded(c *cli.Env, list *client.RemoteWorkers) {
	for _, s := range list.Stranded {
		queue, since := cli.Clean(s.Queue), cli.When(s.Since)
		switch {
		case s.Type == "":
			c.Say("no living node works on queue %s (%d waiting, due since %s): start a server or program that does", queue, s.Waiting, since)
		case s.Requests:
			c.Say("no living node makes the requests of type %s in queue %s (%d waiting, due since %s): start outlast serve --queues %s", cli.Clean(s.Type), queue, s.Waiting, since, queue)
		default:
			c.Say("nobody can run type %s in queue %s (%d waiting, due since %s): start a program that handles it", cli.Clean(s.Type), queue, s.Waiting, since)
		}
	}
	if list.StrandedMore > 0 {
		c.Say("and %d more types that nobody can run", list.StrandedMore)
	}
}
