package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/outlast-dev/outlast/internal/binarytest"
)

// Whoever asks for a log of JSON gets nothing else, from the first line to the last. An
// event of a failed attempt names its target and its policy, and the error to who wants it.
func TestServeLogsNothingButJSON(t *testing.T) {
	t.Parallel()
	url := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "sold out", http.StatusServiceUnavailable) })
	server := binarytest.Serve(t, "--store", "memory:", "--log-format", "json", "--log-level", "info", "--log-errors")
	c := command{t: t, server: server.URL}
	c.run("task", "enqueue", "--url", url, "--policy", "instant", "--max-attempts", "2").exits(0)
	await(t, "a dead letter", func() bool { return strings.Contains(c.run("dead", "stats").exits(0).out, "exhausted") })
	if code := server.Stop(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d", code)
	}
	events := map[string]map[string]any{}
	for line := range strings.Lines(server.Said()) {
		var event map[string]any
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Errorf("no JSON: %s", line)
			continue
		}
		events[event["msg"].(string)] = event
	}
	for _, name := range []string{"server.listens", "attempt.failed", "task.dead", "server.stopping", "server.stopped"} {
		if events[name] == nil {
			t.Errorf("no event %s: %s", name, server.Said())
		}
	}
	for _, name := range []string{"attempt.failed", "task.dead"} {
		if e := events[name]; e["target"] != strings.TrimPrefix(url, "http://") || e["policy"] != "instant" || !strings.Contains(e["error"].(string), "sold out") {
			t.Errorf("%s: %v", name, e)
		}
	}
}

// So does a server that cannot start, also where its command line is wrong.
func TestServeFailsInJSON(t *testing.T) {
	t.Parallel()
	inFile := written(t, "o.yaml", "log: {format: json}\ntls: {cert: /no/such/cert, key: /no/such/key}\n")
	for _, args := range [][]string{
		{"--log-format", "json", "--store", "sqlite:/no/such/folder/o.db"}, {"--log-format", "json", "--config", "/no/such/file.yaml"},
		{"--bogus", "--log-format=json"}, {"--grace", "x", "--log-format", "json"}, {"--log-format", "json", "surplus"}, {"--log-format", "json", "--log-level", "x"},
		{"--store", "memory:", "--config", inFile},
	} {
		failsInJSON(command{t: t}.run(append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...))
	}
	failsInJSON(command{t: t, env: []string{"OUTLAST_LOG_FORMAT=json", "OUTLAST_GRACE=x"}}.run("serve", "--listen", "127.0.0.1:0", "--store", "memory:"))
}

func failsInJSON(got *result) {
	var event map[string]any
	if err := json.Unmarshal([]byte(got.stderr), &event); err != nil || event["msg"] != "server.failed" || event["error"] == "" {
		got.t.Errorf("%v: %s", got.args, got.stderr)
	}
}
