package retryhttp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/retry/retryhttp"
)

// ask sends one request with headers to a handler.
func ask(h http.Handler, headers ...string) *httptest.ResponseRecorder {
	req := httptest.NewRequest("GET", "/", nil)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, req)
	return w
}

func TestHandlerPutsTheAttemptIntoTheContext(t *testing.T) {
	t.Parallel()
	var got retry.Info
	var known bool
	var left time.Duration
	h := retryhttp.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got, known = retry.Outer(r.Context())
		until, _ := r.Context().Deadline()
		left = time.Until(until)
	}))
	if ask(h); known {
		t.Errorf("out of nothing: %+v", got)
	}
	ask(h, "Retry-Attempt", "2;max=5;ddl=60000")
	if !known || got.Attempt != 2 || got.MaxAttempts != 5 || left > time.Minute || left < 50*time.Second {
		t.Errorf("%+v %v", got, left)
	}
}

// TestHandlerKeepsTheDeadline: the context ends, and says why.
func TestHandlerKeepsTheDeadline(t *testing.T) {
	t.Parallel()
	var cause error
	h := retryhttp.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		cause = context.Cause(r.Context())
	}))
	ask(h, "Retry-Attempt", "1;ddl=20")
	if !errors.Is(cause, retry.ErrDeadline) {
		t.Error(cause)
	}
}

// TestHandlerRefuses: repeats only, and in words that every client understands.
func TestHandlerRefuses(t *testing.T) {
	t.Parallel()
	open := newBreaker(t)
	open.Force(time.Now(), retry.Open)
	spent := func() *retry.Budget { return spentBudget(t) }
	for _, row := range []struct {
		name    string
		option  retryhttp.HandlerOption
		header  string
		status  int
		refused string
		never   bool
	}{
		{"first attempts pass an open breaker", retryhttp.RefuseWhileOpen(open), "1", 200, "", false},
		{"repeats do not", retryhttp.RefuseWhileOpen(open), "2", 503, retryhttp.RefusedBreaker, false},
		{"a closed breaker", retryhttp.RefuseWhileOpen(newBreaker(t)), "2", 200, "", false},
		{"first attempts need no budget", retryhttp.RefuseOverBudget(spent()), "1", 200, "", false},
		{"repeats do", retryhttp.RefuseOverBudget(spent()), "2", 429, retryhttp.RefusedBudget, false},
		{"a hint that the client has no time for", retryhttp.RefuseOverBudget(spent()), "2;ddl=500", 429, retryhttp.RefusedBudget, true},
		{"no time", retryhttp.LeastTime(0), "2;ddl=0", 503, retryhttp.RefusedTime, true},
		{"too little time", retryhttp.LeastTime(time.Second), "2;ddl=900", 503, retryhttp.RefusedTime, true},
		{"time enough", retryhttp.LeastTime(time.Second), "2;ddl=9000", 200, "", false},
		{"a first attempt without time", retryhttp.LeastTime(time.Second), "1;ddl=900", 200, "", false},
	} {
		var event retryhttp.RequestEvent
		called := false
		h := retryhttp.Handler(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }),
			row.option, retryhttp.OnRequest(func(e retryhttp.RequestEvent) { event = e }))
		w := ask(h, "Retry-Attempt", row.header)
		if w.Code != row.status || event.Refused != row.refused || event.Status != row.status || called != (row.status == 200) {
			t.Errorf("%s: %d, %+v", row.name, w.Code, event)
		}
		if row.status == 200 {
			continue
		}
		seconds, err := strconv.Atoi(w.Header().Get("Retry-After"))
		decision := w.Header().Get("Outlast-Retry")
		if wait, bad := retry.ParseDuration(decision); err != nil || seconds < 1 || row.never != (decision == "never") || !row.never && (bad != nil || wait < time.Second || wait > time.Duration(seconds)*time.Second) {
			t.Errorf("%s: %v", row.name, w.Header())
		}
	}
}

func newBreaker(t *testing.T) *retry.Breaker {
	t.Helper()
	b, err := retry.NewBreaker(retry.BreakerConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// spentBudget has paid for all that it could.
func spentBudget(t *testing.T) *retry.Budget {
	t.Helper()
	b, err := retry.NewBudget(retry.BudgetConfig{})
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for range 100 {
		b.Record(now, true, false)
		if ok, _ := b.Withdraw(now, 1); !ok {
			return b
		}
	}
	t.Fatal("the budget has no end")
	return nil
}

// TestHandlerBudget: a server that fails lets a small part of the repeats in.
func TestHandlerBudget(t *testing.T) {
	t.Parallel()
	budget, err := retry.NewBudget(retry.BudgetConfig{})
	if err != nil {
		t.Fatal(err)
	}
	passed := 0
	h := retryhttp.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Retry-Attempt") != "" {
			passed++
		}
		w.WriteHeader(500)
	}), retryhttp.RefuseOverBudget(budget))
	for range 1000 {
		ask(h)
		ask(h, "Retry-Attempt", "2")
	}
	if passed > 130 {
		t.Errorf("%d of 1000 repeats passed", passed)
	}
}

// TestHandlerTellsOfEveryRequest also those that panic, stream or leave HTTP.
func TestHandlerTellsOfEveryRequest(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		status int
		next   http.HandlerFunc
	}{
		{"nothing written", 200, func(http.ResponseWriter, *http.Request) {}},
		{"status", 418, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(418) }},
		{"body", 200, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "x") }}, //nolint:errcheck // test
		{"informational", 204, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(103); w.WriteHeader(204) }},
		{"copied", 200, func(w http.ResponseWriter, _ *http.Request) { io.Copy(w, strings.NewReader("x")) }}, //nolint:errcheck // test
		{"flushed", 200, func(w http.ResponseWriter, _ *http.Request) { w.(http.Flusher).Flush() }},
		{"controlled", 200, func(w http.ResponseWriter, _ *http.Request) {
			if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(time.Hour)); err != nil {
				panic(err)
			}
		}},
		{"hijacked", 0, func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				panic(err)
			}
			io.WriteString(conn, "HTTP/1.1 204 No Content\r\n\r\n") //nolint:errcheck // test
			conn.Close()
		}},
		{"panic", 0, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }},
	} {
		told := make(chan retryhttp.RequestEvent, 1)
		s := httptest.NewServer(retryhttp.Handler(row.next, retryhttp.OnRequest(func(e retryhttp.RequestEvent) { told <- e })))
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, "GET / HTTP/1.1\r\nHost: a\r\nX-Envoy-Attempt-Count: 3\r\nConnection: close\r\n\r\n") //nolint:errcheck // test
		bufio.NewReader(conn).ReadString('\n')                                                                     //nolint:errcheck // test
		if e := <-told; e.Status != row.status || e.Attempt != 3 || e.Refused != "" || e.Took <= 0 {
			t.Errorf("%s: %+v", row.name, e)
		}
		conn.Close()
		s.Close()
	}
}

// TestClientAndServer: a server that refuses repeats and a client that hears it.
func TestClientAndServer(t *testing.T) {
	t.Parallel()
	open, err := retry.NewBreaker(retry.BreakerConfig{Consecutive: 1, OpenFor: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	permit, err := open.Acquire(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	permit.Failure(time.Now(), 0, retry.Unavailable)
	var events []retryhttp.RequestEvent
	s := httptest.NewServer(retryhttp.Handler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }),
		retryhttp.RefuseWhileOpen(open), retryhttp.OnRequest(func(e retryhttp.RequestEvent) { events = append(events, e) })))
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // much longer than two calls, and much shorter than the breaker is open
	defer cancel()
	resp := get(t, client(t, nil, fast(t)), request(t, ctx, "GET", s.URL, nil))
	o := resp.outcome
	if len(events) != 2 || events[0].Attempt != 1 || events[1].Refused != retryhttp.RefusedBreaker || o.Attempts != 2 || !errors.Is(o.Err, retry.ErrRejected) {
		t.Errorf("%+v, %+v", events, o)
	}
}
