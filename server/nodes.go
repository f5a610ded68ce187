package server

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wakeup"
	"github.com/outlast-dev/outlast/task"
	"github.com/outlast-dev/outlast/token"
)

type nodesInput struct {
	Limit *int `query:"limit" doc:"Nodes, 1 to 500, 100 when absent."`
}

type lanesInput struct {
	Queue  string `query:"queue" doc:"Of this queue only."`
	Node   string `query:"node" doc:"Owned by this node only."`
	Limit  *int   `query:"limit" doc:"Lanes, 1 to 500, 100 when absent."`
	Cursor string `query:"cursor" doc:"The next_cursor of the page before."`
}

type wakeInput struct {
	Key  string `header:"Outlast-Wake-Key" doc:"The wake key in this node's row of the database."`
	Body client.Wake
}

func (s *Server) addNodes() {
	handle(s, route{
		method: "GET", path: "/v1/nodes", id: "list-nodes", needs: token.View, scope: partly, tag: "nodes", answers: []int{200},
		summary: "List nodes, living ones first", about: "What the rows of the nodes say, about a second old. Nodes that left or died are shown for an hour.",
	}, s.listNodes)
	handle(s, route{
		method: "GET", path: "/v1/lanes", id: "list-lanes", needs: token.View, scope: filtered, tag: "nodes", answers: []int{200},
		summary: "List lanes by number, with their owners", errors: []task.Code{task.CodeNotFound},
	}, s.listLanes)
	handle(s, route{
		method: "POST", path: wakeup.Path, id: "wake-node", needs: token.Peer, scope: shared, tag: "nodes", answers: []int{200}, limit: 64 << 10,
		summary: "Internal: rows of lanes changed",
		about: "What nodes tell each other on stores without notifications. Permission: the wake key of this node, which only those know who can read the database. " +
			"Its one effect is that the node looks at the lanes.",
	}, s.wake)
}

func (s *Server) listNodes(ctx context.Context, in *nodesInput) (answer[client.Nodes], error) {
	page, err := pageOf(in.Limit, "")
	if err != nil {
		return fail[client.Nodes](err)
	}
	if page.Limit == 0 {
		page.Limit = 100
	}
	views, err := s.inspect.Nodes.List(ctx, queuesOf(ctx)...)
	if err != nil {
		return fail[client.Nodes](err)
	}
	out := client.Nodes{Total: len(views), Nodes: []client.Node{}}
	out.AsOf, out.Stale = s.reading()
	for i := range views[:min(len(views), page.Limit)] {
		node := wireNode(&views[i])
		if scoped(ctx) == nil {
			node.Running = &views[i].Load.Running
		}
		out.Nodes = append(out.Nodes, node)
	}
	return ok(out)
}

// staleAfter is the age from which on what a node has in memory is no longer what it
// reads every second.
const staleAfter = 5 * time.Second

// reading says when the topology was read, and whether that is long ago.
func (s *Server) reading() (asOf client.Time, stale bool) {
	at := s.inspect.Nodes.TopologyAt()
	return wireTime(at.UTC()), time.Since(at) > staleAfter
}

func wireNode(view *inspect.NodeView) client.Node {
	out := client.Node{
		ID: view.ID, Address: view.Address, Version: view.Version, Release: view.Release, Kind: "server", State: string(view.State), Self: view.Self,
		StartedAt: wireTime(view.StartedAt), Lanes: view.Lanes, Slots: view.Load.Slots,
		Queues: append([]string{}, view.Queues...), Types: view.Types,
		AllowTargets: view.AllowTargets, Signs: view.Signs, Leaving: view.Leaving,
	}
	if view.Embedded {
		out.Kind = "embedded"
	}
	if out.Types == nil {
		out.Types = []string{"*"}
	}
	if view.Silent != nil {
		silent := client.Duration(view.Silent.Round(time.Millisecond))
		out.Silent = &silent
	}
	return out
}

func (s *Server) listLanes(ctx context.Context, in *lanesInput) (answer[client.Lanes], error) {
	page, err := pageOf(in.Limit, in.Cursor)
	if err != nil {
		return fail[client.Lanes](err)
	}
	after := -1
	if in.Cursor != "" {
		number, err := strconv.ParseUint(in.Cursor, 10, 16)
		if err != nil || strconv.FormatUint(number, 10) != in.Cursor {
			return fail[client.Lanes](task.Invalid("cursor", task.Quote(in.Cursor)+" is no cursor of lanes", "take the next_cursor of the page before"))
		}
		after = int(number)
	}
	views, more, err := s.inspect.Nodes.Lanes(ctx, inspect.LaneFilter{Queue: in.Queue, Node: in.Node, Queues: queuesOf(ctx)}, after, page.Limit)
	if err != nil {
		return fail[client.Lanes](err)
	}
	out := client.Lanes{Lanes: []client.Lane{}}
	out.AsOf, out.Stale = s.reading()
	for i := range views {
		view := &views[i]
		out.Lanes = append(out.Lanes, client.Lane{
			Number: int(view.Number), Queue: view.Queue, Owner: view.Owner, OwnerState: string(view.OwnerState), Epoch: view.Epoch, Known: view.Known,
		})
	}
	if more {
		out.NextCursor = strconv.Itoa(int(views[len(views)-1].Number))
	}
	return ok(out)
}

// wake passes the call of another node on.
func (s *Server) wake(_ context.Context, in *wakeInput) (answer[client.Woken], error) {
	if len(in.Body.Lanes) > wakeup.MostLanes {
		return fail[client.Woken](task.Invalid("lanes", fmt.Sprintf("has more than %d numbers", wakeup.MostLanes), "send none: anything may have changed"))
	}
	lanes := make([]uint16, len(in.Body.Lanes))
	for i, number := range in.Body.Lanes {
		if number < 0 || number > 0xffff {
			return fail[client.Woken](task.Invalid(fmt.Sprintf("lanes[%d]", i), "must be 0 to 65535", ""))
		}
		lanes[i] = uint16(number)
	}
	if err := s.client.Wake(in.Key, lanes...); err != nil {
		return fail[client.Woken](err)
	}
	return ok(client.Woken{})
}
