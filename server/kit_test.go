package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/servertest"
	"github.com/outlast-dev/outlast/server"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
)

// net/http waits for half a second before it closes what it has not read to the end.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(servertest.Wrap(m), goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// api is a server over real HTTP with a node behind it.
type api struct {
	t      testing.TB
	url    string
	http   *http.Client
	node   *outlast.Client
	server *server.Server
}

// start runs a server on a store in memory, with handlers if there are any.
func start(t testing.TB, handlers ...func(*outlast.Client)) *api {
	t.Helper()
	return startOn(t, memory.New(), handlers...)
}

func startOn(t testing.TB, backend store.Backend, handlers ...func(*outlast.Client)) *api {
	t.Helper()
	ctx := context.Background()
	node, err := outlast.Open(ctx, backend, outlast.WithAllQueues(), outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8")))
	must(t, err)
	for _, add := range handlers {
		add(node)
	}
	must(t, node.Start(ctx))
	var log syncBuffer
	s, err := server.New(server.Config{Client: node, Store: "memory", Safety: server.InMemory, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	web := s.HTTP()
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(listener) }()
	caller := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	t.Cleanup(func() {
		caller.CloseIdleConnections()
		must(t, web.Close())
		<-ended
		must(t, node.Stop(ctx))
		must(t, backend.Close())
		if strings.Contains(log.String(), "panic") {
			t.Errorf("the server logged a panic:\n%s", log.String())
		}
	})
	return &api{t, "http://" + listener.Addr().String(), caller, node, s}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// answer is what came back.
type answer struct {
	t      testing.TB
	status int
	header http.Header
	body   []byte
}

// call sends a request; a body that is not empty goes as JSON unless the
// headers say otherwise.
func (a *api) call(method, path, body string, headers ...string) *answer {
	a.t.Helper()
	req, err := http.NewRequest(method, a.url+path, strings.NewReader(body))
	must(a.t, err)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if req.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			req.Host = headers[i+1]
		}
	}
	resp, err := a.http.Do(req)
	must(a.t, err)
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	must(a.t, err)
	return &answer{a.t, resp.StatusCode, resp.Header, data}
}

// is checks the status.
func (a *answer) is(status int) *answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	return a
}

// problem checks that the answer is a problem with the code and, if given,
// with complaints at exactly these paths.
func (a *answer) problem(status int, code string, paths ...string) {
	a.t.Helper()
	a.is(status)
	if kind := a.header.Get("Content-Type"); kind != "application/problem+json" {
		a.t.Errorf("content type %q", kind)
	}
	var p struct {
		Status        int
		Title, Detail string
		Code, Hint    string
		Errors        []struct{ Path, Message string }
	}
	a.into(&p)
	if p.Status != status || p.Code != code || p.Title == "" || p.Detail == "" {
		a.t.Errorf("got %s, want status %d and code %s with title and detail", a.body, status, code)
	}
	if len(paths) == 0 {
		return
	}
	var got []string
	for _, e := range p.Errors {
		got = append(got, e.Path)
		if e.Message == "" {
			a.t.Errorf("no message at %s: %s", e.Path, a.body)
		}
	}
	if strings.Join(got, " ") != strings.Join(paths, " ") {
		a.t.Errorf("complaints at %q, want %q: %s", got, paths, a.body)
	}
}

func (a *answer) into(out any) {
	a.t.Helper()
	if err := json.Unmarshal(a.body, out); err != nil {
		a.t.Fatalf("%v in %s", err, a.body)
	}
}

// get returns a field of the answer, by its path, as JSON text.
func (a *answer) get(path ...string) string {
	a.t.Helper()
	data := json.RawMessage(a.body)
	for _, name := range path {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(data, &object); err != nil {
			a.t.Fatalf("%v at %s in %s", err, name, a.body)
		}
		data = object[name]
	}
	return string(data)
}

// id returns the id of the task in the answer.
func (a *answer) id() string {
	a.t.Helper()
	return strings.Trim(a.get("id"), `"`)
}

func receiver(t testing.TB, handler http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s.URL
}

// syncBuffer is a log that is read while it is written.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
