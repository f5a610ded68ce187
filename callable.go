package outlast

import (
	"context"
	"errors"
	"net/netip"
	"net/url"

	"github.com/outlast-dev/outlast/safehttp"
)

// callCheck returns what a dial to an address would be refused with by every living node
// that makes requests of a queue, nil if one may make it, and if there is none: whoever
// comes may.
type callCheck func(queue string, address netip.Addr) *safehttp.RefusedError

// callable refuses a URL whose host is an address that may not be called. Names are
// looked up when they are called, and judged then.
func (c *complaints) callable(path, queue string, u *url.URL) {
	address, err := netip.ParseAddr(u.Hostname())
	if c.calls == nil || err != nil {
		return
	}
	if refused := c.calls(queue, address); refused != nil {
		c.add(path, "has a "+refused.Kind+" address, which no node may call", refused.Hint())
	}
}

// callableText is callable for a URL that was looked at, or is to be complained of
// elsewhere.
func (c *complaints) callableText(path, queue, text string) {
	if u, err := safehttp.CheckURL(text); err == nil {
		c.callable(path, queue, u)
	}
}

// callsOf is the check of addresses that this node makes. Its own ranges count, and those
// of the other living nodes of the queue, since tasks are handed on to them.
func (c *Client) callsOf(ctx context.Context) callCheck {
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
			if safehttp.Allows(others.queues[queue][i].allow, address) {
				return nil
			}
		}
		return refused
	}
}

// ownAddress refuses a URL whose host is an address that this very node may not call.
func (c *Client) ownAddress(wrong *complaints, path string, u *url.URL) {
	address, err := netip.ParseAddr(u.Hostname())
	if u.Hostname() == "localhost" {
		address, err = netip.AddrFrom4([4]byte{127, 0, 0, 1}), nil
	}
	if err != nil {
		return
	}
	if refused, isRefused := errors.AsType[*safehttp.RefusedError](c.outbound().CheckAddr(address)); isRefused {
		wrong.add(path, "has a "+refused.Kind+" address, which this node may not call", refused.Hint())
	}
}
