package txtest

import (
	"bytes"
	"errors"
	"net"
	"sync"
)

var errCut = errors.New("txtest: the connection was cut")

// cut is a place on the network where a connection can be lost just when the
// server answers a COMMIT.
type cut struct {
	mu    sync.Mutex
	armed bool
}

// arm makes the next COMMIT lose its answer, and reports whether there is a
// network to lose it on.
func (c *cut) arm() bool {
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.armed = true
	return true
}

func (c *cut) disarm() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	was := c.armed
	c.armed = false
	return was
}

// wrap watches a connection.
func (c *cut) wrap(conn net.Conn) net.Conn { return &cutConn{Conn: conn, cut: c} }

type cutConn struct {
	net.Conn
	cut *cut

	mu   sync.Mutex
	lost bool
}

// Write lets everything through, and notes a COMMIT, which READ COMMITTED is not.
func (c *cutConn) Write(p []byte) (int, error) {
	said := bytes.ReplaceAll(bytes.ToUpper(p), []byte("COMMITTED"), nil)
	if bytes.Contains(said, []byte("COMMIT")) && c.cut.disarm() {
		c.mu.Lock()
		c.lost = true
		c.mu.Unlock()
	}
	return c.Conn.Write(p)
}

// Read waits for the answer and swallows it if the connection is to be lost:
// the server has committed then.
func (c *cutConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	lost := c.lost
	c.mu.Unlock()
	if lost && err == nil {
		_ = c.Close()
		return 0, errCut
	}
	return n, err
}
