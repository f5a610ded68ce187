package retryhttp_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

// TestGuardsRefuse: nothing is sent, and the body is closed as the contract wants.
func TestGuardsRefuse(t *testing.T) {
	t.Parallel()
	open := newBreaker(t)
	open.Force(time.Now(), retry.Open)
	b := &base{answer: func(req *http.Request, _ int) (*http.Response, error) { return answer(req, 200), nil }}
	for name, length := range map[string]int64{"recorded": -1, "with GetBody": 5} {
		body := &tracked{Reader: strings.NewReader("hello")}
		req := request(t, t.Context(), "PUT", "http://a.example/", body)
		if req.ContentLength = length; length > 0 {
			req.GetBody = func() (io.ReadCloser, error) { return body, nil }
		}
		_, err := retryhttp.New(b, fast(t, retry.WithBreaker(open))).RoundTrip(req) //nolint:bodyclose // there is none
		end, ok := errors.AsType[*retry.Error](err)
		if !ok || end.Attempts != 0 || !errors.Is(err, retry.ErrBreakerOpen) || len(b.at) != 0 {
			t.Errorf("%s: %v, %d requests", name, err, len(b.at))
		}
		if _, closed := body.state(); closed != 1 {
			t.Errorf("%s: closed %d times", name, closed)
		}
	}
}

// TestBudgetEndsWithTheAnswer: without a token the failure is what comes back.
func TestBudgetEndsWithTheAnswer(t *testing.T) {
	t.Parallel()
	s := serve(t, failing(503, always))
	c := client(t, s, fast(t, retry.WithBudget(spentBudget(t))))
	resp := get(t, c, request(t, t.Context(), "GET", s.URL, nil))
	if o := resp.outcome; resp.text != "not now\n" || o.Attempts != 1 || !errors.Is(o.Err, retry.ErrBudget) {
		t.Errorf("%+v", o)
	}
}

// TestEachHostHasItsOwnGuards: one that is down leaves the other alone, and both
// keep their guards from request to request.
func TestEachHostHasItsOwnGuards(t *testing.T) {
	t.Parallel()
	down, up := serve(t, failing(503, always)), serve(t, failing(0, 0))
	transport := retryhttp.Default(newBase(t))
	c := &http.Client{Transport: transport}
	refused := 0
	for range 60 {
		resp, err := c.Do(request(t, t.Context(), "POST", down.URL, nil))
		if errors.Is(err, retry.ErrBreakerOpen) {
			refused++
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		text(t, resp)
		get(t, c, request(t, t.Context(), "POST", up.URL, nil))
	}
	if refused == 0 || down.requests() > 30 || up.requests() != 60-refused {
		t.Errorf("%d refused, %d and %d requests", refused, down.requests(), up.requests())
	}
}

// TestTargetName joins hosts that share their fate, and names what observers see.
func TestTargetName(t *testing.T) {
	t.Parallel()
	var names []string
	policy := fast(t, retry.Observe(retry.Observer{Attempt: func(e retry.AttemptEvent) { names = append(names, e.Target) }}))
	made := func(name string) *retry.Target { return &retry.Target{Name: name} }
	b := &base{answer: func(req *http.Request, _ int) (*http.Response, error) { return answer(req, 200), nil }}
	send := func(url string, opts ...retryhttp.Option) {
		opts = append(opts, retryhttp.Targets(retry.NewTargets(0, 0, made)))
		resp, err := retryhttp.New(b, policy, opts...).RoundTrip(request(t, t.Context(), "GET", url, nil))
		if err != nil {
			t.Fatal(err)
		}
		text(t, resp)
	}
	send("http://A.Example:80/x")
	send("https://a.example:443/x")
	send("https://a.example:8443/x")
	send("http://[2001:DB8::1]:80/x")
	send("http://[2001:db8:0::1]:8080/x")
	send("https://eu.a.example/x", retryhttp.TargetName(func(r *http.Request) string { return r.URL.Host[3:] }))
	if got := strings.Join(names, " "); got != "a.example a.example a.example:8443 2001:db8::1 [2001:db8::1]:8080 a.example" {
		t.Error(got)
	}
}

// TestHedge: the faster copy is returned whole, the slower one is ended.
func TestHedge(t *testing.T) {
	t.Parallel()
	var ended atomic.Int64
	slower := make(chan struct{}) // closed when the slower copy has arrived
	s := serve(t, func(w http.ResponseWriter, r *http.Request, _ int) {
		io.Copy(io.Discard, r.Body)                 //nolint:errcheck // else the server does not see that the client has gone
		if r.Header.Get("Outlast-Attempt") == "1" { // which need not arrive first
			close(slower)
			<-r.Context().Done()
			ended.Add(1)
			return
		}
		<-slower
		w.Write([]byte(r.Header.Get("Outlast-Attempt"))) //nolint:errcheck // test
	})
	policy := fast(t, retry.PerAttempt(time.Minute), retry.Hedge(retry.HedgeConfig{After: 20 * time.Millisecond}))
	resp := get(t, client(t, s, policy), request(t, t.Context(), "PUT", s.URL, &tracked{Reader: strings.NewReader("hello")}))
	if got := resp.text; got != "2" || s.requests() != 2 {
		t.Error(got, s.requests())
	}
	s.Close()
	if ended.Load() != 1 {
		t.Error("the slow copy goes on")
	}
	// What is not idempotent has no copies.
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(60 * time.Millisecond):
		case <-r.Context().Done():
		}
		ended.Add(1)
	}))
	defer slow.Close()
	get(t, client(t, nil, policy), request(t, t.Context(), "POST", slow.URL, nil))
	if ended.Load() != 2 {
		t.Error(ended.Load())
	}
}

// TestHedgesCloseWhatTheyGet: of two copies that both answer, one is closed.
func TestHedgesCloseWhatTheyGet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var bodies []*tracked
		b := &base{}
		b.answer = func(req *http.Request, n int) (*http.Response, error) {
			time.Sleep(time.Duration(3-n) * 10 * time.Millisecond) // both end at the same time
			resp := answer(req, 200)
			body := &tracked{Reader: strings.NewReader("x")}
			b.mu.Lock()
			bodies = append(bodies, body)
			b.mu.Unlock()
			resp.Body = body
			return resp, nil
		}
		policy := fast(t, retry.Hedge(retry.HedgeConfig{After: 10 * time.Millisecond}))
		resp, err := retryhttp.New(b, policy).RoundTrip(request(t, t.Context(), "GET", "http://a.example/", nil))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		closed := 0
		for _, body := range bodies {
			_, n := body.state()
			closed += n
		}
		if len(bodies) != 2 || closed != 1 {
			t.Errorf("%d answers, %d closed", len(bodies), closed)
		}
		if text(t, resp) != "x" {
			t.Error("the answer that was returned is closed")
		}
	})
}
