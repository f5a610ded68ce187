package prove

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// proxy stands between one node and its database server, and is the network that fails.
type proxy struct {
	listener        net.Listener
	network, server string
	pumps           sync.WaitGroup

	mu     sync.Mutex
	links  map[*link]bool
	refuse bool          // connections are reset, new ones too
	healed chan struct{} // closed when nothing is held back any more; nil while nothing is
	closed bool
}

// link is one connection through the proxy.
type link struct {
	ends [2]net.Conn // the node's, the server's
	gone chan struct{}
}

func newProxy(ctx context.Context, network, server string) (*proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: listener, network: network, server: server, links: map[*link]bool{}}
	p.pumps.Go(p.accept)
	return p, nil
}

func (p *proxy) accept() {
	for {
		node, err := p.listener.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as too many open files, which passes
			time.Sleep(between)
		default:
			p.pumps.Go(func() { p.connect(node) })
		}
	}
}

func (p *proxy) connect(node net.Conn) {
	server, err := net.DialTimeout(p.network, p.server, 5*time.Second)
	if err != nil {
		reset(node)
		return
	}
	l := &link{ends: [2]net.Conn{node, server}, gone: make(chan struct{})}
	p.mu.Lock()
	refused := p.refuse || p.closed
	if !refused {
		p.links[l] = true
	}
	p.mu.Unlock()
	if refused {
		reset(node)
		reset(server)
		return
	}
	p.pumps.Go(func() { p.pump(l, server, node) })
	p.pump(l, node, server)
}

// pump carries bytes in one direction until an end is closed.
func (p *proxy) pump(l *link, from, to net.Conn) {
	defer p.end(l)
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if !p.pass(l) {
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// pass waits while bytes are held back. It returns false when the link is gone.
func (p *proxy) pass(l *link) bool {
	p.mu.Lock()
	healed := p.healed
	p.mu.Unlock()
	if healed == nil {
		return true
	}
	select {
	case <-healed:
		return true
	case <-l.gone:
		return false
	}
}

// end breaks a link at both ends.
func (p *proxy) end(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.links[l] {
		return
	}
	delete(p.links, l)
	close(l.gone)
	reset(l.ends[0])
	reset(l.ends[1])
}

// reset closes a connection so that the other end learns of it at its next step.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a close without is as good
	}
	_ = conn.Close() // nobody could be told
}

// cut resets every connection, and refuses new ones until the network is healed.
func (p *proxy) cut() {
	p.mu.Lock()
	p.refuse = true
	p.mu.Unlock()
	p.resetAll()
}

func (p *proxy) resetAll() {
	p.mu.Lock()
	links := make([]*link, 0, len(p.links))
	for l := range p.links {
		links = append(links, l)
	}
	p.mu.Unlock()
	for _, l := range links {
		p.end(l)
	}
}

// silence holds back all that is sent, either way. Nobody is told; what was held back
// arrives late, when the network is healed.
func (p *proxy) silence() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.healed == nil {
		p.healed = make(chan struct{})
	}
}

// heal ends cut and silence.
func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = false
	if p.healed != nil {
		close(p.healed)
		p.healed = nil
	}
}

func (p *proxy) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	_ = p.listener.Close() // it ends with the process at the latest
	p.resetAll()
	p.pumps.Wait()
}
