package app_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/app"
	"github.com/outlast-dev/outlast/internal/config"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// Two servers on one store read a file that changes all the time, every second time
// to one with a mistake, while tasks fail and are retried under its policies: none is
// lost, none has more attempts than any good file gave it, and the last file holds.
func TestReloadUnderLoad(t *testing.T) {
	const tasks = 600
	var mu sync.Mutex
	calls := map[string]int{}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		calls[r.Header.Get("Webhook-Id")]++
		first := calls[r.Header.Get("Webhook-Id")] == 1
		mu.Unlock()
		if first {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	defer receiver.Close()
	backend := memory.New()
	path := filepath.Join(t.TempDir(), "outlast.yaml")
	write := func(text string) {
		if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
			t.Error(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Error(err)
		}
	}
	good := func(n int) string {
		return fmt.Sprintf("revision: %q\npolicies:\n  p: {max_attempts: 3, budget: none, breaker: none, backoff: {kind: fixed, initial: %dms}}\n", fmt.Sprint(n), 5+n%7)
	}
	write(good(0))
	var hangups []chan os.Signal
	var nodes []*app.App
	for range 2 {
		file, err := config.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		hangup := make(chan os.Signal, 1)
		node, err := app.New(app.Config{
			Listen: "127.0.0.1:0", Store: "memory:", File: file, Hangups: hangup, AllowTargets: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
			Openers: app.Openers{"memory": {Open: func(context.Context, string) (store.Backend, error) { return unclosed{backend}, nil }}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := node.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := node.Stop(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		}()
		nodes, hangups = append(nodes, node), append(hangups, hangup)
	}
	files := make(chan int)
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := range files {
			write(good(n))
			if n%2 == 1 {
				write("policies:\n  p: {max_attempts: 0}\n")
			}
			for _, hangup := range hangups {
				select {
				case hangup <- syscall.SIGHUP:
				default: // one is on its way
				}
			}
		}
	})
	ids := make([]outlast.ID, tasks)
	for i := range ids {
		receipt, err := nodes[i%2].Client().Enqueue(t.Context(), outlast.Draft{Policy: "p", Target: &task.Request{URL: receiver.URL}})
		if err != nil {
			t.Fatal(err)
		}
		ids[i] = receipt.Task.ID
		if i%20 == 0 {
			files <- i/20 + 1
		}
	}
	close(files)
	writer.Wait()
	write(good(1000))
	for _, id := range ids {
		ended, err := nodes[0].Client().Wait(t.Context(), id)
		if err != nil || ended.State != task.Succeeded || ended.Attempt != 2 {
			t.Fatalf("%+v, %v", ended, err)
		}
	}
	ticker := time.NewTicker(50 * time.Millisecond)
	defer ticker.Stop()
	for _, node := range nodes {
		for end := time.Now().Add(30 * time.Second); ; <-ticker.C {
			p, err := node.Client().Inspector().Policies.Get(t.Context(), "p")
			if err == nil && strings.Contains(string(p.Form), fmt.Sprintf("%dms", 5+1000%7)) {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("the last file does not hold: %+v, %v", p, err)
			}
		}
	}
}

// unclosed is a store that outlives its servers.
type unclosed struct{ store.Backend }

func (unclosed) Close() error { return nil }
