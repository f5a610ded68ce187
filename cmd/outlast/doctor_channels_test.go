//go:build unix

package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// The doctor says what is known of alert channels without a connection, and, where it
// is asked to, whether they can be reached; nobody is sent anything.
func TestDoctorOfAlertChannels(t *testing.T) {
	var asked atomic.Int64
	hook := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer hook.Close()
	t.Setenv("HOOK_URL", hook.URL)
	server := startServer(t, "--store", "memory:", "--config", written(t, "alerts.yaml", "alerts: {channels: {ops: {kind: webhook, url_env: HOOK_URL}}}\n"))
	c := command{t: t, server: server.url}
	says := func(want string, args ...string) {
		t.Helper()
		if got := findings(c, 0, args...)["alert channels"]; !strings.HasPrefix(got, want) {
			t.Errorf("%v: %s, want %s", args, got, want)
		}
	}
	says("ok: configured, including variables: ops; not connected to")
	says("ok: reachable (nothing was sent): ops", "--dial")
	if got := c.run("alert", "test", "ops", "--dry-run", "--output", "json").exits(0).json(); got["sent"] != false {
		t.Errorf("got %v", got)
	}
	if asked.Load() != 0 {
		t.Errorf("%d requests", asked.Load())
	}
	c.run("alert", "test", "ops").exits(0)
	if asked.Load() != 1 {
		t.Errorf("%d requests", asked.Load())
	}
	c.run("alert", "put-channel", "gone", `{"kind": "webhook", "url": "http://127.0.0.1:1"}`).exits(0)
	says("warn: gone: the channel cannot be reached: ", "--dial")
	c.run("alert", "test", "gone", "--dry-run").exits(7).silent().says("cannot be reached")
	c.run("alert", "put-channel", "away", `{"kind": "slack", "url_env": "OUTLAST_SECRET_NOT_SET"}`).exits(0)
	says("warn: away: ")
}

// Channels of which none is a default one are warned of by the doctor of a server and by
// that of its store.
func TestDoctorOfChannelsWithoutADefault(t *testing.T) {
	store := "sqlite:" + filepath.Join(t.TempDir(), "o.db")
	c := command{t: t, server: startServer(t, "--store", store, "--config", written(t, "alerts.yaml", "alerts: {channels: {ops: {kind: log}}}\n")).url}
	says := func(status, want string) {
		t.Helper()
		for _, args := range [][]string{nil, {"--store", store}} {
			if got := findings(c, 0, args...)["alerts"]; !strings.HasPrefix(got, status+": ") || !strings.Contains(got, want) {
				t.Errorf("%v: %s, want %s: %s", args, got, status, want)
			}
		}
	}
	says("warn", "set default: true for ops")
	c.run("alert", "put-channel", "all", `{"kind": "log", "default": true}`).exits(0)
	says("ok", "")
}
