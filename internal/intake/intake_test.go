package intake_test

import (
	"io"
	"net"
	"net/http"
	"testing"

	"github.com/outlast-dev/outlast/internal/intake"
)

// from is a connection from an address.
type from struct {
	net.Conn
	address string
	closed  chan struct{}
}

func (f *from) RemoteAddr() net.Addr { return address(f.address) }
func (f *from) Close() error {
	if !isClosed(f) {
		close(f.closed)
	}
	return nil
}

type address string

func (a address) Network() string { return "tcp" }
func (a address) String() string  { return string(a) }

// callers is a listener that is told who calls.
type callers chan *from

func (c callers) Accept() (net.Conn, error) {
	next, more := <-c
	if !more {
		return nil, io.EOF
	}
	return next, nil
}
func (c callers) Close() error   { return nil }
func (c callers) Addr() net.Addr { return address("") }

// door is a bounded listener, and those who called.
type door struct {
	t       *testing.T
	bounds  *intake.Connections
	callers callers
	outside net.Listener
}

func newDoor(t *testing.T, most, each int, tell func(intake.Refused)) *door {
	d := &door{t, intake.NewConnections(most, each, tell), make(callers, 1), nil}
	d.outside = d.bounds.Listen(d.callers)
	return d
}

// admits makes a connection, which must be let in.
func (d *door) admits(address string) (net.Conn, *from) {
	d.t.Helper()
	out := &from{address: address, closed: make(chan struct{})}
	d.callers <- out
	in, err := d.outside.Accept()
	if err != nil || isClosed(out) {
		d.t.Fatalf("%s was refused: %+v", address, d.bounds.Counts())
	}
	return in, out
}

func isClosed(c *from) bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

// A new connection takes the place of the one that has been idle longest.
func TestIdleConnectionsGiveWay(t *testing.T) {
	d := newDoor(t, 3, 3, nil)
	first, a := d.admits("192.0.2.1:1")
	second, b := d.admits("192.0.2.2:1")
	_, c := d.admits("192.0.2.3:1")
	d.bounds.Track(second, http.StateIdle)
	d.bounds.Track(first, http.StateIdle)
	d.admits("192.0.2.4:1")
	if !isClosed(b) || isClosed(a) || isClosed(c) {
		t.Errorf("closed: %t %t %t, want that which was idle first", isClosed(a), isClosed(b), isClosed(c))
	}
	d.bounds.Track(first, http.StateActive) // it has a request again
	if d.bounds.Track(second, http.StateIdle); d.bounds.Counts().Open != 3 {
		t.Errorf("%+v", d.bounds.Counts())
	}
	if counts := d.bounds.Counts(); counts.Closed != 1 || counts.Refused != 0 {
		t.Errorf("%+v", counts)
	}
}

// Where none is idle the new one is closed, and that is told.
func TestConnectionsBeyondTheBoundAreRefused(t *testing.T) {
	var told []intake.Refused
	d := newDoor(t, 3, 2, func(r intake.Refused) { told = append(told, r) })
	one, _ := d.admits("192.0.2.1:1")
	d.admits("192.0.2.1:2")
	for range 3 {
		out := &from{address: "192.0.2.1:3", closed: make(chan struct{})}
		d.callers <- out
		go func() {
			<-out.closed
			d.callers <- &from{address: "192.0.2.2:1", closed: make(chan struct{})}
		}()
		other, err := d.outside.Accept()
		if err != nil || !isClosed(out) || other.Close() != nil {
			t.Fatal("the third connection of an address was let in")
		}
	}
	if len(told) != 1 || !told[0].Own || told[0].Count != 1 || told[0].From.String() != "192.0.2.1" {
		t.Errorf("told %+v, want one message a minute", told)
	}
	if counts := d.bounds.Counts(); counts.Own != 3 || counts.Open != 2 {
		t.Errorf("%+v", counts)
	}
	_, _ = one.Close(), one.Close()
	if counts := d.bounds.Counts(); counts.Open != 1 {
		t.Errorf("%+v after a close, which counts once", counts)
	}
	d.admits("192.0.2.1:4")
}

// Requests that share connections have bounds of their own, of the same size.
func TestRequestsAreBounded(t *testing.T) {
	var told []intake.Refused
	bounds := intake.NewConnections(3, 2, func(r intake.Refused) { told = append(told, r) })
	asks := func(from string, want bool) func() {
		t.Helper()
		leave, ok := bounds.Request(from)
		if ok != want {
			t.Errorf("%s has a place: %t", from, ok)
		}
		return leave
	}
	leave := asks("192.0.2.1:1", true)
	asks("192.0.2.1:1", true)
	asks("[::ffff:192.0.2.1]:2", false)
	asks("[2001:db8::1]:1", true)
	asks("192.0.2.3:1", false)
	leave()
	asks("192.0.2.3:1", true)
	if counts := bounds.Counts(); counts.Own != 1 || counts.Refused != 1 || len(told) != 1 || !told[0].Own {
		t.Errorf("%+v, told %+v", counts, told)
	}
}

// Addresses of one IPv6 network are one caller; one that is mapped is that of IPv4.
func TestNetworksOfIPv6(t *testing.T) {
	d := newDoor(t, 10, 1, nil)
	own, a := d.admits("[2001:db8::1]:1")
	d.bounds.Track(own, http.StateIdle)
	d.admits("[2001:db8::2]:1")
	if !isClosed(a) {
		t.Error("two addresses of one network have a place each")
	}
	d.admits("[2001:db8:0:1::1]:1")
	mapped, b := d.admits("[::ffff:192.0.2.1]:1")
	d.bounds.Track(mapped, http.StateIdle)
	if d.admits("192.0.2.1:2"); !isClosed(b) {
		t.Error("a mapped address is another caller")
	}
}

func TestBytes(t *testing.T) {
	b := intake.NewBytes(100)
	for _, step := range []struct {
		caller string
		bytes  int64
		want   bool
	}{
		{"a", 40, true}, {"a", 20, false}, {"a", 10, true}, // half of it
		{"b", 51, false}, {"b", 50, true}, {"c", 1, false}, // no more
	} {
		if got := b.Take(step.caller, step.bytes); got != step.want {
			t.Errorf("%s takes %d: %t", step.caller, step.bytes, got)
		}
	}
	b.Give("a", 50)
	b.Give("b", 50)
	if held, refused := b.Held(); held != 0 || refused != 3 {
		t.Errorf("%d bytes are held, %d were refused", held, refused)
	}
	if !b.Take("a", 1000) || b.Take("b", 1) {
		t.Error("what is larger than the bound is taken alone, or never")
	}
}
