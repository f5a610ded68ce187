package main

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Two servers of one store that may call different targets: both are listed with
// what they may do, and doctor warns.
func TestServersThatDiffer(t *testing.T) {
	path := "sqlite:" + filepath.Join(t.TempDir(), "o.db")
	first := startServer(t, "--store", path)
	startServer(t, "--store", path, "--allow-target", "10.0.0.0/8")
	c := command{t: t, server: first.url}
	deadline := time.Now().Add(2 * time.Minute)
	for {
		report := c.run("doctor").exits(0).out
		if strings.Contains(report, "[127.0.0.0/8]") && strings.Contains(report, "10.0.0.0/8") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("doctor says nothing of servers that differ: %s", report)
		}
	}
	table := c.run("node", "list").exits(0).out
	if !strings.Contains(table, "10.0.0.0/8") || !strings.Contains(table, "(HTTP)") || strings.Contains(table, "@") {
		t.Errorf("the nodes: %s", table)
	}
	await(t, "a list that is of now", func() bool {
		got := c.run("node", "list", "--output", "json").exits(0).json()
		return got["as_of"] != "" && got["stale"] == nil
	})
}

// A server without an answer is waited for with a word, and not for ever.
func TestEnqueueGivesUp(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hangs.Close()
	defer close(release)
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "2")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"code":"unavailable","detail":"the store did not answer"}`))
	}))
	defer busy.Close()
	began := time.Now()
	command{t: t, server: hangs.URL}.run("task", "enqueue", "--type", "a", "--within", "2500ms").exits(7).silent().says("waiting for the server").says("no answer within 2.5s").says("repeat the command with --id")
	command{t: t, server: busy.URL}.run("task", "enqueue", "--type", "a", "--within", "3s").exits(7).silent().says("the store did not answer")
	if took := time.Since(began); took < 3*time.Second || took > time.Minute {
		t.Errorf("gave up after %s", took)
	}
	command{t: t}.run("task", "enqueue", "--help").exits(0)
}

func TestCommandsSayWhatTheyTake(t *testing.T) {
	c := command{t: t}
	c.run("task", "attempts").exits(2).silent().says("usage: outlast task attempts ID")
	c.run("queue", "release-key", "a").exits(2).silent().says("outlast queue release-key NAME KEY")
	c.run("lanes").exits(2).silent().says("did you mean: outlast node lanes")
	c.run("enqueue").exits(2).silent().says("outlast task enqueue")
	c.run("nonsense").exits(2).silent().says(`unknown command "nonsense"`)
}
