package outlast

import (
	"context"
	"errors"
	"net/netip"
	"net/url"

	"github.com/outlast-dev/outlast/internal/accept"
	"github.com/outlast-dev/outlast/safehttp"
)

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
		c.elsewhere.look(limited, c.engine.Refresh)
		others := c.elsewhere.of(c.engine.Topology(), c.engine.Node())
		if _, served := c.registry.Serves(queue); !served && !others.pushes[queue] {
			return nil
		}
		for i := range others.queues[queue] {
			if safehttp.Allows(others.queues[queue][i].Allow, address) {
				return nil
			}
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
