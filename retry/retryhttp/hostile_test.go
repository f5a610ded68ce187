package retryhttp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

// raw is a server below HTTP: handle gets each connection with its number.
func raw(t *testing.T, handle func(conn net.Conn, n int)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for n := 1; ; n++ {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer conn.Close()
				handle(conn, n)
			})
		}
	})
	t.Cleanup(func() { listener.Close(); group.Wait() })
	return "http://" + listener.Addr().String()
}

// take reads one request without a body.
func take(conn net.Conn) bool {
	reader := textproto.NewReader(bufio.NewReader(conn))
	for {
		line, err := reader.ReadLine()
		if err != nil || line == "" {
			return err == nil
		}
	}
}

// hang waits until the other side closes.
func hang(conn net.Conn) { io.Copy(io.Discard, conn) } //nolint:errcheck // test

func say(conn net.Conn, text string) { io.WriteString(conn, text) } //nolint:errcheck // test

const fine = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine"

// TestHostileServers: the first attempts meet something bad, the third works.
func TestHostileServers(t *testing.T) {
	t.Parallel()
	for name, bad := range map[string]func(conn net.Conn){
		"hangs":                 func(c net.Conn) { hang(c) },
		"closes":                func(net.Conn) {},
		"resets":                func(c net.Conn) { take(c); c.(*net.TCPConn).SetLinger(0) }, //nolint:errcheck // test
		"closes after a line":   func(c net.Conn) { take(c); say(c, "HTTP/1.1 200 OK\r\n") },
		"garbage":               func(c net.Conn) { take(c); say(c, "\x00\xff\xfe what\r\n\r\n") },
		"slow header":           func(c net.Conn) { take(c); say(c, "HTTP/1.1 200 OK\r\nX-Slow: "); hang(c) },
		"endless header":        func(c net.Conn) { take(c); endless(c, "HTTP/1.1 200 OK\r\n", "X-Y: z\r\n") },
		"endless informational": func(c net.Conn) { take(c); endless(c, "", "HTTP/1.1 102 Processing\r\n\r\n") },
		"failure, slow body":    func(c net.Conn) { take(c); say(c, "HTTP/1.1 503 X\r\nContent-Length: 9\r\n\r\na"); hang(c) },
		"failure, broken body":  func(c net.Conn) { take(c); say(c, "HTTP/1.1 503 X\r\nContent-Length: 9\r\n\r\na") },
		"failure, endless body": func(c net.Conn) { take(c); endless(c, "HTTP/1.1 503 X\r\n\r\n", strings.Repeat("x", 4096)) },
		"failure, broken chunks": func(c net.Conn) {
			take(c)
			say(c, "HTTP/1.1 503 X\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
			hang(c)
		},
		"failure, garbage hint": func(c net.Conn) {
			take(c)
			say(c, "HTTP/1.1 503 X\r\nRetry-After: soon\x80\r\nContent-Length: 0\r\n\r\n")
		},
		"failure, negative hint": func(c net.Conn) { take(c); say(c, "HTTP/1.1 503 X\r\nRetry-After: -5\r\nContent-Length: 0\r\n\r\n") },
		"failure, hint in a past": func(c net.Conn) {
			take(c)
			say(c, "HTTP/1.1 503 X\r\nRetry-After: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 0\r\n\r\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := raw(t, func(conn net.Conn, n int) {
				if n < 3 {
					bad(conn)
					return
				}
				for take(conn) {
					say(conn, fine)
				}
			})
			// On a busy machine an attempt may end before it has met anybody.
			c := client(t, nil, fast(t, retry.PerAttempt(300*time.Millisecond), retry.Attempts(30)))
			resp, err := c.Do(request(t, t.Context(), "GET", url, nil))
			if err != nil {
				t.Fatal(err)
			}
			o := retryhttp.OutcomeOf(resp)
			if body := text(t, resp); body != "fine" || o.Attempts < 3 {
				t.Errorf("%q, %+v", body, o)
			}
			c.CloseIdleConnections()
		})
	}
}

func endless(conn net.Conn, first, again string) {
	say(conn, first)
	for {
		if _, err := io.WriteString(conn, again); err != nil {
			return
		}
	}
}

// TestHugeFailure: a gigabyte that nobody wants is not read.
func TestHugeFailure(t *testing.T) {
	t.Parallel()
	var written atomic.Int64
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		if n > 2 {
			return
		}
		w.WriteHeader(503)
		block := make([]byte, 1<<16)
		for range 1 << 14 {
			n, err := w.Write(block)
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	get(t, client(t, s, fast(t)), request(t, t.Context(), "GET", s.URL, nil))
	s.Close()
	if written.Load() > 64<<20 { // what fits into the buffers of the sockets
		t.Errorf("the server could write %d MiB", written.Load()>>20)
	}
}

// TestTimeoutCoversTheBody: and the context lives on until then.
func TestTimeoutCoversTheBody(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		io.WriteString(w, "begin ") //nolint:errcheck // test
		w.(http.Flusher).Flush()
		select {
		case <-release:
			io.WriteString(w, "end") //nolint:errcheck // test
		case <-r.Context().Done():
		}
	})
	c := client(t, s, fast(t, retry.PerAttempt(time.Second)))
	begin := time.Now()
	resp, err := c.Do(request(t, t.Context(), "GET", s.URL, nil))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if string(body) != "begin " || !errors.Is(err, retry.ErrAttemptTimeout) || time.Since(begin) < time.Second {
		t.Error(string(body), err, time.Since(begin))
	}

	// Within its time the body arrives whole, long after the header.
	resp, err = client(t, s, fast(t, retry.PerAttempt(time.Minute))).Do(request(t, t.Context(), "GET", s.URL, nil))
	close(release)
	if err != nil {
		t.Fatal(err)
	}
	if body := text(t, resp); body != "begin end" {
		t.Error(body)
	}
}

// TestCancel: the caller ends a wait at once, and what was last seen is not lost.
func TestCancel(t *testing.T) {
	t.Parallel()
	s := serve(t, failing(503, always))
	ctx, cancel := context.WithCancelCause(t.Context())
	mine := errors.New("enough")
	policy := fast(t, retry.Fixed(time.Hour), retry.WithJitter(retry.NoJitter()), retry.Observe(retry.Observer{
		Wait: func(retry.WaitEvent) { cancel(mine) },
	}))
	_, err := client(t, s, policy).Do(request(t, ctx, "GET", s.URL, nil)) //nolint:bodyclose // there is none
	if !errors.Is(err, mine) || s.requests() != 1 {
		t.Error(err, s.requests())
	}
	if answer, ok := errors.AsType[*retryhttp.StatusError](err); !ok || answer.StatusCode != 503 || answer.RetryVerdict().Code != "503" {
		t.Error("the 503 is lost:", err)
	}
}

// TestCancelDuringBody: the caller's context still rules the body.
func TestCancelDuringBody(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]retry.Option{"plain": nil, "with a timeout": {retry.PerAttempt(time.Minute)}} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		})
		ctx, cancel := context.WithCancel(t.Context())
		resp, err := client(t, s, fast(t, opts...)).Do(request(t, ctx, "GET", s.URL, nil))
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.Canceled) {
			t.Error(name, err)
		}
		resp.Body.Close()
	}
}

// TestNoTimeForTheHint: a wait past the deadline is not begun.
func TestNoTimeForTheHint(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
		w.Header().Set("Retry-After", "50")
		w.WriteHeader(429)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	resp := get(t, client(t, s, fast(t)), request(t, ctx, "GET", s.URL, nil))
	if o := resp.outcome; resp.StatusCode != 429 || o.Attempts != 1 || !errors.Is(o.Err, retry.ErrNoTime) {
		t.Errorf("%s %+v", resp.Status, o)
	}
}

// TestResent: what net/http repeats by itself is counted, and only where it does.
func TestResent(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, method, key string
		body              string
		resent, attempts  int
	}{
		{"GET", "GET", "", "", 1, 1},
		{"POST with a key", "POST", "k", "", 1, 1},
		{"PUT", "PUT", "", "", 0, 2},
	} {
		// The first connection answers one request and breaks at the second.
		url := raw(t, func(conn net.Conn, n int) {
			take(conn)
			say(conn, fine)
			if n == 1 {
				take(conn)
				return
			}
			hang(conn)
		})
		c := client(t, nil, fast(t))
		send := func() *reply {
			req := request(t, t.Context(), row.method, url, nil)
			if row.key != "" {
				req.Header.Set("Idempotency-Key", row.key)
			}
			return get(t, c, req)
		}
		send()
		resp := send()
		if o := resp.outcome; o.Resent != row.resent || o.Attempts != row.attempts || o.Err != nil {
			t.Errorf("%s: %+v", row.name, o)
		}
		c.CloseIdleConnections()
	}
	// A plain POST that was written is not sent again by anybody.
	url := raw(t, func(conn net.Conn, _ int) { take(conn); say(conn, fine); take(conn) })
	c := client(t, nil, fast(t))
	get(t, c, request(t, t.Context(), "POST", url, nil))
	_, err := c.Do(request(t, t.Context(), "POST", url, nil)) //nolint:bodyclose // there is none
	if end, ok := errors.AsType[*retry.Error](err); !ok || end.Attempts != 1 || !errors.Is(err, retry.ErrUnsafe) {
		t.Error(err)
	}
}

// TestInformational: 1xx answers reach the caller's trace.
func TestInformational(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request, n int) {
		w.WriteHeader(http.StatusEarlyHints)
		if n == 1 {
			w.WriteHeader(503)
		}
	})
	var hints, written atomic.Int64
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(int, textproto.MIMEHeader) error { hints.Add(1); return nil },
		WroteRequest:   func(httptrace.WroteRequestInfo) { written.Add(1) },
	})
	resp := get(t, client(t, s, fast(t, retry.PerAttempt(time.Minute))), request(t, ctx, "GET", s.URL, nil))
	if resp.StatusCode != 200 || hints.Load() != 2 || written.Load() != 2 {
		t.Error(resp.Status, hints.Load(), written.Load())
	}
}

// TestUpgrade: the connection of a switched protocol can be written.
func TestUpgrade(t *testing.T) {
	t.Parallel()
	url := raw(t, func(conn net.Conn, _ int) {
		take(conn)
		say(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
		io.Copy(conn, conn) //nolint:errcheck // test
	})
	req := request(t, t.Context(), "GET", url, nil)
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", "echo")
	resp, err := client(t, nil, fast(t, retry.PerAttempt(time.Minute))).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	conn, ok := resp.Body.(io.ReadWriter)
	if !ok {
		t.Fatalf("%T", resp.Body)
	}
	say := make([]byte, 5)
	if _, err := conn.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(conn, say); err != nil || string(say) != "hello" {
		t.Error(string(say), err)
	}
}

// TestClosedConnections: a request that asks for it gets a connection each time.
func TestClosedConnections(t *testing.T) {
	t.Parallel()
	s := serve(t, failing(503, 2))
	req := request(t, t.Context(), "GET", s.URL, nil)
	req.Close = true
	get(t, client(t, s, fast(t)), req)
	if s.requests() != 3 || s.connections() != 3 {
		t.Error(s.requests(), s.connections())
	}
}
