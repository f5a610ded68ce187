package server_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/server"
)

// selfSigned is what a server shows that nobody asks for its name.
func selfSigned(t *testing.T) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	of := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, of, of, key.Public(), key)
	must(t, err)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, NextProtos: []string{"h2", "http/1.1"}, MinVersion: tls.VersionTLS12}
}

// inSecureBubble runs a server with TLS in virtual time.
func inSecureBubble(t *testing.T, limits server.Limits, tokens bool, do func(t *testing.T, p pipes)) {
	t.Helper()
	secured := selfSigned(t)
	inBubble(t, limits, tokens, func(t *testing.T, p pipes, s *server.Server) {
		web := s.HTTP()
		web.TLSConfig = secured
		over := pipes{make(chan net.Conn), make(chan struct{})}
		ended := make(chan error, 1)
		go func() { ended <- web.ServeTLS(s.Listen(over), "", "") }()
		defer func() {
			close(over.ended)
			<-ended
			_ = web.Close()
		}()
		do(t, over)
	})
}

// secure is a connection with TLS, of one protocol.
func secure(t *testing.T, p pipes, protocol string) *tls.Conn {
	t.Helper()
	c := tls.Client(p.dial(), &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}}) //nolint:gosec // our own
	must(t, c.Handshake())
	return c
}

// framed is a caller who speaks HTTP/2 frame by frame.
type framed struct {
	t *testing.T
	*http2.Framer
	conn   net.Conn
	one    sync.Mutex      // who writes
	heard  chan heardFrame // closed when the connection has ended
	block  bytes.Buffer
	fields *hpack.Encoder
	last   uint32
}

// heardFrame is what a frame says of a stream: the frame itself holds until the next one is read.
type heardFrame struct {
	stream uint32
	status string
	ended  bool
}

func hear(frame http2.Frame) heardFrame {
	h := heardFrame{stream: frame.Header().StreamID}
	switch frame := frame.(type) {
	case *http2.MetaHeadersFrame:
		h.status, h.ended = frame.PseudoValue("status"), frame.StreamEnded()
	case *http2.DataFrame:
		h.ended = frame.StreamEnded()
	case *http2.RSTStreamFrame:
		h.ended = true
	}
	return h
}

// speak begins HTTP/2 with a window for each answer. Frames are read all the time, pings
// are answered.
func speak(t *testing.T, p pipes, window uint32) *framed {
	t.Helper()
	c := secure(t, p, "h2")
	f := &framed{t: t, Framer: http2.NewFramer(c, c), conn: c, heard: make(chan heardFrame, 1000)}
	f.fields = hpack.NewEncoder(&f.block)
	decoder := hpack.NewDecoder(4096, nil)
	f.ReadMetaHeaders = decoder
	go func() {
		defer close(f.heard)
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			if ping, ok := frame.(*http2.PingFrame); ok && !ping.IsAck() {
				data := ping.Data
				go f.say(func() error { return f.WritePing(true, data) })
				continue
			}
			f.heard <- hear(frame)
		}
	}()
	_, err := c.Write([]byte(http2.ClientPreface))
	must(t, err)
	f.window(window)
	return f
}

// say writes a frame; what the server has no ears for shows in what it says.
func (f *framed) say(write func() error) {
	f.one.Lock()
	defer f.one.Unlock()
	_ = write()
}

// window says how much of each answer is taken.
func (f *framed) window(size uint32) {
	f.say(func() error { return f.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: size}) })
}

// ask sends the header of a request, and the number of its stream.
func (f *framed) ask(line string, length int, whole bool) uint32 {
	f.t.Helper()
	f.block.Reset()
	method, path, _ := strings.Cut(line, " ")
	for _, field := range [][2]string{
		{":method", method}, {":scheme", "https"}, {":authority", "localhost"}, {":path", path}, {"content-type", "application/json"},
	} {
		must(f.t, f.fields.WriteField(hpack.HeaderField{Name: field[0], Value: field[1]}))
	}
	if length > 0 {
		must(f.t, f.fields.WriteField(hpack.HeaderField{Name: "content-length", Value: fmt.Sprint(length)}))
	}
	f.last += 2
	id := f.last - 1
	f.say(func() error {
		return f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: f.block.Bytes(), EndHeaders: whole, EndStream: length == 0})
	})
	return id
}

// hears returns the status of a stream's answer, and whether the stream, or all of the
// connection, has ended within a time.
func (f *framed) hears(id uint32, within time.Duration) (status string, ended bool) {
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		select {
		case h, more := <-f.heard:
			if !more {
				return status, true
			}
			if h.stream != id {
				continue
			}
			if h.status != "" {
				status = h.status
			}
			if h.ended {
				return status, true
			}
		case <-timer.C:
			return status, false
		}
	}
}

// Whoever stops at any point of a connection with TLS, or of HTTP/2, loses it.
func TestConnectionsWithTLSHaveDeadlines(t *testing.T) {
	racetest.WithoutDetector(t)
	begun := func(line string, length int, whole bool) func(*testing.T, pipes) net.Conn {
		return func(t *testing.T, p pipes) net.Conn {
			f := speak(t, p, 1<<16)
			f.ask(line, length, whole)
			return f.conn
		}
	}
	for _, one := range []struct {
		name   string
		within time.Duration
		do     func(*testing.T, pipes) net.Conn
	}{
		{"no handshake", 10 * time.Second, func(_ *testing.T, p pipes) net.Conn { return p.dial() }},
		{"half a handshake", 10 * time.Second, func(t *testing.T, p pipes) net.Conn {
			c := p.dial()
			_, err := c.Write([]byte{22, 3, 1, 2, 0, 1, 0})
			must(t, err)
			return c
		}},
		{"no header", 10 * time.Second, func(t *testing.T, p pipes) net.Conn { return secure(t, p, "http/1.1") }},
		{"half a header", 10 * time.Second, func(t *testing.T, p pipes) net.Conn {
			c := secure(t, p, "http/1.1")
			_, err := c.Write([]byte("GET /livez HTTP/1.1\r\nHost: local"))
			must(t, err)
			return c
		}},
		{"no preface", 10 * time.Second, func(t *testing.T, p pipes) net.Conn { return secure(t, p, "h2") }},
		{"no stream", 2 * time.Minute, func(t *testing.T, p pipes) net.Conn { return speak(t, p, 1<<16).conn }},
		{"half a header of HTTP/2", 2 * time.Minute, begun("GET /livez", 0, false)},
		{"a stream that is over", 2 * time.Minute, begun("GET /livez", 0, true)},
		{"an unsent body", 2*time.Minute + 10*time.Second, begun("POST /v1/tasks", 60000, true)},
	} {
		t.Run(one.name, func(t *testing.T) {
			inSecureBubble(t, server.Limits{}, false, func(t *testing.T, p pipes) {
				c := one.do(t, p)
				defer c.Close()
				time.Sleep(one.within + 6*time.Second) // sleep: virtual; 5 s are for the farewell of TLS
				_ = c.SetWriteDeadline(time.Now().Add(time.Second))
				if secured, ok := c.(*tls.Conn); ok {
					c = secured.NetConn()
				}
				if _, err := c.Write([]byte{0}); err == nil || isTimeout(err) {
					t.Errorf("the connection is open after %s: %v", one.within, err)
				}
			})
		})
	}
}

func isTimeout(err error) bool {
	timeout, ok := err.(net.Error) //nolint:errorlint // as net.Pipe returns it
	return ok && timeout.Timeout()
}

// A stream of HTTP/2 that does not send its body, or does not take its answer, ends alone.
func TestStreamsOfHTTP2HaveDeadlines(t *testing.T) {
	racetest.WithoutDetector(t)
	for _, one := range []struct {
		line, status string
		length       int
		tokens       bool
		within       time.Duration
	}{
		{"POST /v1/tasks", "401", 60000, true, 0},
		{"POST /v1/nothing", "404", 60000, false, 0},
		{"GET /metrics", "200", 60000, false, 0},
		{"POST /v1/tasks", "408", 60000, false, 10 * time.Second},
	} {
		inSecureBubble(t, server.Limits{}, one.tokens, func(t *testing.T, p pipes) {
			f := speak(t, p, 1<<20)
			defer f.conn.Close()
			if status, ended := f.hears(f.ask(one.line, one.length, true), one.within+time.Second); status != one.status || !ended {
				t.Errorf("%s without its body: status %q, ended: %t", one.line, status, ended)
			}
		})
	}
	for line, within := range map[string]time.Duration{
		"GET /v1/queues": 30 * time.Second, "GET /v1/nothing": 30 * time.Second, "GET /livez": 30 * time.Second, "GET /openapi.json": 30 * time.Second,
		"GET /metrics": time.Minute, "GET /": time.Minute, "GET /v1/events": 10 * time.Second,
	} {
		inSecureBubble(t, server.Limits{}, false, func(t *testing.T, p pipes) {
			f := speak(t, p, 0)
			defer f.conn.Close()
			unread := f.ask(line, 0, true)
			if status, ended := f.hears(unread, within+time.Second); status == "" || !ended {
				t.Errorf("%s, unread: status %q, ended: %t", line, status, ended)
			}
			f.window(1 << 20)
			if status, ended := f.hears(f.ask("GET /livez", 0, true), time.Second); status != "200" || !ended {
				t.Errorf("after %s the connection answers %q", line, status)
			}
		})
	}
}

// Requests of HTTP/2 share connections: they are bounded as these are, and what is beyond
// is refused without a body, which the caller would have to take.
func TestRequestsOfHTTP2AreBounded(t *testing.T) {
	inSecureBubble(t, server.Limits{Connections: 8, PerAddress: 3}, false, func(t *testing.T, p pipes) {
		one, other := speak(t, p, 0), speak(t, p, 0)
		defer one.conn.Close()
		defer other.conn.Close()
		first := one.ask("GET /v1/events?for=5m", 0, true)
		one.ask("GET /livez", 0, true) // which nobody takes
		other.ask("GET /v1/nothing", 0, true)
		time.Sleep(time.Second) // sleep: virtual
		if status, ended := other.hears(other.ask("GET /livez", 0, true), time.Second); status != "503" || !ended {
			t.Errorf("the fourth of an address: status %q, ended: %t", status, ended)
		}
		one.say(func() error { return one.WriteRSTStream(first, http2.ErrCodeCancel) })
		time.Sleep(time.Second) // sleep: virtual
		if status, _ := other.hears(other.ask("GET /livez", 0, true), time.Second); status != "200" {
			t.Errorf("once one has gone: status %q", status)
		}
	})
}

// kept is a body that knows whether it was given up.
type kept struct {
	io.Reader
	closed bool
}

func (k *kept) Close() error {
	k.closed = true
	return nil
}

// answering is an answer that knows whether the body was given up before it went out.
type answering struct {
	header http.Header
	body   *kept
	before bool
}

func (a *answering) Header() http.Header { return a.header }
func (a *answering) WriteHeader(int)     { a.before = a.body.closed }
func (a *answering) Write(b []byte) (int, error) {
	return len(b), nil
}

// HTTP/2 takes in what is sent whether or not it is read. A body that nobody reads is let
// go before the answer, for which the caller may take its time.
func TestUnreadBodiesOfHTTP2AreLetGo(t *testing.T) {
	a := start(t)
	for _, line := range []string{"POST /v1/nothing", "GET /livez", "GET /"} {
		method, path, _ := strings.Cut(line, " ")
		req, err := http.NewRequestWithContext(t.Context(), method, "http://localhost"+path, http.NoBody)
		must(t, err)
		body := &kept{Reader: strings.NewReader("{")}
		req.Body, req.ContentLength, req.ProtoMajor = body, 1000, 2
		answer := &answering{header: http.Header{}, body: body}
		a.server.ServeHTTP(answer, req)
		if !answer.before {
			t.Errorf("%s: its body is held until the answer is taken", line)
		}
	}
}
