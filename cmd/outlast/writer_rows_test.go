package main

import (
	"database/sql"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// calls are the bodies that came to a receiver.
type calls struct {
	mu     sync.Mutex
	bodies []string
}

func (c *calls) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodies = append(c.bodies, string(body))
}

func (c *calls) count(body string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, one := range c.bodies {
		if strings.Contains(one, body) {
			n++
		}
	}
	return n
}

// row has a statement end in the condition that is true for the row of a task.
func (w *writer) row(id, statement string, args ...any) {
	w.Helper()
	w.do(statement+` WHERE hex(id) = ?`, append(args, strings.ToUpper(strings.ReplaceAll(id, "-", "")))...)
}

// What who can write to the database may try with rows of tasks, queues, nodes, figures and
// the audit log, which nobody vouches for: docs/how-to/encryption.md, "What who can write to the
// database can do".
func TestWriterOfTaskRows(t *testing.T) {
	folder := t.TempDir()
	key, file, path := filepath.Join(folder, "k1"), filepath.Join(folder, "outlast.yaml"), filepath.Join(folder, "o.db")
	own, other, planted := &calls{}, &calls{}, &calls{}
	ok, elsewhere, node := endpoint(t, own.ServeHTTP), endpoint(t, other.ServeHTTP), endpoint(t, planted.ServeHTTP)
	down := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) })
	for name, content := range map[string]string{key: base64.StdEncoding.EncodeToString([]byte("canary-canary-canary-canary-1234")), file: `
store: {url: "sqlite:` + path + `"}
push: {allow: ["127.0.0.0/8"]}
encryption: {keys: {k1: {file: ` + key + `}}}
policies:
  paid: {max_attempts: 1}
  lost: {max_attempts: 1}
  away: {max_attempts: 1, fallback: {target: {url: "` + elsewhere + `"}}}
  default: {max_attempts: 1, fallback: {target: {url: "` + elsewhere + `"}}}
`} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := startServer(t, "--config", file)
	c := command{t: t, server: server.url}
	db, err := sql.Open("sqlite3", "file:"+path+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	w := &writer{t, db}
	enqueue := func(url string, args ...string) string {
		t.Helper()
		return c.run(append([]string{"task", "enqueue", "--url", url, "--output", "json"}, args...)...).exits(0).json()["id"].(string)
	}
	become := func(id, what string, is func(one map[string]any) bool) {
		t.Helper()
		awaits(t, server, what, func() bool { return is(c.run("task", "get", id, "--output", "json").exits(0).json()) })
	}
	died := func(one map[string]any) bool {
		return one["state"] == "dead" && one["attempt"] == 1.0 && one["fallback_task"] == nil
	}
	sealed := func(one map[string]any) bool {
		return one["attempt"] == 0.0 && strings.Contains(fmt.Sprint(one["last_error"]), "undecryptable")
	}

	t.Run("another policy of a task", func(t *testing.T) {
		for _, policy := range []string{"'away'", "NULL"} {
			id := enqueue(down, "--delay", "1h", "--payload", `"SECRET"`, "--policy", "paid")
			w.row(id, `UPDATE outlast_task SET policy = `+policy)
			c.run("task", "retry", id).exits(0)
			become(id, "the task waits", sealed)
		}
	})
	t.Run("no policy of its own", func(t *testing.T) {
		id := enqueue(down, "--delay", "1h", "--payload", `"SECRET"`, "--retry", `{"max_attempts":1}`)
		w.row(id, `UPDATE outlast_task SET spec = replace(spec, '"retry"', '"other"')`)
		c.run("task", "retry", id).exits(0)
		become(id, "the task waits", sealed)
	})
	t.Run("another policy of a queue", func(t *testing.T) {
		c.run("queue", "create", "mail", "--policy", "paid").exits(0)
		if row := c.run("audit", "list", "--action", "queue.put", "--output", "json").exits(0).out; !strings.Contains(row, `"policy":"paid"`) && !strings.Contains(row, `"policy": "paid"`) {
			t.Errorf("the audit log has %s", row)
		}
		w.do(`UPDATE outlast_queue SET policy = 'away' WHERE name = 'mail'`)
		c.run("queue", "pause", "mail").exits(0) // has the node read queues
		c.run("queue", "resume", "mail").exits(0)
		become(enqueue(down, "--queue", "mail", "--payload", `"SECRET"`), "a node that has known the policy goes by that", died)
		if said := findings(c, 1)["encryption"]; !strings.Contains(said, "queue.policy/mail") {
			t.Errorf("the doctor says %s", said)
		}
		// Another one lets the tasks wait that would go by it.
		server.stop(syscall.SIGTERM)
		server = startServer(w.T, "--config", file)
		c.server = server.url
		id := enqueue(down, "--queue", "mail", "--payload", `"SECRET"`)
		become(id, "the task waits", func(one map[string]any) bool {
			return one["waiting"] == "not authenticated" && one["attempt"] == 0.0 && strings.Contains(fmt.Sprint(one["last_error"]), `the policy of the queue "mail"`)
		})
		if found := c.run("config", "adopt", "--config", file, "--dry-run").exits(0).out; !strings.Contains(found, "queue.policy") || !strings.Contains(found, `"away"`) {
			t.Errorf("found %s", found)
		}
		c.run("queue", "create", "mail", "--policy", "paid").exits(0)
		c.run("task", "retry", id).exits(0)
		become(id, "the task dies by the policy that was put again", died)
		if said := findings(c, 1)["encryption"]; said != "ok: on, with the key k1" { // others fail: tasks that wait
			t.Errorf("the doctor says %s", said)
		}
	})
	t.Run("a policy deleted", func(t *testing.T) {
		id := enqueue(down, "--delay", "1h", "--payload", `"SECRET"`, "--policy", "lost")
		w.do(`DELETE FROM outlast_object WHERE kind = 'policy' AND name = 'lost'`)
		w.heard()
		awaits(t, server, "the policy is gone", func() bool { return c.run("policy", "get", "lost").code != 0 })
		c.run("task", "retry", id).exits(0)
		become(id, "the task follows no other policy's fallback", died)
	})
	t.Run("an earlier state of a task", func(t *testing.T) {
		id := enqueue(ok, "--delay", "1h", "--payload", `"AGAIN"`)
		w.row(id, `CREATE TABLE writer_earlier AS SELECT * FROM outlast_task`)
		c.run("task", "retry", id).exits(0)
		become(id, "the task succeeds", func(one map[string]any) bool { return one["state"] == "succeeded" })
		w.row(id, `DELETE FROM outlast_task`)
		w.do(`UPDATE writer_earlier SET run_at = 1, rank = 1`)
		w.do(`INSERT INTO outlast_task SELECT * FROM writer_earlier`)
		awaits(t, server, "it has run again, with its own payload, to its own target", func() bool { return own.count(`"AGAIN"`) == 2 })
	})
	t.Run("a task of my own", func(t *testing.T) {
		id := enqueue(ok, "--delay", "1h", "--payload", `"SECRET"`)
		w.row(id, `CREATE TABLE writer_own AS SELECT * FROM outlast_task`)
		w.do(`UPDATE writer_own SET num = num + 1000000, id = CAST(substr(id, 1, 6) || X'7111' || substr(id, 9) AS BLOB), payload = CAST('"MINE"' AS BLOB), run_at = 1, rank = 1`)
		w.do(`INSERT INTO outlast_task SELECT * FROM writer_own`)
		awaits(t, server, "it runs, with what the writer knows", func() bool { return own.count(`"MINE"`) == 1 })
	})
	t.Run("state, time and pause", func(t *testing.T) {
		ended, early := enqueue(ok, "--delay", "1h", "--payload", `"ENDED"`), enqueue(ok, "--delay", "1h", "--payload", `"EARLY"`)
		w.row(ended, `UPDATE outlast_task SET state = 2`)
		become(ended, "the task is said to have succeeded", func(one map[string]any) bool { return one["state"] == "succeeded" })
		w.row(early, `UPDATE outlast_task SET run_at = 1, rank = 1, priority = 9`)
		awaits(t, server, "the task has run early", func() bool { return own.count(`"EARLY"`) == 1 })
		w.do(`UPDATE outlast_queue SET paused = 1 WHERE name = 'default'`)
		awaits(t, server, "the queue stands", func() bool { // as soon as the node has read it
			return c.run("task", "get", enqueue(ok), "--output", "json").exits(0).json()["waiting"] == "paused"
		})
		w.do(`UPDATE outlast_queue SET paused = 0 WHERE name = 'default'`)
		if own.count(`"ENDED"`) != 0 {
			t.Error("the task that was said to have succeeded has run")
		}
	})
	t.Run("a node of my own, and lanes", func(t *testing.T) {
		w.do(`INSERT INTO outlast_node (id, address, version, release, embedded, state, counter, started_at, wake_key) VALUES ('planted', ?, '1', '', 0, 'alive', 1, 1, 'k')`, node)
		w.do(`UPDATE outlast_lane SET owner = 'planted', epoch = epoch + 1 WHERE queue = 'default'`)
		enqueue(ok, "--payload", `"LATE"`)
		awaits(t, server, "its lanes are taken back, and the task runs", func() bool { return own.count(`"LATE"`) == 1 })
		if planted.count("LATE") != 0 {
			t.Errorf("the node of the writer was told %q", planted.bodies)
		}
	})
	t.Run("figures and the audit log", func(t *testing.T) {
		w.do(`UPDATE outlast_audit SET actor = 'somebody else'`)
		w.do(`INSERT OR REPLACE INTO outlast_dead_count (kind, name, count) VALUES ('total', '', 1000)`)
		for text, said := range map[string]string{"somebody else": c.run("audit", "list").exits(0).out, "100": c.run("dead", "stats").exits(0).out} {
			if !strings.Contains(said, text) {
				t.Errorf("no %q in %s", text, said)
			}
		}
	})
	t.Run("rows deleted", func(t *testing.T) {
		id := enqueue(ok, "--delay", "1h")
		w.row(id, `DELETE FROM outlast_task`)
		c.run("task", "get", id).exits(4)
	})
	server.stop(syscall.SIGTERM)
	if len(other.bodies) > 0 {
		t.Errorf("fallbacks of other policies got %q", other.bodies)
	}
}
