package main

import (
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
)

// writer is somebody who can write to the database of a server, and has no key.
type writer struct {
	*testing.T
	db *sql.DB
}

func (w *writer) do(statement string, args ...any) {
	w.Helper()
	if _, err := w.db.Exec(statement, args...); err != nil {
		w.Fatal(err)
	}
}

// put plants an object and has the nodes read objects again.
func (w *writer) put(kind, name, body, managed string) {
	w.Helper()
	w.do(`INSERT INTO outlast_object (kind, name, body, managed, actor, version, updated_at) VALUES (?, ?, ?, ?, 'token x (y)', 1, 1)`, kind, name, []byte(body), managed)
	w.heard()
}

func (w *writer) heard() { w.do(`UPDATE outlast_counter SET value = value + 1 WHERE name = 'config'`) }

// What who can write to the database may try, and what comes of it: docs/how-to/encryption.md,
// "What who can write to the database can do".
func TestWriterOfTheDatabase(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	key, file, path := filepath.Join(folder, "k1"), filepath.Join(folder, "outlast.yaml"), filepath.Join(folder, "o.db")
	text := base64.StdEncoding.EncodeToString([]byte("canary-canary-canary-canary-1234"))
	var stolen atomic.Int64
	thief := endpoint(t, func(http.ResponseWriter, *http.Request) { stolen.Add(1) })
	down := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) })
	for name, content := range map[string]string{key: text, file: `
store: {url: "sqlite:` + path + `"}
push: {allow: ["127.0.0.0/8"]}
encryption: {keys: {k1: {file: ` + key + `}}}
policies: {paid: {max_attempts: 1}}
`} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tokens := command{t: t}
	admin := tokens.run("token", "create", "--name", "admin", "--role", "admin", "--store", "sqlite:"+path, "--config", file, "--output", "json").exits(0).json()
	tokens.run("token", "create", "--name", "admin", "--role", "admin", "--store", "sqlite:"+path).exits(2).says("this node has no key")
	server := startServer(t, "--config", file)
	c := command{t: t, server: server.url, env: []string{"OUTLAST_TOKEN=" + admin["token"].(string)}}
	c.run("policy", "list").exits(0)
	db, err := sql.Open("sqlite3", "file:"+path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	w := &writer{t, db}
	unproven := func(c command, names ...string) {
		t.Helper()
		awaits(t, server, "doctor names "+strings.Join(names, ", "), func() bool {
			said := findings(c, 1)["encryption"]
			for _, name := range names {
				if !strings.Contains(said, name) {
					return false
				}
			}
			return strings.Contains(said, "not authenticated, and not used: ")
		})
	}

	t.Run("a token of my own", func(t *testing.T) {
		mine := "olt_aaaaaaaa_" + strings.Repeat("b", 52)
		hash := sha256.Sum256([]byte(mine))
		w.put("token", "aaaaaaaa", fmt.Sprintf(`{"id":"aaaaaaaa","name":"mine","role":"admin","created_at":"2026-01-01T00:00:00Z","sha256":%q}`, hex.EncodeToString(hash[:])), "")
		unproven(c, "token/aaaaaaaa")
		for range 20 {
			command{t: t, server: server.url, env: []string{"OUTLAST_TOKEN=" + mine}}.run("task", "list").exits(5)
		}
	})
	t.Run("a channel that sends me the key", func(t *testing.T) {
		w.put("channel", "steal", `{"kind":"email","default":true,"address":"`+strings.TrimPrefix(thief, "http://")+`","tls":"none","username":"u","password_file":"`+key+`","from":"a@example.com","to":["a@example.com"]}`, "file")
		w.put("channel", "hook", `{"kind":"webhook","default":true,"url":"`+thief+`"}`, "")
		unproven(c, "channel/steal", "channel/hook")
	})
	t.Run("a policy whose fallback is mine", func(t *testing.T) {
		w.put("policy", "default", `{"max_attempts":1,"fallback":{"target":{"url":"`+thief+`"}}}`, "")
		awaits(t, server, "the node has read it", func() bool { return strings.Contains(server.said(), `policy \"default\": it is not`) })
		// A node that has known no other lets the tasks wait that would go by it.
		id := c.run("task", "enqueue", "--url", down, "--payload", `"SECRET"`, "--output", "json").exits(0).json()["id"].(string)
		awaits(t, server, "the task waits", func() bool {
			one := c.run("task", "get", id, "--output", "json").exits(0).json()
			return one["waiting"] == "not authenticated" && one["attempt"] == 0.0 && strings.Contains(fmt.Sprint(one["last_error"]), `the policy "default"`)
		})
		c.run("task", "enqueue", "--url", down, "--policy", "paid", "--id", "0192f6c0-0000-7000-8000-000000000000").exits(0) // of the file
		w.do(`DELETE FROM outlast_object WHERE kind = 'policy' AND name = 'default'`)
		w.heard()
		awaits(t, server, "the task dies by the policy that is built in", func() bool {
			c.run("task", "retry", id) // a conflict once it has died
			return c.run("task", "get", id, "--output", "json").exits(0).json()["state"] == "dead"
		})
	})
	t.Run("a policy that was authenticated, changed", func(t *testing.T) {
		w.do(`UPDATE outlast_object SET body = CAST(replace(CAST(body AS TEXT), '"max_attempts":1', '"max_attempts":9') AS BLOB), version = version + 1 WHERE kind = 'policy' AND name = 'paid'`)
		w.heard()
		unproven(c, "policy/paid")
		awaits(t, server, "the node has read it", func() bool {
			return strings.Contains(server.said(), `policy \"paid\", version 2: its proof is wrong`) || strings.Contains(server.said(), `policy \"paid\": its proof is wrong`)
		})
		// A node that has known the real one goes by that.
		id := c.run("task", "enqueue", "--url", down, "--policy", "paid", "--output", "json").exits(0).json()["id"].(string)
		awaits(t, server, "the task dies at once", func() bool {
			one := c.run("task", "get", id, "--output", "json").exits(0).json()
			return one["state"] == "dead" && one["attempt"] == 1.0
		})
	})
	t.Run("a member of a group, a schedule, a rule and a silence", func(t *testing.T) {
		w.put("member", "mailers/m1", `{"url":"`+thief+`","capacity":9,"ttl":"1h"}`, "")
		w.put("schedule", "s", `{"every":"1s","task":{"type":"http","target":{"url":"`+thief+`"}}}`, "")
		w.put("rule", "exhausted", `{"on":"dead","when":"false"}`, "")
		w.put("silence", "x", `{"id":"x","until":"2099-01-01T00:00:00Z"}`, "")
		unproven(c, "schedule/s", "rule/exhausted", "silence/x")
	})
	t.Run("a task sent elsewhere", func(t *testing.T) {
		id := c.run("task", "enqueue", "--url", down, "--delay", "1h", "--payload", `"SECRET"`, "--output", "json").exits(0).json()["id"].(string)
		w.do(`UPDATE outlast_task SET spec = replace(spec, ?, ?) WHERE state = 5`, down, thief)
		c.run("task", "retry", id).exits(0)
		awaits(t, server, "the task waits", func() bool {
			one := c.run("task", "get", id, "--output", "json").exits(0).json()
			return strings.Contains(fmt.Sprint(one["last_error"]), "undecryptable")
		})
	})
	t.Run("adopting says what there is, and asks", func(t *testing.T) {
		found := c.run("config", "adopt", "--config", file, "--dry-run", "--output", "json").exits(0)
		if says := found.out; strings.Contains(says, "sha256") || !strings.Contains(says, thief) || strings.Count(says, `"problem"`) < 8 {
			t.Errorf("found %s", says)
		}
		c.run("config", "adopt", "--config", file).exits(2).says("--yes")
		unproven(c, "token/aaaaaaaa", "channel/hook", "schedule/s", "policy/paid")
	})
	t.Run("all tokens deleted", func(t *testing.T) {
		w.do(`DELETE FROM outlast_object WHERE kind = 'token'`)
		awaits(t, server, "nobody is let in", func() bool {
			return command{t: t, server: server.url}.run("task", "list").code == 5 && c.run("task", "list").code == 5
		})
	})
	if n := stolen.Load(); n != 0 {
		t.Errorf("%d calls have come to the writer", n)
	}
	server.stop(syscall.SIGTERM)
	again := startServer(t, "--config", file) // on a loopback address, where no token is needed until there is one
	command{t: t, server: again.url}.run("task", "list").exits(0)
	again.stop(syscall.SIGTERM)
}

// Encryption is turned on for a store that has tokens, policies and channels: they are
// adopted once, and nothing is until somebody has said so.
func TestTurningEncryptionOn(t *testing.T) {
	folder := t.TempDir()
	store, key := "sqlite:"+filepath.Join(folder, "o.db"), filepath.Join(folder, "k1")
	if err := os.WriteFile(key, []byte(base64.StdEncoding.EncodeToString([]byte("canary-canary-canary-canary-1234"))), 0o600); err != nil {
		t.Fatal(err)
	}
	c := command{t: t}
	admin := c.run("token", "create", "--name", "admin", "--role", "admin", "--store", store, "--output", "json").exits(0).json()
	open := startServer(t, "--store", store)
	c.server, c.env = open.url, []string{"OUTLAST_TOKEN=" + admin["token"].(string)}
	c.run("alert", "put-channel", "ops", `{"kind":"log"}`).exits(0)
	open.stop(syscall.SIGTERM)

	on := []string{"--store", store, "--encryption-key-file", "k1=" + key}
	first := startServer(t, on...)
	c.server = first.url
	c.run("task", "list").exits(5)
	first.stop(syscall.SIGTERM)
	if !strings.Contains(first.said(), "configuration.unproven") || !strings.Contains(first.said(), "channel/ops") {
		t.Errorf("the log says %s", first.said())
	}
	found := c.run(append([]string{"config", "adopt", "--dry-run"}, on...)...).exits(0)
	if !strings.Contains(found.out, "admin") || !strings.Contains(found.out, "ops") {
		t.Errorf("found %s", found.out)
	}
	c.run(append([]string{"config", "adopt", "--yes"}, on...)...).exits(0).says("adopted")
	c.run(append([]string{"config", "adopt", "--yes"}, on...)...).exits(0).says("all configuration in the database is authenticated")
	second := startServer(t, on...)
	c.server = second.url
	if got := findings(c, 0)["encryption"]; got != "ok: on, with the key k1" {
		t.Errorf("the doctor says %s", got)
	}
	if rows := c.run("audit", "list", "--output", "json").exits(0).out; strings.Count(rows, "config.adopt") < 2 || strings.Contains(rows, "sha256") {
		t.Errorf("audit %s", rows)
	}
}
