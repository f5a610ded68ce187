package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outlast-dev/outlast/client"
)

func newNode(c *cli) *cobra.Command {
	return noun("node", "Look at the processes that run tasks, and at what they own", newNodeList(c), newNodeLanes(c))
}

func newNodeList(c *cli) *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use: "list", Short: "List nodes, living ones first", Args: cobra.NoArgs,
		Long: `List servers and applications with the library inside: who is there, what each
owns and runs. SILENT is for how long the server that is asked has seen no beat
of a node; after 5s it is dead. Nodes that left or died are shown for an hour. *
marks the server that is asked.`,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			nodes, err := api.Nodes(ctx, limit)
			if err != nil {
				return err
			}
			if err := list(c, nodes, nodes.Nodes, nodeRows(nodes.Nodes)); err != nil {
				return err
			}
			if left := nodes.Total - len(nodes.Nodes); left > 0 {
				c.say("%d more; see --limit", left)
			}
			return nil
		}),
	}
	cmd.Flags().IntVar(&limit, "limit", 100, "nodes, 1 to 500")
	return cmd
}

func nodeRows(nodes []client.Node) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "ID", "STATE", "KIND", "ADDRESS", "VERSION", "RELEASE", "LANES", "RUNNING", "SILENT", "STARTED", "QUEUES", "TYPES")
		for i := range nodes {
			n := &nodes[i]
			mark, silent := "", ""
			if n.Self {
				mark = "*"
			}
			if n.Silent != nil {
				silent = cmp.Or(span(*n.Silent), "0s")
			}
			row(w, clean(n.ID)+mark, clean(n.State), clean(n.Kind), clean(n.Address), clean(n.Version), clean(n.Release), n.Lanes,
				fmt.Sprintf("%d/%d", n.Running, n.Slots), silent, when(n.StartedAt), few(n.Queues), few(n.Types))
		}
	}
}

// few are the first names of a list, and how many more there are.
func few(names []string) string {
	const most = 3
	text := clean(strings.Join(names[:min(len(names), most)], ","))
	if left := len(names) - most; left > 0 {
		text += fmt.Sprintf(" (+%d)", left)
	}
	return text
}

func newNodeLanes(c *cli) *cobra.Command {
	var queue, node, cursor string
	var limit int
	cmd := &cobra.Command{
		Use: "lanes", Short: "List lanes by number, with their owners", Args: cobra.NoArgs,
		Long: `List the lanes of queues: which node owns each, which means that it orders and
starts the tasks in it. EPOCH rises with every owner. KNOWN counts the tasks in
memory, of lanes of the server that is asked.`,
		RunE: c.call(func(ctx context.Context, api *client.Client, _ []string) error {
			lanes, err := api.Lanes(ctx, queue, node, cursor, limit)
			if err != nil {
				return err
			}
			if err := list(c, lanes, lanes.Lanes, laneRows(lanes.Lanes)); err != nil {
				return err
			}
			if lanes.NextCursor != "" {
				c.say("more: --cursor %s", clean(lanes.NextCursor))
			}
			return nil
		}),
	}
	flags := cmd.Flags()
	flags.StringVar(&queue, "queue", "", "lanes of this queue only")
	flags.StringVar(&node, "node", "", "lanes of this node only")
	flags.StringVar(&cursor, "cursor", "", "where to go on")
	flags.IntVar(&limit, "limit", 100, "lanes, 1 to 500")
	return cmd
}

func laneRows(lanes []client.Lane) func(io.Writer) {
	return func(w io.Writer) {
		row(w, "LANE", "QUEUE", "OWNER", "EPOCH", "KNOWN")
		for i := range lanes {
			l := &lanes[i]
			owner, known := clean(l.Owner), ""
			if l.OwnerState != "" && l.OwnerState != "alive" {
				owner += " (" + clean(l.OwnerState) + ")"
			}
			if l.Known != nil {
				known = fmt.Sprint(*l.Known)
			}
			row(w, l.Number, clean(l.Queue), owner, l.Epoch, known)
		}
	}
}
