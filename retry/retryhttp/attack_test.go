package retryhttp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
)

type counted struct {
	io.ReadCloser
	open *atomic.Int64
	once sync.Once
}

func (c *counted) Close() error { c.once.Do(func() { c.open.Add(-1) }); return c.ReadCloser.Close() }

type baseFunc func(*http.Request) (*http.Response, error)

func (f baseFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Whatever happens, every body of an answer and of a request is closed once the caller is done.
func TestBodiesAreClosed(t *testing.T) {
	var open atomic.Int64
	var n atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, readErr := io.ReadAll(r.Body)
		if readErr == nil && string(data) != strings.Repeat("abc", 1000) {
			t.Errorf("body of %d bytes", len(data))
		}
		switch n.Add(1) % 5 {
		case 0:
			w.WriteHeader(200)
		case 1:
			w.WriteHeader(503)
			fmt.Fprint(w, strings.Repeat("x", 40<<10))
		case 2:
			time.Sleep(20 * time.Millisecond) // sleep: a real server that is slower than the attempt's time
			w.WriteHeader(500)
		case 3:
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
		default:
			w.WriteHeader(429)
		}
	}))
	defer srv.Close()
	base := baseFunc(func(r *http.Request) (*http.Response, error) {
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err == nil {
			open.Add(1)
			resp.Body = &counted{ReadCloser: resp.Body, open: &open}
		}
		return resp, err
	})
	limit, _ := retry.NewLimit(retry.LimitConfig{Initial: 64, Max: 64, Fixed: true})
	budget, _ := retry.NewBudget(retry.BudgetConfig{Ratio: 1, Burst: 1000, Floor: 1000})
	p, err := retry.New(retry.Attempts(4), retry.Exponential(time.Millisecond, 2, 4*time.Millisecond), retry.PerAttempt(10*time.Millisecond),
		retry.Hedge(retry.HedgeConfig{After: time.Millisecond, Most: 2}), retry.WithLimit(limit), retry.WithBudget(budget))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: New(base, p)}
	var wg sync.WaitGroup
	for g := range 32 {
		wg.Go(func() {
			for i := range 10 {
				ctx, cancel := context.WithCancel(t.Context())
				if i%7 == 0 {
					time.AfterFunc(time.Millisecond, cancel)
				}
				var body io.Reader = bytes.NewReader(bytes.Repeat([]byte("abc"), 1000))
				if g%2 == 0 {
					body = io.MultiReader(body)
				}
				req, _ := http.NewRequestWithContext(ctx, "PUT", srv.URL, body)
				resp, err := client.Do(req)
				if err == nil {
					_, _ = io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
				cancel()
			}
		})
	}
	wg.Wait()
	for range 500 {
		if _, taken := limit.Now(); taken == 0 && open.Load() == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond) // sleep: hedges over real sockets end by themselves, after the callers
	}
	if open.Load() != 0 {
		t.Errorf("%d bodies open", open.Load())
	}
	if _, taken := limit.Now(); taken != 0 {
		t.Errorf("%d places taken", taken)
	}
}

// A panic in a classifier of answers leaves no body open and no place taken.
func TestPanicInAnswersClosesTheBody(t *testing.T) {
	var open atomic.Int64
	base := baseFunc(func(r *http.Request) (*http.Response, error) {
		open.Add(1)
		return &http.Response{StatusCode: 200, Body: &counted{ReadCloser: io.NopCloser(strings.NewReader("x")), open: &open}, Request: r, Header: http.Header{}}, nil
	})
	limit, _ := retry.NewLimit(retry.LimitConfig{Initial: 64, Max: 64, Fixed: true})
	p, _ := retry.New(retry.Attempts(2), retry.WithLimit(limit), retry.PerAttempt(time.Hour))
	tr := New(base, p, Answers(func(*http.Response) (retry.Verdict, bool) { panic("x") }))
	req, _ := http.NewRequest("GET", "http://x/", nil)
	func() {
		defer func() { _ = recover() }()
		if resp, err := tr.RoundTrip(req); err == nil {
			resp.Body.Close()
		}
	}()
	if _, taken := limit.Now(); taken != 0 {
		t.Errorf("%d taken", taken)
	}
	if open.Load() != 0 {
		t.Errorf("%d bodies open", open.Load())
	}
}

// Hostile headers of requests and answers.
func TestHostileHeaders(t *testing.T) {
	h := Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if info, ok := retry.Outer(r.Context()); ok && (info.Attempt < 1 || info.Attempt > 1000 || info.MaxAttempts < 0) {
			t.Errorf("%+v", info)
		}
	}))
	nasty := []string{"", "-1", "0", "99999999999999999999999999", "NaN", "1;max=-1;ddl=-1", "1;ddl=9223372036854775807", "2;ddl=0", strings.Repeat("9", 10000), "１２", "\x00", "0x10", "1e9", "9999-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "-292277022399-01-01T00:00:00Z"}
	for _, name := range []string{"Outlast-Attempt", "Outlast-Max-Attempts", "Outlast-Deadline", "Retry-Attempt", "X-Envoy-Attempt-Count", "Grpc-Previous-Rpc-Attempts", "Amz-Sdk-Request", "Grpc-Timeout", "Webhook-Timestamp", "Date"} {
		for _, v := range nasty {
			r := httptest.NewRequest("GET", "/", nil)
			r.Header["Outlast-Deadline"] = []string{"2030-01-01T00:00:00Z"}
			r.Header[name] = []string{v}
			h.ServeHTTP(httptest.NewRecorder(), r)
		}
	}
	for _, v := range append(nasty, "Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "9223372036854775807", "9223372037") {
		for _, name := range []string{"Retry-After", "RateLimit-Reset", "X-Ratelimit-Reset", "Outlast-Retry", "Retry-After-Ms", "Ratelimit"} {
			for _, status := range []int{200, 429, 503, 999, -1, 0, 600} {
				hd := http.Header{name: {v}, "X-Ratelimit-Remaining": {"0"}}
				verdict := retry.ClassifyHTTP(status, hd, time.Now())
				if verdict.Hint.After < 0 {
					t.Errorf("%s %q: %v", name, v, verdict)
				}
			}
		}
	}
}
