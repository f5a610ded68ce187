package outlast

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/engine"
	"github.com/outlast-dev/outlast/internal/reach"
	"github.com/outlast-dev/outlast/safehttp"
	"github.com/outlast-dev/outlast/store"
)

// aMoment is how long a look at the other nodes may take.
const aMoment = time.Second

// elsewhere knows the reach of the other nodes. It is safe for concurrent use.
type elsewhere struct {
	last atomic.Pointer[others]

	mu     sync.Mutex // held during a look: who waits for it has looked too
	looked time.Time
}

// look reads the topology, unless that was done just now.
func (e *elsewhere) look(ctx context.Context, refresh func(context.Context) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := time.Now(); now.Sub(e.looked) >= 200*time.Millisecond && refresh(ctx) == nil {
		e.looked = now
	}
}

// others are the living nodes with a reach, as of a look at the topology.
type others struct {
	topology *store.Topology
	queues   map[string][]other
	pushes   map[string]bool // whether one of them makes requests of a queue
}

type other struct {
	reach.Reach
	capability string
}

// nodes lists what other nodes that work on a queue list, widest first.
func (e *elsewhere) nodes(now *store.Topology, self, queue string) []other {
	return e.of(now, self).queues[queue]
}

// of is what is known of the nodes of a topology.
func (e *elsewhere) of(now *store.Topology, self string) *others {
	known := e.last.Load()
	if known == nil || known.topology != now {
		known = &others{now, map[string][]other{}, map[string]bool{}}
		for i := range now.Nodes {
			if n := &now.Nodes[i]; n.ID != self && n.State == store.NodeAlive && !n.Gone {
				known.add(n)
			}
		}
		e.last.Store(known)
	}
	return known
}

func (o *others) add(n *store.Node) {
	for queue, s := range n.Serves {
		o.pushes[queue] = o.pushes[queue] || s.Requests
		if s.Reach != "" {
			o.queues[queue] = append(o.queues[queue], other{reach.Read(s.Reach), store.Ability(s.Reach)})
			slices.SortStableFunc(o.queues[queue], func(a, b other) int { return len(b.Allow) - len(a.Allow) })
		}
	}
}

// handOver is the capability of a living node that may make a call that this one
// should not make; "" for none, and for a task that was left to this node already.
// The error is what a call has come to, nil before it.
func (c *Client) handOver(ctx context.Context, run *engine.Run, to destination, secret []byte, err error) string {
	refused, isRefused := errors.AsType[*safehttp.RefusedError](err)
	if run.Lent() || err == nil && secret != nil || err != nil && (!isRefused || !refused.Addr.IsValid()) {
		return ""
	}
	if able := c.ableTo(run, to, secret, refused); able != "" || err == nil {
		return able
	}
	// The task is about to end for good: one that may have come a moment ago.
	ctx, cancel := context.WithTimeout(ctx, aMoment)
	defer cancel()
	c.elsewhere.look(ctx, c.engine.Refresh)
	return c.ableTo(run, to, secret, refused)
}

// ableTo is the capability of a node that may make a call: with a secret, or to
// the address that was refused here. Where the URL names an address, nodes with a
// secret that may call it go before others, which could only refuse.
func (c *Client) ableTo(run *engine.Run, to destination, secret []byte, refused *safehttp.RefusedError) string {
	nodes := c.elsewhere.nodes(c.engine.Topology(), c.engine.Node(), run.Task.Queue)
	if len(nodes) == 0 {
		return ""
	}
	address, notAddress, places := netip.Addr{}, error(nil), to.places()
	if u, err := url.Parse(to.url); err == nil {
		address, notAddress = netip.ParseAddr(u.Hostname())
	}
	signer := ""
	for i := range nodes {
		signs := nodes[i].Signs(places)
		switch {
		case refused == nil && signs && (notAddress != nil || safehttp.Allows(nodes[i].Allow, address)):
			return nodes[i].capability
		case refused == nil && signs && signer == "":
			signer = nodes[i].capability
		case refused != nil && (signs || secret == nil) && safehttp.Allows(nodes[i].Allow, refused.Addr):
			return nodes[i].capability
		}
	}
	return signer
}

// leave hands a task on to nodes that list the capability.
func leave(capability string, err error) error {
	return &outcomeError{engine.HandlerOutcome{Action: engine.ActionHandOver, Ability: capability}, "left to a node that signs requests to the host", err}
}
