package outlast

import (
	"context"
	"errors"
	"net/netip"
	"net/url"
	"time"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/internal/engine"
	"github.com/outlast-dev/outlast/internal/outcome"
	"github.com/outlast-dev/outlast/internal/reach"
	"github.com/outlast-dev/outlast/internal/safehttp"
)

// aMoment is how long a look at the other nodes may take.
const aMoment = time.Second

// handOver is the capability of a living node that may make a call that this one
// should not make; "" for none, and for a task that was left to this node already.
// The error is what a call has come to, nil before it.
func (c *Client) handOver(ctx context.Context, run *engine.Run, to reach.To, secret []byte, err error) string {
	refused, isRefused := errors.AsType[*safehttp.RefusedError](err)
	if run.Lent() || err == nil && secret != nil || err != nil && (!isRefused || !refused.Addr.IsValid()) {
		return ""
	}
	if able := c.ableTo(run.Task.Queue, to, secret, refused); able != "" || err == nil {
		return able
	}
	// The task is about to end for good: one that may have come a moment ago.
	ctx, cancel := context.WithTimeout(ctx, aMoment)
	defer cancel()
	c.elsewhere.Look(ctx, c.engine.Refresh)
	return c.ableTo(run.Task.Queue, to, secret, refused)
}

func (c *Client) ableTo(queue string, to reach.To, secret []byte, refused *safehttp.RefusedError) string {
	return c.elsewhere.Able(c.engine.Topology(), c.engine.Node(), queue, to, secret != nil, refused)
}

// leave hands a task on to nodes that list the capability.
func leave(capability string, err error) error {
	return outcome.HandOver(capability, err)
}

// callsOf is the check of addresses that this node makes. Its own ranges count, and those
// of the other living nodes of the queue, since tasks are handed on to them.
func (c *Client) callsOf(ctx context.Context) accept.CallCheck {
	if c.running() != nil {
		return nil
	}
	return func(queue string, address netip.Addr) *safehttp.RefusedError {
		refused, isRefused := errors.AsType[*safehttp.RefusedError](c.outbound().CheckAddr(address))
		if !isRefused {
			return nil
		}
		limited, cancel := context.WithTimeout(ctx, aMoment) // one may have come a moment ago
		defer cancel()
		c.elsewhere.Look(limited, c.engine.Refresh)
		others := c.elsewhere.Of(c.engine.Topology(), c.engine.Node())
		if _, served := c.registry.Serves(queue); !served && !others.Pushes(queue) {
			return nil
		}
		if others.MayCall(queue, address) {
			return nil
		}
		return refused
	}
}

// ownAddress refuses a URL whose host is an address that this very node may not call.
func (c *Client) ownAddress(wrong *accept.Complaints, path string, u *url.URL) {
	address, err := netip.ParseAddr(u.Hostname())
	if u.Hostname() == "localhost" {
		address, err = netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	}
	if err != nil {
		return
	}
	if refused, isRefused := errors.AsType[*safehttp.RefusedError](c.outbound().CheckAddr(address)); isRefused {
		wrong.Add(path, "has a "+refused.Kind+" address, which this node may not call", refused.Hint())
	}
}
