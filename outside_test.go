package outlast_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"path/filepath"
	"sync"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// really runs a client in real time, for what virtual time cannot hold:
// sockets and files.
func really(t *testing.T, s store.Backend, opts ...outlast.Option) (context.Context, *outlast.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
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

var quickly = json.RawMessage(`{"max_attempts": 3, "backoff": {"kind": "fixed", "initial": "10ms", "jitter": "none"}}`)

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
	ctx, client := really(t, memory.New(), outlast.AsServer(), outlast.AllowTargets(netip.MustParsePrefix("127.0.0.0/8")),
		outlast.WithTargetSecret("127.0.0.1", make([]byte, 32)))

	payload := `{"n":12345678901234567890}`
	got, err := client.Run(ctx, outlast.Draft{Payload: []byte(payload), Retry: quickly, Target: &task.Request{URL: server.URL + "/in"}})
	if err != nil || string(got.Result) != `{"ok":true}` || got.Type != "http" || got.Target != "127.0.0.1" || got.Attempt != 2 {
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

// A private address is not reached unless it is allowed.
func TestPushToPrivateAddress(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("reached") }))
	defer server.Close()
	ctx, client := really(t, memory.New(), outlast.AsServer())
	_, err := client.Run(ctx, outlast.Draft{Retry: quickly, Target: &task.Request{URL: server.URL}})
	var dead *outlast.DeadError
	if !errors.As(err, &dead) || dead.Attempt != 1 {
		t.Errorf("got %v", err)
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
	f := outlast.Func(client, "f", func(_ context.Context, n int) error { ran <- n; return nil })
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
		receipt, err := f.Tx(t.Context(), tx, n)
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
	_, err = client.Inspector().Get(t.Context(), ids[false])
	wantCode(t, err, task.CodeNotFound)
}
