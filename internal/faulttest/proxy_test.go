package faulttest

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// proxy stands between one node and its database. It knows nothing of what is
// said, but for the word commit.
type proxy struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	healed  chan struct{} // closed when nothing is held back any more; nil while nothing is
	hold    [2]bool       // by direction: bytes wait until the network is healed
	refuse  bool          // connections are reset, and new ones too
	links   map[*link]bool
	eat     func(request []byte) bool // whether the answer to a request is lost
	eaten   int                       // answers
	commits int                       // of these, to commits
	closed  bool
	pumps   sync.WaitGroup
}

// The directions.
const (
	up   = 0 // from the node to the database
	down = 1
)

// link is one connection through the proxy.
type link struct {
	ends    [2]net.Conn // the node's, the database's
	silent  chan struct{}
	mute    bool   // it was forgotten on the way: nothing passes any more
	request []byte // what was sent up since the last answer
	gone    bool
}

func newProxy(t testing.TB, target string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, target: target, links: map[*link]bool{}}
	p.pumps.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) accept() {
	for {
		node, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.pumps.Go(func() { p.connect(node) })
	}
}

func (p *proxy) connect(node net.Conn) {
	l := &link{silent: make(chan struct{}), ends: [2]net.Conn{node, nil}}
	if !p.enter(l) {
		reset(node)
		return
	}
	p.pass(l, up) // a network that is cut lets nobody connect
	database, err := net.DialTimeout("tcp", p.target, 5*time.Second)
	if err != nil {
		p.end(l)
		return
	}
	p.mu.Lock()
	gone := l.gone
	l.ends[1] = database
	p.mu.Unlock()
	if gone {
		reset(database)
		return
	}
	p.pumps.Go(func() { p.pump(l, down) })
	p.pump(l, up)
}

// enter takes a new connection in, unless connections are refused.
func (p *proxy) enter(l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refuse || p.closed {
		return false
	}
	p.links[l] = true
	return true
}

// pump carries bytes in one direction until an end is closed.
func (p *proxy) pump(l *link, direction int) {
	from, to := l.ends[direction], l.ends[1-direction]
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if !p.pass(l, direction) || n > 0 && !p.note(l, direction, buffer[:n]) {
			return
		}
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				p.end(l)
				return
			}
		}
		if err != nil {
			p.end(l)
			return
		}
	}
}

// pass waits while bytes of the direction are held back. It returns false when the
// link is gone.
func (p *proxy) pass(l *link, direction int) bool {
	for {
		p.mu.Lock()
		wait, gone := p.healed, l.gone
		if !p.hold[direction] && !l.mute {
			p.mu.Unlock()
			return !gone
		}
		if l.mute {
			wait = nil
		}
		p.mu.Unlock()
		if gone {
			return false
		}
		select {
		case <-wait:
		case <-l.silent:
		}
	}
}

// note looks at what passes. It returns false if that was an answer that is lost:
// the database has done what it was asked for, and the node's connection breaks.
func (p *proxy) note(l *link, direction int, data []byte) bool {
	p.mu.Lock()
	if direction == up {
		if len(l.request) < 64<<10 {
			l.request = append(l.request, data...)
		}
		p.mu.Unlock()
		return true
	}
	request := l.request
	l.request = nil
	lost := len(request) > 0 && p.eat != nil && p.eat(request)
	if lost {
		p.eaten++
		if isCommit(request) {
			p.commits++
		}
	}
	p.mu.Unlock()
	if lost {
		p.end(l)
	}
	return !lost
}

// isCommit reports whether a request asks for a commit, in either protocol.
func isCommit(request []byte) bool {
	return len(request) < 256 && bytes.Contains(bytes.ToLower(request), []byte("commit"))
}

// end breaks a link at both ends.
func (p *proxy) end(l *link) {
	p.mu.Lock()
	first := !l.gone
	l.gone = true
	delete(p.links, l)
	p.mu.Unlock()
	if !first {
		return
	}
	close(l.silent)
	for _, conn := range l.ends {
		reset(conn)
	}
}

// reset closes a connection so that the other end learns of it at its next step.
func reset(conn net.Conn) {
	if tcp, ok := conn.(*net.TCPConn); ok && tcp != nil {
		_ = tcp.SetLinger(0)
		_ = tcp.Close()
	}
}

// cut resets every connection, and refuses new ones until the network is healed.
func (p *proxy) cut() {
	p.mu.Lock()
	p.refuse = true
	p.mu.Unlock()
	p.reset()
}

// reset breaks every connection.
func (p *proxy) reset() {
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

// stall holds back what is sent in the directions. Nobody is told, and new
// connections hang. What was held back arrives, late, when the network is healed.
func (p *proxy) stall(directions ...int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.healed == nil {
		p.healed = make(chan struct{})
	}
	for _, direction := range directions {
		p.hold[direction] = true
	}
}

// heal ends cut and stall.
func (p *proxy) heal() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse, p.hold = false, [2]bool{}
	if p.healed != nil {
		close(p.healed)
		p.healed = nil
	}
}

// forget makes the present connections silent for ever, as a firewall does that has
// lost its state: neither end is told, not even of a close. New ones work.
func (p *proxy) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for l := range p.links {
		l.mute = true
	}
	if p.healed != nil {
		close(p.healed) // who waits looks again
		p.healed = make(chan struct{})
	}
}

// lose loses the answers for which eat returns true, which is called under a lock;
// nil ends it.
func (p *proxy) lose(eat func(request []byte) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eat = eat
}

func (p *proxy) lost() (answers, commits int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.eaten, p.commits
}

func (p *proxy) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	_ = p.listener.Close()
	p.heal()
	p.reset()
	p.pumps.Wait()
}

// echo answers every line with itself.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(conn, conn) }()
		}
	}()
	return listener.Addr().String()
}

// The proxy does what the scenarios rest on.
func TestProxy(t *testing.T) {
	p := newProxy(t, echo(t))
	dial := func() net.Conn {
		conn, err := net.Dial("tcp", p.address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	ask := func(conn net.Conn, word string, within time.Duration) error {
		if word != "" {
			if _, err := conn.Write([]byte(word)); err != nil {
				return err
			}
		}
		answer := make([]byte, max(4, len(word)))
		_ = conn.SetReadDeadline(time.Now().Add(within))
		_, err := io.ReadFull(conn, answer)
		return err
	}
	const soon, never = 5 * time.Second, 200 * time.Millisecond
	first := dial()
	if err := ask(first, "word", soon); err != nil {
		t.Fatal("forward:", err)
	}
	for _, direction := range []int{up, down} {
		p.stall(direction)
		if err := ask(first, "late", never); err == nil {
			t.Error("a stalled connection answers")
		}
		if err := ask(dial(), "word", never); err == nil {
			t.Error("a new connection answers in a stalled network")
		}
		p.heal()
		if err := ask(first, "", soon); err != nil {
			t.Error("what was stalled is lost:", err)
		}
	}
	p.forget()
	if err := ask(first, "word", never); err == nil {
		t.Error("a forgotten connection answers")
	}
	second := dial()
	if err := ask(second, "word", soon); err != nil {
		t.Error("a new connection after the others were forgotten:", err)
	}
	p.lose(isCommit)
	if err := ask(second, "word", soon); err != nil {
		t.Error("an answer was lost that was none to a commit:", err)
	}
	if err := ask(second, "COMMIT", soon); err == nil {
		t.Error("the answer to a commit arrived")
	}
	p.lose(nil)
	if answers, commits := p.lost(); answers != 1 || commits != 1 {
		t.Errorf("%d answers were lost, %d of them to commits", answers, commits)
	}
	third := dial()
	if err := ask(third, "word", soon); err != nil {
		t.Error(err)
	}
	p.cut()
	if ask(third, "word", soon) == nil {
		t.Error("a network that is cut answers")
	}
	if conn, err := net.Dial("tcp", p.address()); err == nil { // else the reset came before its answer
		if ask(conn, "word", soon) == nil {
			t.Error("a new connection answers in a network that is cut")
		}
		conn.Close()
	}
	p.heal()
	if err := ask(dial(), "word", soon); err != nil {
		t.Error("after the cut:", err)
	}
}
