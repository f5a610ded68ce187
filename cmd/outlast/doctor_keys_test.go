package main

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A server does not start that would put tasks in the clear into an encrypted store,
// unless that is said; one that lacks a key says so of the task, when it is asked
// whether it is ready, and to the doctor, which fails.
func TestMissingKeyIsSeen(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	key := func(name string) string {
		return name + "=" + write(name, base64.StdEncoding.EncodeToString([]byte((name + strings.Repeat("-canary", 5))[:32])))
	}
	store, c := "sqlite:"+filepath.Join(folder, "o.db"), command{t: t}
	server := startServer(t, "--store", store, "--encryption-key-file", key("k1"))
	c.server = server.url
	id := c.run("task", "enqueue", "--url", "https://example.com", "--delay", "1h", "--output", "json").exits(0).json()["id"].(string)
	server.stop(syscall.SIGTERM)

	refused := c.run("serve", "--listen", "127.0.0.1:0", "--store", store).exits(2)
	refused.says("tasks of this store are encrypted (key k1)").says("encryption.clear: true")
	write("other", base64.StdEncoding.EncodeToString([]byte(strings.Repeat("another.", 4))))
	c.run("serve", "--listen", "127.0.0.1:0", "--store", store, "--encryption-key-file", "k1="+filepath.Join(folder, "other")).exits(2).says("another key")
	open := startServer(t, "--store", store, "--config", write("outlast.yaml", "encryption: {clear: true}\n"))
	c.server = open.url
	if got := findings(c, 0)["encryption"]; got != "ok: new tasks are in the clear, by encryption.clear; not here: k1" {
		t.Errorf("the doctor says %s", got)
	}
	open.stop(syscall.SIGTERM)

	lacking := startServer(t, "--store", store, "--encryption-key-file", key("k2"))
	c.server = lacking.url
	if got := findings(c, 0)["encryption"]; got != "ok: on, with the key k2; not here: k1" {
		t.Errorf("the doctor says %s", got)
	}
	c.run("task", "retry", id).exits(0)
	awaits(t, lacking, "it waits for its key", func() bool {
		one := c.run("task", "get", id, "--output", "json").exits(0).json()
		return one["waiting"] == "no key" && one["missing_key"] == "k1" && one["next_check"] == one["run_at"]
	})
	found := findings(c, 1)
	if got := found["encryption"]; got != "fail: on, with the key k2; not here: k1; tasks that do not open here for want of the key k1: 1" {
		t.Errorf("the doctor says %s", got)
	}
	of := findings(c, 1, "--store", store)
	if got := of["encryption"]; got != "ok: on; keys so far: k1, k2" {
		t.Errorf("the doctor says of the store %s", got)
	}
	for _, found := range []map[string]string{found, of} {
		if got := found["missing encryption keys"]; got != "fail: k1 (1 task)" {
			t.Errorf("the doctor says %s", got)
		}
	}
}

// findings are what the doctor says, by check.
func findings(c command, code int, args ...string) map[string]string {
	c.t.Helper()
	found := map[string]string{}
	for _, one := range c.run(append([]string{"doctor", "--output", "json"}, args...)...).exits(code).json()["findings"].([]any) {
		f := one.(map[string]any)
		found[f["check"].(string)] = f["status"].(string) + ": " + f["detail"].(string)
	}
	return found
}
