package client

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"
)

// overHTTP1 is the client with connections of its own, which carry one call at a time:
// such a one can be closed on one side. A transport that is no [http.Transport] stays.
func (c *Client) overHTTP1() *Client {
	shared, ok := c.http.Transport.(*http.Transport)
	if !ok {
		return c
	}
	transport := shared.Clone()
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP1(true)
	if transport.TLSClientConfig != nil { // it may name HTTP/2 already
		transport.TLSClientConfig.NextProtos = []string{"http/1.1"}
	}
	own, h := *c, *c.http
	h.Transport = transport
	own.http = &h
	return &own
}

// line is the connection of a poll.
type line struct {
	lose context.CancelFunc // ends the call without its answer

	mu   sync.Mutex
	conn net.Conn
	cut  bool
}

func (l *line) got(info httptrace.GotConnInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conn = info.Conn
	if l.cut {
		l.lose() // nothing has been asked
	}
}

// hangUp ends the asking. The server sees that nobody waits any more, and answers with
// what it has, which is still read.
func (l *line) hangUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = true
	side, ok := l.conn.(interface{ CloseWrite() error })
	if !ok || side.CloseWrite() != nil {
		l.lose()
		return
	}
	time.AfterFunc(lastAnswer, l.lose)
}
