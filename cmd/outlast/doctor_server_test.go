//go:build unix

package main

import (
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/servertest"
)

func init() { runTests = func(m *testing.M) int { return servertest.Wrap(m).Run() } }

// TestStoresOnServers runs the commands about a store, and a server on it.
func TestStoresOnServers(t *testing.T) {
	t.Parallel()
	postgres := servertest.Postgres(t)
	for name, url := range map[string]string{
		"PostgreSQL":          postgres,
		"a schema of its own": postgres + "&schema=" + url.QueryEscape(`odd "name"`) + "&pool_max_conns=5",
		"MariaDB":             "mysql://" + strings.NewReplacer("tcp(", "", ")", "").Replace(servertest.MariaDB(t)),
	} {
		t.Run(name, func(t *testing.T) { onServer(t, url) })
	}
}

func TestMigrateCitus(t *testing.T) {
	c, url := command{t: t, server: "http://127.0.0.1:1"}, servertest.Postgres(t)
	got := c.run("migrate", "citus", "--store", url+"&schema=s").exits(0)
	if !strings.HasPrefix(got.out, "SET search_path TO \"s\";\nBEGIN;\n") || !strings.Contains(got.out, "create_distributed_table('outlast_task', 'lane'") {
		t.Errorf("printed %s", got.out)
	}
	c.run("migrate", "citus", "--store", "sqlite:x.db").exits(2)
	c.run("migrate", "citus", "--store", url, "--run").exits(2) // not confirmed
	if got := c.run("migrate", "citus", "--store", url, "--run", "--yes"); got.code == 0 || !strings.Contains(got.stderr, "no Citus") {
		t.Errorf("a server without Citus: %+v", got)
	}
	if got := c.run("migrate", "status", "--store", url, "--output", "json").exits(3); strings.Contains(got.out, `"applied":true`) {
		t.Errorf("it was changed: %s", got.out)
	}
}

func onServer(t *testing.T, url string) {
	c := command{t: t, server: "http://127.0.0.1:1"}
	if got := c.run("migrate", "print", "--store", url).exits(0); !strings.Contains(got.out, "CREATE TABLE outlast_task") {
		t.Errorf("got %s", got.out)
	}
	if got := c.run("migrate", "status", "--store", url, "--output", "json").exits(3); strings.Contains(got.out, `"applied":true`) {
		t.Errorf("got %s", got.out)
	}
	c.run("doctor", "--store", url).exits(1).says("broken")
	c.run("migrate", "up", "--store", url).exits(0)
	c.run("migrate", "up", "--store", url).exits(0)
	if got := c.run("migrate", "status", "--store", url, "--output", "json").exits(0); strings.Contains(got.out, `"applied":false`) {
		t.Errorf("got %s", got.out)
	}
	server, done := startServer(t, "--store", url), endpoint(t, func(http.ResponseWriter, *http.Request) {})
	c.server = server.url
	id := c.run("task", "enqueue", "--url", done, "--output", "json").exits(0).json()["id"].(string)
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) { // sleep: a server and a database
		state := c.run("task", "get", id, "--output", "json").exits(0).json()["state"]
		if state == "succeeded" {
			break
		}
		if time.Since(began) > 2*time.Minute {
			t.Fatalf("the task is %v: %s", state, server.said())
		}
	}
	got := c.run("doctor", "--store", url, "--output", "json")
	for _, check := range []string{"pools", "schema", "lanes", "integrity"} {
		if !strings.Contains(got.out, `"check":"`+check+`","status":"ok"`) {
			t.Errorf("%s: %s%s", check, got.out, got.stderr)
		}
	}
	if code := server.stop(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d: %s", code, server.said())
	}
}
