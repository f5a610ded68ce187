//go:build unix

package main

import (
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/outlast-dev/outlast/client"
)

// A channel refuses an alert for good, and the fallback tells it; the server is
// killed while it talks to each of them. The alert is told once, under one id, and
// the delivery log has both.
func TestFallbackChannelSurvivesKill(t *testing.T) {
	var mu sync.Mutex
	calls, ids := map[string]int{}, map[string]bool{}
	reached := make(chan string, 2) // the first call of each channel
	url := endpoint(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusGone)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // only then the end of the caller is seen
		mu.Lock()
		calls[r.URL.Path]++
		first := calls[r.URL.Path] == 1
		if r.URL.Path == "/spare" {
			ids[r.Header.Get("Webhook-Id")] = true
		}
		mu.Unlock()
		switch {
		case first:
			reached <- r.URL.Path
			<-r.Context().Done() // until its server is dead
		case r.URL.Path == "/ops":
			w.WriteHeader(http.StatusForbidden)
		}
	})
	store := "sqlite:" + filepath.Join(t.TempDir(), "alerts.db")
	server := startServer(t, "--store", store)
	c := command{t: t, server: server.url}
	c.run("alert", "put-channel", "spare", `{"kind": "webhook", "url": "`+url+`/spare"}`).exits(0)
	c.run("alert", "put-channel", "ops", `{"kind": "webhook", "url": "`+url+`/ops", "fallback": "spare"}`).exits(0)
	c.run("alert", "put-rule", "died", `{"on": "dead", "channels": ["ops"]}`).exits(0)
	c.run("task", "enqueue", "--url", url+"/gone").exits(0)
	for _, want := range []string{"/ops", "/spare"} {
		if got := <-reached; got != want {
			t.Fatalf("%s is called instead of %s", got, want)
		}
		server.stop(syscall.SIGKILL)
		server = startServer(t, "--store", store)
	}
	c.server = server.url
	var log map[string]client.AlertEvent
	awaits(t, server, "both deliveries have ended", func() bool {
		var events client.AlertEvents
		if err := json.Unmarshal([]byte(c.run("alert", "list", "--output", "json").exits(0).out), &events); err != nil {
			t.Fatal(err)
		}
		log = map[string]client.AlertEvent{}
		for _, e := range events.Events {
			if e.Rule == "died" {
				log[e.Channel] = e
			}
		}
		return log["ops"].State == "failed" && log["spare"].State == "sent"
	})
	if e := log["spare"]; e.Instead != "ops" || e.Subject != log["ops"].Subject || log["ops"].Error == "" {
		t.Errorf("%+v", log)
	}
	mu.Lock()
	defer mu.Unlock()
	if len(ids) != 1 || calls["/spare"] != 2 || calls["/ops"] != 2 {
		t.Errorf("calls %v, ids %v", calls, ids)
	}
}
