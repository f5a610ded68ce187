package reach

import (
	"context"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/safehttp"
	"github.com/outlast-dev/outlast/store"
)

// Elsewhere knows the reach of the other nodes. It is safe for concurrent use.
type Elsewhere struct {
	last atomic.Pointer[Others]

	mu     sync.Mutex // held during a look: who waits for it has looked too
	looked time.Time
}

// Look reads the topology, unless that was done just now.
func (e *Elsewhere) Look(ctx context.Context, refresh func(context.Context) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if now := time.Now(); now.Sub(e.looked) >= 200*time.Millisecond && refresh(ctx) == nil {
		e.looked = now
	}
}

// Others are the living nodes with a reach, as of a look at the topology.
type Others struct {
	topology *store.Topology
	queues   map[string][]other
	pushes   map[string]bool // whether one of them makes requests of a queue
}

type other struct {
	Reach
	capability string
}

// Of is what is known of the nodes of a topology.
func (e *Elsewhere) Of(now *store.Topology, self string) *Others {
	known := e.last.Load()
	if known == nil || known.topology != now {
		known = &Others{now, map[string][]other{}, map[string]bool{}}
		for i := range now.Nodes {
			if n := &now.Nodes[i]; n.ID != self && n.State == store.NodeAlive && !n.Gone {
				known.add(n)
			}
		}
		e.last.Store(known)
	}
	return known
}

func (o *Others) add(n *store.Node) {
	for queue, s := range n.Serves {
		o.pushes[queue] = o.pushes[queue] || s.Requests
		if s.Reach != "" {
			o.queues[queue] = append(o.queues[queue], other{Read(s.Reach), store.Ability(s.Reach)})
			slices.SortStableFunc(o.queues[queue], func(a, b other) int { return len(b.Allow) - len(a.Allow) })
		}
	}
}

// Pushes reports whether one of them makes requests of a queue.
func (o *Others) Pushes(queue string) bool { return o.pushes[queue] }

// MayCall reports whether one of them that works on a queue may call an address.
func (o *Others) MayCall(queue string, address netip.Addr) bool {
	return slices.ContainsFunc(o.queues[queue], func(n other) bool { return safehttp.Allows(n.Allow, address) })
}

// Able is the capability of a node that may make a call: with a secret, or to
// the address that was refused here. Where the URL names an address, nodes with a
// secret that may call it go before others, which could only refuse.
func (e *Elsewhere) Able(now *store.Topology, self, queue string, to To, secret bool, refused *safehttp.RefusedError) string {
	nodes := e.Of(now, self).queues[queue]
	if len(nodes) == 0 {
		return ""
	}
	address, notAddress, places := netip.Addr{}, error(nil), to.Places()
	if u, err := url.Parse(to.URL); err == nil {
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
		case refused != nil && (signs || !secret) && safehttp.Allows(nodes[i].Allow, refused.Addr):
			return nodes[i].capability
		}
	}
	return signer
}
