package retryhttp_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

func TestRepeatsUntilItWorks(t *testing.T) {
	t.Parallel()
	s := serve(t, failing(503, 2))
	resp := get(t, client(t, s, fast(t)), request(t, t.Context(), "GET", s.URL, nil))
	if body := resp.text; resp.StatusCode != 200 || body != "fine" {
		t.Error(resp.Status, body)
	}
	if o := resp.outcome; o.Attempts != 3 || o.Err != nil || o.Resent != 0 {
		t.Errorf("%+v", o)
	}
	for n := 1; n <= 3; n++ {
		attempt := string(rune('0' + n))
		if s.header(n, "Outlast-Attempt") != attempt || s.header(n, "Outlast-Max-Attempts") != "3" || s.header(n, "Retry-Attempt") != attempt+";max=3" {
			t.Error(n, s.seen[n-1].Header)
		}
		if s.header(n, "Outlast-Deadline") != "" {
			t.Error("a deadline out of nothing")
		}
	}
	if s.connections() != 1 {
		t.Errorf("%d connections: those of failed attempts were not used again", s.connections())
	}
}

// TestWhatIsRepeated: three attempts or one.
func TestWhatIsRepeated(t *testing.T) {
	t.Parallel()
	plain := context.Background()
	for _, row := range []struct {
		name    string
		ctx     context.Context
		method  string
		key     string
		status  int
		want    int
		options []retryhttp.Option
		policy  []retry.Option
	}{
		{name: "GET 503", method: "GET", status: 503, want: 3},
		{name: "GET 500", method: "GET", status: 500, want: 3},
		{name: "HEAD", method: "HEAD", status: 502, want: 3},
		{name: "OPTIONS", method: "OPTIONS", status: 504, want: 3},
		{name: "PUT", method: "PUT", status: 503, want: 3},
		{name: "DELETE", method: "DELETE", status: 503, want: 3},
		{name: "POST", method: "POST", status: 503, want: 1},
		{name: "PATCH", method: "PATCH", status: 500, want: 1},
		{name: "unknown method", method: "BREW", status: 503, want: 1},
		{name: "POST that was not processed", method: "POST", status: 429, want: 3},
		{name: "POST with a key", method: "POST", key: "Idempotency-Key", status: 503, want: 3},
		{name: "POST with the other key", method: "POST", key: "X-Idempotency-Key", status: 503, want: 3},
		{name: "POST declared", ctx: retryhttp.Idempotent(plain), method: "POST", status: 503, want: 3},
		{name: "GET declared", ctx: retryhttp.NotIdempotent(plain), method: "GET", status: 503, want: 1},
		{name: "declared against the key", ctx: retryhttp.NotIdempotent(plain), method: "POST", key: "Idempotency-Key", status: 503, want: 1},
		{name: "the inner declaration counts", ctx: retryhttp.Idempotent(retryhttp.NotIdempotent(plain)), method: "POST", status: 503, want: 3},
		{name: "by function", method: "POST", status: 503, want: 3, options: []retryhttp.Option{
			retryhttp.IdempotentIf(func(r *http.Request) bool { return r.URL.Path == "/query" }),
		}},
		{name: "GET, against the policy", method: "GET", status: 503, want: 1, policy: []retry.Option{retry.NotIdempotent()}},
		{name: "key and function, against the policy", method: "POST", key: "Idempotency-Key", status: 503, want: 1, policy: []retry.Option{retry.NotIdempotent()}, options: []retryhttp.Option{
			retryhttp.IdempotentIf(func(*http.Request) bool { return true }),
		}},
		{name: "not processed, against the policy", method: "GET", status: 429, want: 3, policy: []retry.Option{retry.NotIdempotent()}},
		{name: "POST, by the policy", method: "POST", status: 503, want: 3, policy: []retry.Option{retry.Idempotent()}},
		{name: "declared against the policy", ctx: retryhttp.NotIdempotent(plain), method: "POST", status: 503, want: 1, policy: []retry.Option{retry.Idempotent()}},
		{name: "not found", method: "GET", status: 404, want: 1},
		{name: "not implemented", method: "GET", status: 501, want: 1},
		{name: "not modified", method: "GET", status: 304, want: 1},
		{name: "by verdict", method: "GET", status: 200, want: 3, options: []retryhttp.Option{
			retryhttp.Answers(func(*http.Response) (retry.Verdict, bool) {
				return retry.Verdict{Category: retry.Unavailable, Effect: retry.Maybe}, true
			}),
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, failing(row.status, always))
			if row.ctx == nil {
				row.ctx = plain
			}
			req := request(t, row.ctx, row.method, s.URL+"/query", strings.NewReader("hello"))
			if row.key != "" {
				req.Header.Set(row.key, "k-1")
			}
			resp := get(t, client(t, s, fast(t, row.policy...), row.options...), req)
			if s.requests() != row.want || resp.outcome.Attempts != row.want || resp.StatusCode != row.status {
				t.Errorf("%d requests, %+v, %s", s.requests(), resp.outcome, resp.Status)
			}
		})
	}
}

// TestAnEmptyKeyIsNone: a header without a value identifies nothing.
func TestAnEmptyKeyIsNone(t *testing.T) {
	t.Parallel()
	s := serve(t, failing(503, always))
	req := request(t, t.Context(), "POST", s.URL, nil)
	req.Header.Set("Idempotency-Key", "")
	get(t, client(t, s, fast(t)), req)
	if s.requests() != 1 {
		t.Error(s.requests())
	}
}

func TestTheLastAnswerIsReturned(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 20_000) // more than is read ahead
	for name, payload := range map[string]string{"short": "why it failed", "long": long, "none": ""} {
		for _, chunked := range []bool{false, true} {
			s := serve(t, func(w http.ResponseWriter, _ *http.Request, _ int) {
				w.Header().Set("X-Reason", "because")
				w.WriteHeader(503)
				if chunked {
					w.(http.Flusher).Flush()
				}
				io.WriteString(w, payload) //nolint:errcheck // test
			})
			c := client(t, s, fast(t))
			c.Timeout = time.Minute // wraps the body
			req := request(t, t.Context(), "GET", s.URL, nil)
			resp := get(t, c, req)
			o := resp.outcome
			if o.Attempts != 3 || !errors.Is(o.Err, retry.ErrAttempts) || resp.Header.Get("X-Reason") != "because" || resp.Request.URL != req.URL {
				t.Errorf("%s: %+v, %v", name, o, resp.Header)
			}
			if got := resp.text; got != payload {
				t.Errorf("%s: got %d bytes of %d", name, len(got), len(payload))
			}
		}
	}
}

func TestConnectionRefused(t *testing.T) {
	t.Parallel()
	const nobody = "http://127.0.0.1:9" // a port that was free a moment ago may be somebody's by now
	for _, method := range []string{"GET", "POST"} {
		_, err := client(t, nil, fast(t)).Do(request(t, t.Context(), method, nobody, strings.NewReader("x"))) //nolint:bodyclose // there is none
		end, ok := errors.AsType[*retry.Error](err)
		if !ok || end.Attempts != 3 || !errors.Is(err, retry.ErrAttempts) || retry.Classify(end.Last).Code != "ECONNREFUSED" {
			t.Error(method, err)
		}
	}
}

// TestRequestsAreNotModified is the contract of http.RoundTripper.
func TestRequestsAreNotModified(t *testing.T) {
	t.Parallel()
	s := serve(t, failing(503, always))
	req := request(t, t.Context(), "PUT", s.URL, strings.NewReader("hello"))
	req.Header.Set("X", "y")
	before := req.Clone(t.Context())
	body := req.Body
	get(t, client(t, s, fast(t)), req)
	if !reflect.DeepEqual(req.Header, before.Header) || req.Body != body || req.URL.String() != before.URL.String() || req.Context() != t.Context() {
		t.Errorf("before %+v, after %+v", before, req)
	}
}

func TestNoHeaders(t *testing.T) {
	t.Parallel()
	s := serve(t, failing(503, 1))
	get(t, client(t, s, fast(t), retryhttp.NoHeaders()), request(t, t.Context(), "GET", s.URL, nil))
	for n := 1; n <= 2; n++ {
		for name := range s.seen[n-1].Header {
			if strings.Contains(name, "Outlast") || strings.Contains(name, "Retry") {
				t.Error(n, name)
			}
		}
	}
}

func TestDeadlineIsAnnounced(t *testing.T) {
	t.Parallel()
	s := serve(t, failing(503, 1))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	get(t, client(t, s, fast(t, retry.TTL(time.Hour))), request(t, ctx, "GET", s.URL, nil))
	until, _ := ctx.Deadline()
	for n := 1; n <= 2; n++ {
		if got := s.header(n, "Outlast-Deadline"); got != until.UTC().Format(time.RFC3339Nano) {
			t.Error(got, until)
		}
		if got := s.header(n, "Retry-Attempt"); !strings.Contains(got, ";max=3;ddl=59") && !strings.Contains(got, ";max=3;ddl=600000") {
			t.Error(got)
		}
	}
	// The policy's own limit counts where it is the nearer one.
	begin := time.Now()
	get(t, client(t, s, fast(t, retry.TTL(time.Minute))), request(t, ctx, "GET", s.URL, nil))
	if at, err := time.Parse(time.RFC3339, s.header(3, "Outlast-Deadline")); err != nil || at.Sub(begin) > 2*time.Minute {
		t.Error(at, err)
	}
}

// TestHTTP2 goes through the same with HTTP/2, and trailers arrive.
func TestHTTP2(t *testing.T) {
	t.Parallel()
	s := unstarted(func(w http.ResponseWriter, r *http.Request, n int) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Trailer", "X-Sum")
		if n < 3 {
			w.WriteHeader(503)
		}
		io.WriteString(w, r.Proto+" "+string(body)) //nolint:errcheck // test
		w.Header().Set("X-Sum", r.Trailer.Get("X-Up"))
	})
	s.EnableHTTP2 = true
	s.StartTLS()
	defer s.Close()
	req := request(t, t.Context(), "PUT", s.URL, io.MultiReader(strings.NewReader("hello"))) // no GetBody
	req.Trailer = http.Header{"X-Up": {"7"}}
	resp := get(t, client(t, s, fast(t, retry.PerAttempt(time.Minute))), req)
	if body := resp.text; body != "HTTP/2.0 hello" || resp.Trailer.Get("X-Sum") != "7" || s.requests() != 3 || s.connections() != 1 {
		t.Error(body, resp.Trailer, s.requests(), s.connections())
	}
}

// TestRedirect: http.Client follows them above, body included.
func TestRedirect(t *testing.T) {
	t.Parallel()
	var s *receiver
	s = serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		s.keepBody(r)
		switch {
		case n == 1:
			w.WriteHeader(503)
		case r.URL.Path == "/a":
			http.Redirect(w, r, "/b", http.StatusTemporaryRedirect)
		}
	})
	resp := get(t, client(t, s, fast(t)), request(t, t.Context(), "PUT", s.URL+"/a", strings.NewReader("hello")))
	if resp.StatusCode != 200 || resp.Request.URL.Path != "/b" || s.requests() != 3 || strings.Join(s.sent, " ") != "hello hello hello" {
		t.Error(resp.Status, resp.Request.URL, s.sent)
	}
}

// TestManyAtOnce shares one transport between many goroutines.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request, n int) {
		if n%3 != 0 {
			w.WriteHeader(503)
		}
		io.Copy(w, r.Body) //nolint:errcheck // test
	})
	c := client(t, s, fast(t, retry.Attempts(100), retry.Fixed(time.Millisecond), retry.PerAttempt(time.Minute)))
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() {
			for range 5 {
				resp, err := c.Do(request(t, t.Context(), "PUT", s.URL, io.MultiReader(strings.NewReader("hello"))))
				if err != nil {
					t.Error(err)
					return
				}
				if body := text(t, resp); body != "hello" || resp.StatusCode != 200 {
					t.Error(resp.Status, body)
				}
			}
		})
	}
	group.Wait()
}

func TestCloseIdleConnections(t *testing.T) {
	t.Parallel()
	s := serve(t, failing(0, 0))
	c := client(t, s, fast(t))
	for range 2 {
		get(t, c, request(t, t.Context(), "GET", s.URL, nil))
		c.CloseIdleConnections()
	}
	if s.connections() != 2 {
		t.Error(s.connections())
	}
}

// TestNothingIsLostWithoutURL: what is wrong with a request is said by the base.
func TestNothingIsLostWithoutURL(t *testing.T) {
	t.Parallel()
	_, err := retryhttp.New(nil, nil).RoundTrip(&http.Request{}) //nolint:bodyclose // there is none
	if err == nil || !strings.Contains(err.Error(), "URL") {
		t.Error(err)
	}
}
