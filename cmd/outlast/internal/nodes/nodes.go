// Package nodes is outlast node: the processes that run tasks, and what they own.
package nodes

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/cmd/outlast/internal/cli"
)

// Command makes outlast node and the commands below it.
func Command(c *cli.Env) *cobra.Command {
	return cli.Noun("node", "List the processes that run tasks, and the lanes they own", newList(c), newLanes(c))
}

func newList(c *cli.Env) *cobra.Command {
	var limit int
	var all bool
	cmd := &cobra.Command{
		Use: "list", Short: "List nodes, living nodes first", Args: cobra.NoArgs,
		Long: `List servers and applications with the library inside, and what each owns and runs.

SILENT is the time since this server last saw a heartbeat of the node; after 5s the
node is dead. (HTTP) among the TYPES means that the node makes HTTP requests. MAY CALL
lists the private address ranges that it may call, and the hosts whose requests it
signs. * marks the server that answers.

Nodes that left, and dead nodes that were replaced by another one at the same address,
are only counted. --all lists them for an hour; JSON output always does.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			if err := cli.OnePage(limit); err != nil {
				return err
			}
			nodes, err := api.Nodes(ctx, limit)
			if err != nil {
				return err
			}
			shown := nodes.Nodes
			if !all {
				shown = present(shown)
			}
			if err := cli.List(c, nodes, nodes.Nodes, nodeRows(shown)); err != nil {
				return err
			}
			noteStale(c, nodes.AsOf, nodes.Stale)
			if c.Output == "table" && len(shown) < len(nodes.Nodes) {
				c.Say("%d more left or were replaced within the last hour; add --all", len(nodes.Nodes)-len(shown))
			}
			if left := nodes.Total - len(nodes.Nodes); left > 0 {
				c.Say("%d more; raise --limit", left)
			}
			return nil
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "maximum number of nodes, 1 to 500")
	cmd.Flags().BoolVar(&all, "all", false, "also list nodes that left or were replaced within the last hour")
	return cmd
}

// present are the nodes that matter now: those that live, and those that died or
// still own lanes and in whose place no other runs.
func present(nodes []client.Node) (out []client.Node) {
	living := map[string]bool{}
	for i := range nodes {
		if n := &nodes[i]; n.State == "alive" {
			living[n.Address] = n.Address != ""
		}
	}
	for i := range nodes {
		n := &nodes[i]
		if n.State == "alive" || n.Lanes > 0 || n.State == "dead" && !living[n.Address] {
			out = append(out, *n)
		}
	}
	return out
}

// noteStale warns of an answer from the memory of a server that does not reach its
// store.
func noteStale(c *cli.Env, asOf client.Time, stale bool) {
	if stale {
		c.Say("note: this is from %s; the server cannot reach its store now", cli.When(asOf))
	}
}

func nodeRows(nodes []client.Node) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "ID", "STATE", "KIND", "ADDRESS", "VERSION", "RELEASE", "LANES", "RUNNING", "SILENT", "STARTED", "QUEUES", "TYPES", "MAY CALL")
		for i := range nodes {
			n := &nodes[i]
			mark, silent := "", ""
			if n.Self {
				mark = "*"
			}
			if n.Silent != nil {
				silent = cmp.Or(cli.Span(*n.Silent), "0s")
			}
			state, load := cli.Clean(n.State), ""
			if n.Leaving {
				state += " (stopping)"
			}
			if n.State == "alive" {
				load = fmt.Sprintf("%s/%d", running(n), n.Slots)
			}
			cli.Row(w, cli.Clean(n.ID)+mark, state, cli.Clean(n.Kind), cli.Clean(n.Address), cli.Clean(n.Version), cli.Clean(n.Release), n.Lanes,
				load, silent, cli.When(n.StartedAt), cli.Few(n.Queues), cli.Few(startable(n.Types)), cli.Few(cli.MayCall(n)))
		}
	}
}

// running is how many attempts a node has in progress, "?" for who is not to know.
func running(n *client.Node) string {
	if n.Running == nil {
		return "?"
	}
	return strconv.Itoa(*n.Running)
}

// startable are the types of a node as people read them: requests first.
func startable(types []string) []string {
	out := slices.Clone(types)
	if at := slices.Index(out, "@http"); at >= 0 {
		out = slices.Insert(slices.Delete(out, at, at+1), 0, "(HTTP)")
	}
	return out
}

func newLanes(c *cli.Env) *cobra.Command {
	var queue, node, cursor string
	var limit int
	cmd := &cobra.Command{
		Use: "lanes", Short: "List lanes by number with their owners", Args: cobra.NoArgs,
		Long: `List the lanes of queues and the node that owns each. The owner orders and starts the
tasks in the lane. EPOCH rises with every new owner. KNOWN counts the tasks in memory,
only for lanes of the server that answers.`,
		RunE: c.Call(func(ctx context.Context, api *client.Client, _ []string) error {
			if err := cli.OnePage(limit); err != nil {
				return err
			}
			lanes, err := api.Lanes(ctx, queue, node, cursor, limit)
			if err != nil {
				return err
			}
			if err := cli.List(c, lanes, lanes.Lanes, laneRows(lanes.Lanes)); err != nil {
				return err
			}
			noteStale(c, lanes.AsOf, lanes.Stale)
			if lanes.NextCursor != "" {
				c.Say("more rows follow: add --cursor %s", cli.Clean(lanes.NextCursor))
			}
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&queue, "queue", "", "only lanes of this queue")
	flags.StringVar(&node, "node", "", "only lanes of this node")
	flags.StringVar(&cursor, "cursor", "", "continue from the cursor of an earlier list")
	flags.IntVar(&limit, "limit", 100, "maximum number of lanes, 1 to 500")
	return cmd
}

func laneRows(lanes []client.Lane) func(io.Writer) {
	return func(w io.Writer) {
		cli.Row(w, "LANE", "QUEUE", "OWNER", "EPOCH", "KNOWN")
		for i := range lanes {
			l := &lanes[i]
			owner, known := cli.Clean(l.Owner), ""
			if l.OwnerState != "" && l.OwnerState != "alive" {
				owner += " (" + cli.Clean(l.OwnerState) + ")"
			}
			if l.Known != nil {
				known = fmt.Sprint(*l.Known)
			}
			cli.Row(w, l.Number, cli.Clean(l.Queue), owner, l.Epoch, known)
		}
	}
}
