//go:build unix

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/servertest"
)

// Servers are killed while a worker group is away, and while it works: nothing is
// lost, no attempt is spent, the waiting goes on, and members are still known.
func TestGroupsSurviveKill(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		groupsSurviveKill(t, "sqlite:"+filepath.Join(t.TempDir(), "groups.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		groupsSurviveKill(t, servertest.Postgres(t))
	})
}

// crewMember is a member of a worker group that can be away.
type crewMember struct {
	url   string
	away  atomic.Bool
	calls atomic.Int64
	mu    sync.Mutex
	ran   map[string]int // by task
}

func newCrewMember(t *testing.T, takes time.Duration) *crewMember {
	m := &crewMember{ran: map[string]int{}}
	m.url = endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		m.calls.Add(1)
		if m.away.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		m.mu.Lock()
		m.ran[r.Header.Get("Idempotency-Key")]++
		m.mu.Unlock()
		time.Sleep(takes) // sleep: the work
	})
	return m
}

func (m *crewMember) tasks() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.ran)
}

// join tells a server of a member.
func join(t *testing.T, server, group, url string) {
	t.Helper()
	body := fmt.Sprintf(`{"url": %q, "capacity": 10, "ttl": "10m"}`, url)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server+"/v1/groups/"+group+"/workers/m", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("the beat is answered with %s", resp.Status)
	}
}

func groupsSurviveKill(t *testing.T, store string) {
	const tasks = 30
	config := filepath.Join(t.TempDir(), "outlast.yaml")
	if err := os.WriteFile(config, []byte("groups:\n  crew: {dispatch: {steps: [300ms, 1s]}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	member := newCrewMember(t, 20*time.Millisecond)
	member.away.Store(true)
	server := startServer(t, "--store", store, "--config", config)
	join(t, server.url, "crew", member.url)
	c := command{t: t, server: server.url, input: strings.Repeat(`{"target":{"group":"crew","path":"/send"}}`+"\n", tasks)}
	c.run("task", "enqueue", "--file", "-").exits(0)
	waits := func(failures float64) {
		t.Helper()
		awaits(t, server, "the group is left alone", func() bool {
			c.server = server.url
			list := c.run("task", "list", "--state", "pending", "--limit", "1", "--output", "json").exits(0).json()["tasks"].([]any)
			if len(list) != 1 {
				return false
			}
			one := list[0].(map[string]any)
			dispatch, _ := one["dispatch"].(map[string]any)
			return one["waiting"] == "group backoff" && one["attempt"] == 0.0 && dispatch != nil && dispatch["failures"].(float64) >= failures
		})
	}
	waits(3)
	server.stop(syscall.SIGKILL) // while it waits

	server = startServer(t, "--store", store, "--config", config)
	waits(1) // it knows the member, and that one is away, without being told
	member.away.Store(false)
	awaits(t, server, "some tasks are done", func() bool { return member.tasks() > 5 })
	server.stop(syscall.SIGKILL) // while it works

	server = startServer(t, "--store", store, "--config", config)
	c.server = server.url
	awaits(t, server, "all tasks are done", func() bool {
		done := c.run("task", "list", "--state", "succeeded", "--limit", "500", "--output", "json").exits(0).json()["tasks"].([]any)
		for _, one := range done {
			if one.(map[string]any)["attempt"] != 1.0 {
				t.Fatalf("a kill has cost an attempt: %v", one)
			}
		}
		return len(done) == tasks
	})
	if n := member.tasks(); n != tasks {
		t.Errorf("%d of %d tasks ran", n, tasks)
	}
	for id, runs := range member.ran {
		if runs > 2 { // it ran, or had run and was not settled, when the server was killed, which was once
			t.Errorf("%s ran %d times", id, runs)
		}
	}
}

// awaits looks again until something is so.
func awaits(t *testing.T, server *process, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(50 * time.Millisecond) { // sleep: waits for a real server
		if time.Now().After(deadline) {
			t.Fatalf("it is not so that %s: %s", what, server.said())
		}
	}
}
