// Package nodes is the calls about nodes and the lanes that they own.
package nodes

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/wakeup"
	"github.com/outlast-dev/outlast/internal/wire"
	"github.com/outlast-dev/outlast/server/internal/query"
	"github.com/outlast-dev/outlast/server/internal/route"
	"github.com/outlast-dev/outlast/server/internal/scope"
	"github.com/outlast-dev/outlast/task"
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

// Waker looks at lanes that another node has changed. The node of the server is one.
type Waker interface {
	Wake(key string, lanes ...uint16) error
}

type calls struct {
	nodes inspect.Nodes
	waker Waker
}

// Add adds the calls about nodes and lanes.
func Add(to *route.Table, nodes inspect.Nodes, waker Waker) {
	c := &calls{nodes, waker}
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/nodes", ID: "list-nodes", Needs: inspect.PermissionView, Scope: scope.Partly, Tag: "nodes",
		Summary: "List nodes, living ones first", About: "What the rows of the nodes say, about a second old. Nodes that left or died are shown for an hour.",
	}, c.list)
	route.Handle(to, route.Route{
		Method: "GET", Path: "/v1/lanes", ID: "list-lanes", Needs: inspect.PermissionView, Scope: scope.Filtered, Tag: "nodes",
		Summary: "List lanes by number, with their owners", About: "A lane is a slice of a queue. The node that owns it orders and starts its tasks.", Errors: []task.Code{task.CodeNotFound},
	}, c.lanes)
	route.Handle(to, route.Route{
		Method: "POST", Path: wakeup.Path, ID: "wake-node", Needs: inspect.PermissionPeer, Scope: scope.Shared, Tag: "nodes", Limit: 64 << 10,
		Summary: "Internal: rows of lanes changed",
		About: "What nodes tell each other on stores without notifications. Permission: the wake key of this node, which only those know who can read the database. " +
			"Its one effect is that the node looks at the lanes.",
	}, c.wake)
}

func (c *calls) list(ctx context.Context, in *nodesInput) (*route.Answer[client.Nodes], error) {
	most, err := query.Most(in.Limit)
	if err != nil {
		return nil, err
	}
	views, err := c.nodes.List(ctx, scope.Queues(ctx)...)
	if err != nil {
		return nil, err
	}
	out := client.Nodes{Total: len(views), Nodes: []client.Node{}}
	out.AsOf, out.Stale = c.reading()
	for i := range views[:min(len(views), most)] {
		node := wireNode(&views[i])
		if scope.Narrow(ctx) == nil {
			node.Running = &views[i].Load.Running
		}
		out.Nodes = append(out.Nodes, node)
	}
	return route.OK(out)
}

// staleAfter is the age from which on what a node has in memory is no longer what it
// reads every second.
const staleAfter = 5 * time.Second

// reading says when the topology was read, and whether that is long ago.
func (c *calls) reading() (asOf client.Time, stale bool) {
	at := c.nodes.TopologyAt()
	return wire.Time(at.UTC()), time.Since(at) > staleAfter
}

func wireNode(view *inspect.NodeView) client.Node {
	out := client.Node{
		ID: view.ID, Address: view.Address, Version: view.Version, Release: view.Release, Kind: "server", State: string(view.State), Self: view.Self,
		StartedAt: wire.Time(view.StartedAt), Lanes: view.Lanes, Slots: view.Load.Slots,
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

func (c *calls) lanes(ctx context.Context, in *lanesInput) (*route.Answer[client.Lanes], error) {
	page, err := query.Page(in.Limit, in.Cursor)
	if err != nil {
		return nil, err
	}
	after := -1
	if in.Cursor != "" {
		number, err := strconv.ParseUint(in.Cursor, 10, 16)
		if err != nil || strconv.FormatUint(number, 10) != in.Cursor {
			return nil, task.Invalid("cursor", task.Quote(in.Cursor)+" is not a cursor of lanes", "take the next_cursor of the page before")
		}
		after = int(number)
	}
	views, more, err := c.nodes.Lanes(ctx, inspect.LaneFilter{Queue: in.Queue, Node: in.Node, Queues: scope.Queues(ctx)}, after, page.Limit)
	if err != nil {
		return nil, err
	}
	out := client.Lanes{Lanes: []client.Lane{}}
	out.AsOf, out.Stale = c.reading()
	for i := range views {
		view := &views[i]
		out.Lanes = append(out.Lanes, client.Lane{
			Number: int(view.Number), Queue: view.Queue, Owner: view.Owner, OwnerState: string(view.OwnerState), Epoch: view.Epoch, Known: view.Known,
		})
	}
	if more {
		out.NextCursor = strconv.Itoa(int(views[len(views)-1].Number))
	}
	return route.OK(out)
}

// wake passes the call of another node on.
func (c *calls) wake(_ context.Context, in *wakeInput) (*route.Answer[client.Woken], error) {
	if len(in.Body.Lanes) > wakeup.MostLanes {
		return nil, task.Invalid("lanes", fmt.Sprintf("has more than %d numbers", wakeup.MostLanes), "send none: anything may have changed")
	}
	lanes := make([]uint16, len(in.Body.Lanes))
	for i, number := range in.Body.Lanes {
		if number < 0 || number > 0xffff {
			return nil, task.Invalid(fmt.Sprintf("lanes[%d]", i), "must be 0 to 65535", "")
		}
		lanes[i] = uint16(number)
	}
	if err := c.waker.Wake(in.Key, lanes...); err != nil {
		return nil, err
	}
	return route.OK(client.Woken{})
}
