package outlast_test

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// really runs a client in real time, for what virtual time cannot hold:
// sockets and files.
func really(t *testing.T, s store.Backend, opts ...outlast.Option) (context.Context, *outlast.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	client, err := outlast.Open(ctx, s, opts...)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		if err := client.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return ctx, client
}

var quickly = inline(`{"max_attempts": 3, "backoff": {"kind": "fixed", "initial": "10ms", "jitter": "none"}}`)

func TestPush(t *testing.T) {
	var mu sync.Mutex
	var seen []*http.Request
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		seen, bodies = append(seen, r), append(bodies, string(body))
		switch {
		case r.URL.Path == "/gone":
			w.WriteHeader(http.StatusGone)
		case len(seen) == 1:
			w.WriteHeader(http.StatusServiceUnavailable)
		default:
			_, _ = io.WriteString(w, `{"ok":true}`)
		}
	}))
	defer server.Close()
	ctx, client := really(t, memory.New(), outlast.WithAllQueues(), outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8")),
		outlast.WithTargetSecret("127.0.0.1", make([]byte, 32)))

	payload := `{"n":12345678901234567890}`
	got, err := client.Run(ctx, outlast.Draft{Payload: []byte(payload), Retry: quickly, Target: &task.Request{URL: server.URL + "/in"}})
	if err != nil || string(got.Result) != `{"ok":true}` || got.Type != "http" || got.Target != strings.TrimPrefix(server.URL, "http://") || got.Attempt != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
	mu.Lock()
	if header := seen[1].Header; header.Get("Outlast-Attempt") != "2" || header.Get("Outlast-Max-Attempts") != "3" ||
		header.Get("Idempotency-Key") != got.ID.String() || header.Get("Webhook-Signature") == "" || bodies[1] != payload {
		t.Errorf("sent %v %s", header, bodies[1])
	}
	mu.Unlock()

	_, err = client.Run(ctx, outlast.Draft{Retry: quickly, Target: &task.Request{URL: server.URL + "/gone"}})
	var dead *outlast.DeadError
	if !errors.As(err, &dead) || dead.Reason != task.Permanent || dead.Failure.Code != "410" || dead.Attempt != 1 {
		t.Errorf("got %v", err)
	}
}

// A dead service does not hold the tasks of a healthy one on another port of its
// host.
func TestServicesOfOneHost(t *testing.T) {
	serve := func(status int) (string, *atomic.Int64) {
		var calls atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			calls.Add(1)
			w.WriteHeader(status)
		}))
		t.Cleanup(server.Close)
		return server.URL, &calls
	}
	dead, deadCalls := serve(http.StatusServiceUnavailable)
	well, wellCalls := serve(http.StatusOK)
	ctx, client := really(t, memory.New(), outlast.WithAllQueues(), outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8")))
	enqueue := func(url string, count int) {
		for range count {
			if _, err := client.Enqueue(ctx, outlast.Draft{Retry: quickly, Target: &task.Request{URL: url}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	breaker := func(url string) store.Breaker {
		view, err := client.Inspector().Targets.Get(ctx, strings.TrimPrefix(url, "http://"))
		if err != nil {
			return store.Breaker{}
		}
		return view.Breaker
	}
	const tasks = 200
	enqueue(dead, tasks/2)
	for breaker(dead).State != "open" && ctx.Err() == nil {
		<-time.After(5 * time.Millisecond)
	}
	if before := deadCalls.Load(); before >= tasks {
		t.Fatalf("%d calls before the breaker opened", before)
	}
	enqueue(dead, tasks/2) // which wait
	enqueue(well, tasks)
	for range tasks / 10 {
		if _, err := client.Run(ctx, outlast.Draft{Retry: quickly, Target: &task.Request{URL: well}}); err != nil {
			t.Fatal(err)
		}
	}
	for wellCalls.Load() < tasks+tasks/10 && ctx.Err() == nil {
		<-time.After(5 * time.Millisecond)
	}
	if got := breaker(well); wellCalls.Load() != tasks+tasks/10 || got.State != "closed" || got.Failures != 0 {
		t.Errorf("%d of %d calls of the healthy service, breaker %+v", wellCalls.Load(), tasks+tasks/10, got)
	}
	if got := breaker(dead); got.State == "closed" || deadCalls.Load() >= tasks {
		t.Errorf("the dead service: %d calls, %+v", deadCalls.Load(), got)
	}
}

// The secret of a port goes before that of its host.
func TestTargetSecrets(t *testing.T) {
	signed := func(secrets map[string]byte) (signature string) {
		t.Helper()
		seen := make(chan http.Header, 1)
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen <- r.Header }))
		defer server.Close()
		port := server.URL[strings.LastIndex(server.URL, ":"):]
		options := []outlast.Option{outlast.WithAllQueues(), outlast.WithAllowedTargets(netip.MustParsePrefix("127.0.0.0/8"))}
		for place, secret := range secrets {
			options = append(options, outlast.WithTargetSecret(strings.Replace(place, ":PORT", port, 1), bytes.Repeat([]byte{secret}, 32)))
		}
		ctx, client := really(t, memory.New(), options...)
		if _, err := client.Run(ctx, outlast.Draft{Payload: []byte(`1`), Target: &task.Request{URL: server.URL}}); err != nil {
			t.Fatal(err)
		}
		header := <-seen
		for name, secret := range map[string]byte{"host": 'h', "port": 'p'} {
			mac := hmac.New(sha256.New, bytes.Repeat([]byte{secret}, 32))
			mac.Write([]byte(header.Get("Webhook-Id") + "." + header.Get("Webhook-Timestamp") + ".1"))
			if header.Get("Webhook-Signature") == "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)) {
				return name
			}
		}
		return header.Get("Webhook-Signature")
	}
	for want, secrets := range map[string][]map[string]byte{
		"host": {{"127.0.0.1": 'h'}, {"127.0.0.1": 'h', "127.0.0.1:1": 'x', "localhost:PORT": 'x'}},
		"port": {{"127.0.0.1:PORT": 'p'}, {"127.0.0.1:PORT": 'p', "127.0.0.1": 'h'}},
		"":     {{"127.0.0.1:1": 'x'}, {"localhost": 'x'}},
	} {
		for _, some := range secrets {
			if got := signed(some); got != want {
				t.Errorf("with secrets of %v: signed by %q, want %q", slices.Collect(maps.Keys(some)), got, want)
			}
		}
	}
}

// A private address is not reached unless it is allowed: what is written as a number is
// refused when it is enqueued, a name when it is called.
func TestPushToPrivateAddress(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("reached") }))
	defer server.Close()
	ctx, client := really(t, memory.New(), outlast.WithAllQueues())
	number, name := server.URL, strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	_, err := client.Run(ctx, outlast.Draft{Retry: quickly, Target: &task.Request{URL: name}})
	var dead *outlast.DeadError
	if !errors.As(err, &dead) || dead.Attempt != 1 {
		t.Errorf("got %v", err)
	}
	private := &task.Request{URL: number}
	for path, draft := range map[string]outlast.Draft{
		"target.url":            {Target: private},
		"fallback.target.url":   {Type: "t", Fallback: &task.Follow{HTTP: private}},
		"on_success.target.url": {Type: "t", OnSuccess: &task.Follow{Type: "u", HTTP: private}},
		"on_dead.target.url":    {Type: "t", OnDead: &task.Follow{HTTP: private}},
	} {
		_, err := client.Enqueue(ctx, draft)
		wantPrivate(t, err, path)
	}
	_, err = client.EnqueueMany(ctx, []outlast.Draft{{Type: "t"}, {Target: private}}, true)
	wantPrivate(t, err, "tasks[1].target.url")
	inspector := client.Inspector()
	_, err = inspector.Schedules.Put(ctx, inspect.Schedule{Name: "s", Every: time.Hour, Task: inspect.ScheduledTask{Target: private}})
	wantPrivate(t, err, "task.target.url")
	_, err = inspector.Alerts.Channels.Put(ctx, alert.ChannelSpec{Name: "ops", Kind: alert.ToWebhook, URL: number})
	wantPrivate(t, err, "url")
	_, _, err = inspector.Policies.Put(ctx, inspect.PolicyChange{Name: "p", Form: json.RawMessage(`{"fallback":{"target":{"url":"` + number + `"}}}`)})
	wantPrivate(t, err, "fallback.target.url")
}

func wantPrivate(t *testing.T, err error, path string) {
	t.Helper()
	known, ok := errors.AsType[*outlast.Error](err)
	if !ok || known.Code != task.CodeInvalid || len(known.Fields) != 1 || known.Fields[0].Path != path ||
		!strings.Contains(known.Fields[0].Message, "has a loopback address") || !strings.Contains(known.Hint, "--allow-target 127.0.0.1/32") {
		t.Errorf("%s: %v", path, err)
	}
}

// A task of a transaction exists exactly if the transaction commits.
func TestEnqueueTx(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.db")
	backend, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := backend.Close(); err != nil {
			t.Error(err)
		}
	})
	ran := make(chan int, 2)
	client, err := outlast.Open(t.Context(), backend)
	if err != nil {
		t.Fatal(err)
	}
	f := outlast.Define[int, outlast.None]("f")
	f.Handle(client, outlast.NoResult(func(_ context.Context, n int) error { ran <- n; return nil }))
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	db, err := sql.Open("sqlite3", "file:"+path+"?_txlock=immediate&_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ids := map[bool]outlast.ID{}
	for n, commit := range []bool{false, true} {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		receipt, err := f.EnqueueTx(t.Context(), client, tx, n)
		if err != nil {
			t.Fatal(err)
		}
		ids[commit] = receipt.Task.ID
		if commit {
			err = tx.Commit()
		} else {
			err = tx.Rollback()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if got, err := client.Wait(t.Context(), ids[true]); err != nil || got.State != task.Succeeded {
		t.Errorf("got %+v, %v", got, err)
	}
	if n := <-ran; n != 1 || len(ran) != 0 {
		t.Errorf("ran %d and %d others", n, len(ran))
	}
	_, err = client.Inspector().Tasks.Get(t.Context(), ids[false])
	wantCode(t, err, task.CodeNotFound)
}
