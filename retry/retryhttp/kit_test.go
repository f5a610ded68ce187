package retryhttp_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fast is a policy whose waits a test does not notice.
func fast(t testing.TB, opts ...retry.Option) *retry.Policy {
	t.Helper()
	p, err := retry.New(append([]retry.Option{retry.Attempts(3), retry.Exponential(time.Millisecond, 2, time.Minute)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// receiver is a server that counts connections and notes requests.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	conns int
	seen  []*http.Request
	sent  []string // bodies
}

// serve starts a receiver whose answers are given by the number of the request.
func serve(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, n int)) *receiver {
	t.Helper()
	s := unstarted(answer)
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func unstarted(answer func(w http.ResponseWriter, r *http.Request, n int)) *receiver {
	s := &receiver{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r)
		n := len(s.seen)
		s.mu.Unlock()
		answer(w, r, n)
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.mu.Lock()
			s.conns++
			s.mu.Unlock()
		}
	}
	return s
}

// requests is how many requests came.
func (s *receiver) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.seen)
}

// connections is how many connections were made.
func (s *receiver) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

// header is what the n-th request, from 1, had in a header.
func (s *receiver) header(n int, name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[n-1].Header.Get(name)
}

// keepBody reads a request's body and notes it.
func (s *receiver) keepBody(r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		body = append(body, " broken"...)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, string(body))
}

// failing answers with status for the first so many requests, then with 200.
func failing(status, times int) func(http.ResponseWriter, *http.Request, int) {
	return func(w http.ResponseWriter, r *http.Request, n int) {
		io.Copy(io.Discard, r.Body) //nolint:errcheck // test
		if n <= times {
			if status == http.StatusTooManyRequests {
				w.Header().Set("Outlast-Retry", "1ms") // else the wait is a second
			}
			http.Error(w, "not now", status)
			return
		}
		io.WriteString(w, "fine") //nolint:errcheck // test
	}
}

const always = 1 << 30

// client makes a client over a base of its own.
func client(t testing.TB, s *receiver, policy *retry.Policy, opts ...retryhttp.Option) *http.Client {
	t.Helper()
	base := newBase(t)
	if s != nil && s.TLS != nil {
		base = s.Client().Transport.(*http.Transport)
	}
	return &http.Client{Transport: retryhttp.New(base, policy, opts...)}
}

func newBase(t testing.TB) *http.Transport {
	base := &http.Transport{}
	t.Cleanup(base.CloseIdleConnections)
	return base
}

func request(t testing.TB, ctx context.Context, method, url string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// text reads and closes an answer's body.
func text(t testing.TB, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error("body:", err)
	}
	return string(body)
}

// reply is an answer whose body has been read.
type reply struct {
	*http.Response
	text    string
	outcome retryhttp.Outcome
}

// get expects an answer.
func get(t testing.TB, c *http.Client, req *http.Request) *reply {
	t.Helper()
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return &reply{resp, text(t, resp), retryhttp.OutcomeOf(resp)}
}
