//go:build unix

package servertest

import (
	"bytes"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// Lossy stands between a client and its server. When it is told to, it loses an
// answer of the server, and the connection with it: what was asked for is done, and
// nobody says so.
type Lossy struct {
	listener net.Listener
	left     atomic.Int64 // answers until the one that is lost; 0 for none
	pumps    sync.WaitGroup

	mu      sync.Mutex
	muted   chan struct{} // closed by Mute, and made anew for later connections
	unheard [][]byte      // what clients sent into muted ones, since the last Mute
}

// NewLossy listens on a port of its own and passes everything on to the target, until
// the end of the test. Connections must be closed by then.
func NewLossy(t testing.TB, target string) *Lossy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Lossy{listener: listener, muted: make(chan struct{})}
	l.pumps.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", target)
			if err != nil {
				client.Close()
				continue
			}
			muted := l.life()
			l.pumps.Go(func() { l.requests(client, server, muted) })
			l.pumps.Go(func() { l.answers(client, server, muted) })
		}
	})
	t.Cleanup(func() { listener.Close(); l.pumps.Wait() })
	return l
}

// Addr is where it listens.
func (l *Lossy) Addr() string { return l.listener.Addr().String() }

// Lose loses the n-th answer from now on, 0 for none. An answer is what the server
// sends at once.
func (l *Lossy) Lose(n int) { l.left.Store(int64(n)) }

// Mute makes all connections that there are say nothing any more, without an end, as
// a firewall does that has forgotten them. Later ones work.
func (l *Lossy) Mute() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.muted)
	l.muted, l.unheard = make(chan struct{}), nil
}

// Unheard is what clients have sent since Mute into connections that say nothing any more,
// as it came.
func (l *Lossy) Unheard() [][]byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.unheard)
}

func (l *Lossy) life() chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.muted
}

func (l *Lossy) requests(client, server net.Conn, muted chan struct{}) {
	defer client.Close()
	defer server.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		select {
		case <-muted:
			if n > 0 {
				l.mu.Lock()
				l.unheard = append(l.unheard, bytes.Clone(buffer[:n]))
				l.mu.Unlock()
			}
		default:
		}
		if err != nil {
			return
		}
		if _, err := server.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (l *Lossy) answers(client, server net.Conn, muted chan struct{}) {
	defer client.Close()
	defer server.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := server.Read(buffer)
		select {
		case <-muted:
			_, _ = io.Copy(io.Discard, server) // until the client gives up
			return
		default:
		}
		if err != nil || l.left.Load() > 0 && l.left.Add(-1) == 0 {
			return
		}
		if _, err := client.Write(buffer[:n]); err != nil {
			return
		}
	}
}
