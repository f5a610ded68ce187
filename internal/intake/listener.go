package intake

import (
	"container/list"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

// tellEvery is how often refused connections are told of at most.
const tellEvery = time.Minute

// Refused is told of connections that were refused.
type Refused struct {
	From  netip.Addr // of the last one; zero for what is no TCP
	Count int        // how many there were since it was told last
	// Own says that the address of the last one had its share; else all places were
	// taken.
	Own bool
}

// Connections bounds the connections of a server, in all and of one address, and, by the
// same numbers, the requests that share connections. At a bound, the connection that has
// been idle longest gives way to a new one; where none is idle, the new one is closed. It
// is safe for concurrent use.
type Connections struct {
	most, each int
	tell       func(Refused)

	mu       sync.Mutex
	open     int
	idle     list.List // of *conn, the one that has been idle longest first
	callers  map[netip.Prefix]*caller
	requests int
	asking   map[netip.Prefix]int // of them
	counts   Counts
	told     time.Time
	untold   int
}

// Counts are numbers of connections.
type Counts struct {
	Open    int    // now
	Refused uint64 // since the start, requests included, because all places were taken
	Own     uint64 // because their address had its share
	Closed  uint64 // idle ones that gave way to new ones
}

// caller is what one address has.
type caller struct {
	from netip.Prefix
	open int
	idle list.List
}

// NewConnections bounds connections to most, and those of one address (of one network
// of 64 bits for IPv6) to each. Tell hears of refused ones, at most once a minute.
func NewConnections(most, each int, tell func(Refused)) *Connections {
	return &Connections{most: most, each: each, tell: tell, callers: map[netip.Prefix]*caller{}, asking: map[netip.Prefix]int{}}
}

// Counts tells how many connections there are and were.
func (c *Connections) Counts() Counts {
	c.mu.Lock()
	defer c.mu.Unlock()
	counts := c.counts
	counts.Open = c.open
	return counts
}

// Listen bounds what a listener accepts.
func (c *Connections) Listen(inner net.Listener) net.Listener { return &listener{inner, c} }

type listener struct {
	net.Listener
	connections *Connections
}

// Accept implements [net.Listener].
func (l *listener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if admitted := l.connections.admit(accepted); admitted != nil {
			return admitted, nil
		}
		_ = accepted.Close() // nothing has been said on it
	}
}

// admit gives a connection a place, nil if there is none.
func (c *Connections) admit(accepted net.Conn) net.Conn {
	address, network := whence(accepted.RemoteAddr().String())
	c.mu.Lock()
	of := c.callers[network]
	if of == nil {
		of = &caller{from: network}
	}
	var quiet *conn
	own := of.open >= c.each
	switch {
	case own:
		quiet = longest(&of.idle)
	case c.open >= c.most:
		quiet = longest(&c.idle)
	}
	if quiet == nil && (own || c.open >= c.most) {
		tell := c.refused(own)
		c.mu.Unlock()
		if tell > 0 {
			c.tell(Refused{address, tell, own})
		}
		return nil
	}
	if quiet != nil {
		c.counts.Closed++
		c.forget(quiet)
	}
	c.callers[network] = of
	c.open++
	of.open++
	made := &conn{Conn: accepted, connections: c, caller: of}
	c.mu.Unlock()
	if quiet != nil {
		_ = quiet.Conn.Close() // nobody waits for anything on it
	}
	return made
}

// Request takes a place for a request that shares its connection, from an address and
// port; leave gives it back, and is nil if there is none.
func (c *Connections) Request(from string) (leave func(), ok bool) {
	address, network := whence(from)
	c.mu.Lock()
	if own := c.asking[network] >= c.each; own || c.requests >= c.most {
		tell := c.refused(own)
		c.mu.Unlock()
		if tell > 0 {
			c.tell(Refused{address, tell, own})
		}
		return nil, false
	}
	c.requests++
	c.asking[network]++
	c.mu.Unlock()
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.requests--
		if c.asking[network]--; c.asking[network] == 0 {
			delete(c.asking, network)
		}
	}, true
}

// refused counts a refused connection, and returns how many are to be told of now.
func (c *Connections) refused(own bool) (tell int) {
	if own {
		c.counts.Own++
	} else {
		c.counts.Refused++
	}
	c.untold++
	if now := time.Now(); c.tell != nil && (c.told.IsZero() || now.Sub(c.told) >= tellEvery) {
		tell, c.untold, c.told = c.untold, 0, now
	}
	return tell
}

// whence is an address, and what counts as one, of an address and port.
func whence(from string) (netip.Addr, netip.Prefix) {
	parsed, _ := netip.ParseAddrPort(from) // the zero address for what is no TCP
	address := parsed.Addr().Unmap().WithZone("")
	return address, networkOf(address)
}

// networkOf is what counts as one address: a host has many of IPv6.
func networkOf(address netip.Addr) netip.Prefix {
	bits := address.BitLen()
	if address.Is6() {
		bits = 64
	}
	network, _ := address.Prefix(bits) // the zero prefix for the zero address
	return network
}

func longest(idle *list.List) *conn {
	if first := idle.Front(); first != nil {
		return first.Value.(*conn)
	}
	return nil
}

// Track is for [http.Server.ConnState]: it says which connections are idle.
func (c *Connections) Track(tracked net.Conn, state http.ConnState) {
	if secure, ok := tracked.(interface{ NetConn() net.Conn }); ok {
		tracked = secure.NetConn()
	}
	of, ours := tracked.(*conn)
	if !ours {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.busy(of); state == http.StateIdle && !of.gone {
		of.places = [2]*list.Element{c.idle.PushBack(of), of.caller.idle.PushBack(of)}
	}
}

// busy takes a connection out of the idle ones.
func (c *Connections) busy(of *conn) {
	if of.places[0] != nil {
		c.idle.Remove(of.places[0])
		of.caller.idle.Remove(of.places[1])
		of.places = [2]*list.Element{}
	}
}

// forget gives the place of a connection back.
func (c *Connections) forget(of *conn) {
	if of.gone {
		return
	}
	c.busy(of)
	of.gone = true
	c.open--
	if of.caller.open--; of.caller.open == 0 {
		delete(c.callers, of.caller.from)
	}
}

// conn is an admitted connection.
type conn struct {
	net.Conn
	connections *Connections
	caller      *caller
	places      [2]*list.Element // among the idle ones, of all and of its caller
	gone        bool
}

// Close implements [net.Conn].
func (c *conn) Close() error {
	c.connections.mu.Lock()
	c.connections.forget(c)
	c.connections.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite ends the answer while the caller may still send: net/http looks for it.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
