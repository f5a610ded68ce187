//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/servertest"
)

// A server is killed again and again while tasks die. Every death is told,
// since the rule has no cool-down, and no message is sent under two ids.
func TestAlertsSurviveKill(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		alertsSurviveKill(t, "sqlite:"+filepath.Join(t.TempDir(), "alerts.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		alertsSurviveKill(t, servertest.Postgres(t))
	})
}

func alertsSurviveKill(t *testing.T, store string) {
	var mu sync.Mutex
	told := map[string]map[string]bool{} // ids of messages by task
	url := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusGone)
			return
		}
		var m struct {
			ID     string              `json:"id"`
			Fields []client.AlertField `json:"fields"`
		}
		_ = json.NewDecoder(r.Body).Decode(&m) // a message that was cut off has no fields
		mu.Lock()
		defer mu.Unlock()
		for _, field := range m.Fields {
			if field.Name == "task" {
				if told[field.Value] == nil {
					told[field.Value] = map[string]bool{}
				}
				told[field.Value][m.ID] = true
			}
		}
	})
	const rounds, each = 4, 15
	for round := range rounds {
		server := startServer(t, "--store", store)
		c := command{t: t, server: server.url}
		if round == 0 {
			c.run("alert", "put-channel", "ops", `{"kind": "webhook", "url": "`+url+`/alerts"}`).exits(0)
			c.run("alert", "put-rule", "died", `{"on": "dead", "channels": ["ops"], "cooldown": "0s"}`).exits(0)
		}
		drafts := strings.Repeat(`{"target":{"url":"`+url+`/gone"},"retry":{"breaker":"none","budget":"none"}}`+"\n", each)
		c.input = drafts
		c.run("task", "enqueue", "--file", "-").exits(0)
		if round < rounds-1 {
			time.Sleep(time.Duration(20+60*round) * time.Millisecond) // sleep: the kill is to meet another step each time
			server.stop(syscall.SIGKILL)
			continue
		}
		for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) { // sleep: waits for a real server
			mu.Lock()
			n := len(told)
			mu.Unlock()
			if n == rounds*each {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("%d of %d deaths were told: %s", n, rounds*each, server.said())
			}
		}
	}
	mu.Lock()
	defer mu.Unlock()
	for id, messages := range told {
		if len(messages) != 1 {
			t.Errorf("the death of %s was told in %d messages", id, len(messages))
		}
	}
}
