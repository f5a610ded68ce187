package stormtest

import (
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// local is a receiver in virtual time, which is called through pipes.
type local struct {
	*receiver
	t     *testing.T
	made  chan net.Conn
	ended chan struct{}
}

func (l *local) Accept() (net.Conn, error) {
	select {
	case c := <-l.made:
		return c, nil
	case <-l.ended:
		return nil, net.ErrClosed
	}
}

func (l *local) Close() error   { return nil }
func (l *local) Addr() net.Addr { return &net.TCPAddr{} }

func (l *local) dial(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	l.made <- there
	return here, nil
}

func (l *local) address() (string, time.Time) { return "http://receiver", l.counted.start }
func (l *local) history() history             { return l.counted.all() }

func (l *local) become(m mode) time.Duration {
	at, err := l.receiver.become(m)
	if err != nil {
		l.t.Error(err)
	}
	return at
}

// virtually makes a run in which only what is promised takes time, and no machine.
func virtually(t *testing.T, p plan, load func(*testing.T) *callers) (r *result) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		to := &local{newReceiver(), t, make(chan net.Conn), make(chan struct{})}
		to.server = &http.Server{Handler: to.receiver}
		served := make(chan error, 1)
		go func() { served <- to.server.Serve(to) }()
		l := load(t)
		l.dial = to.dial
		r = p.on(t, to, l)
		close(to.ended)
		<-served
		_ = to.server.Close()
		time.Sleep(time.Minute) // virtual: what has no caller any more is served all the same
	})
	return r
}
