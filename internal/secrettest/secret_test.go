//go:build unix

package secrettest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/binarytest"
	"github.com/outlast-dev/outlast/task"
)

// No secret is in anything that the program writes but the tasks themselves, read
// by those who may read them; and with encryption nothing of a task is in the
// database. Without it the same search finds what a task carries, so it is one
// that finds.
func TestNoSecretGetsOut(t *testing.T) {
	for name, open := range databases(t) {
		t.Run(name, func(t *testing.T) {
			db, w := open(t), newWorld(t)
			s := live(t, w, db, configure(t, w, true))
			clean(t, "the database", db.raw(t))
			s.Stop(syscall.SIGTERM)
			clean(t, "the database after the stop", db.raw(t))
			clean(t, "the log", []byte(s.Said()))
			if !strings.Contains(s.Said(), "level=DEBUG") {
				t.Error("the log is not that of debugging")
			}
		})
	}
	t.Run("control", func(t *testing.T) {
		db, w := onSQLite(t), newWorld(t)
		s := live(t, w, db, configure(t, w, false))
		s.Stop(syscall.SIGTERM)
		clean(t, "the log", []byte(s.Said()))
		found := leaks(db.raw(t))
		for _, name := range carried {
			if !slices.Contains(found, name) {
				t.Errorf("the search does not find the %s in a database without encryption", name)
			}
		}
		clean(t, "the database", db.raw(t), carried...)
	})
}

// live runs a server with every secret, has it do all that it does with them, and
// looks at all that it says meanwhile. The log is left to the caller.
func live(t *testing.T, w *world, db database, config string) *binarytest.Server {
	t.Helper()
	t.Setenv("OUTLAST_STORE", db.url)
	s := binarytest.Serve(t, "--config", config, "--log-level", "debug")
	t.Setenv("OUTLAST_SERVER", s.URL)
	good, bad := tasks(t, s, w)
	redrive(t, s, bad)
	eventually(t, "people are told", func() bool { return len(w.messages()) > 0 })
	for _, name := range []string{"payload", "edited", "header", "authorization", "fallback"} {
		eventually(t, "the receiver gets the "+name, func() bool { return slices.Contains(leaks(w.received()), name) })
	}
	clean(t, "the receiver", w.received(), carried...)
	for _, message := range w.messages() {
		clean(t, "a message to people", message, "error")
	}
	shown := append(get(t, s.URL+"/v1/tasks/"+good.String()), get(t, s.URL+"/v1/dead/"+bad.String())...)
	for _, name := range []string{"payload", "edited", "result", "error"} {
		if !slices.Contains(leaks(shown), name) {
			t.Errorf("who may read tasks does not see the %s", name)
		}
	}
	clean(t, "the tasks", shown, carried...)
	pages(t, s, config)
	refusals(t, s, w)
	return s
}

func tasks(t *testing.T, s *binarytest.Server, w *world) (good, bad task.ID) {
	t.Helper()
	two := 2
	quick := json.RawMessage(`{"max_attempts": 2, "backoff": {"kind": "fixed", "initial": "1ms"}}`)
	headers := map[string]string{"X-Api-Token": canaries["header"], "Authorization": "Bearer " + canaries["authorization"]}
	payload := json.RawMessage(`{"card": "` + canaries["payload"] + `"}`)
	one, _, err := s.API.Enqueue(t.Context(), client.Draft{Payload: payload, Target: &client.Target{URL: w.url + "/good", Headers: headers}})
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := s.API.Enqueue(t.Context(), client.Draft{
		Type: "pay", Payload: payload, MaxAttempts: &two, Retry: quick, Target: &client.Target{URL: w.url + "/bad", Headers: headers},
		Fallback:  &client.Follow{Payload: json.RawMessage(`"` + canaries["fallback"] + `"`), Target: &client.Target{URL: w.url + "/good", Headers: headers}},
		DedupeKey: "order-1",
	})
	if err != nil {
		t.Fatal(err)
	}
	ended(t, s, one.ID, task.Succeeded)
	ended(t, s, other.ID, task.Dead)
	return one.ID, other.ID
}

func ended(t *testing.T, s *binarytest.Server, id task.ID, state task.State) {
	t.Helper()
	eventually(t, "the task is "+string(state), func() bool {
		is, err := s.API.Task(t.Context(), id)
		return err == nil && is.State == state
	})
}

// redrive sends the dead letter back with another payload, by an operation, until
// it is dead again.
func redrive(t *testing.T, s *binarytest.Server, id task.ID) {
	t.Helper()
	before, err := s.API.Task(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.API.Redrive(t.Context(), client.Redrive{Filter: &client.DeadFilter{Type: "pay"}, Payload: json.RawMessage(`"` + canaries["edited"] + `"`)}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the task is dead again", func() bool {
		is, err := s.API.Task(t.Context(), id)
		return err == nil && is.State == task.Dead && is.Claim > before.Claim
	})
}

// pages looks at everything that is no task.
func pages(t *testing.T, s *binarytest.Server, config string) {
	t.Helper()
	for _, path := range []string{
		"/metrics", "/readyz?verbose", "/openapi.json", "/v1/queues", "/v1/nodes", "/v1/lanes", "/v1/targets", "/v1/policies", "/v1/schedules",
		"/v1/alerts/rules", "/v1/alerts/channels", "/v1/groups", "/v1/dead/stats",
	} {
		page := get(t, s.URL+path)
		clean(t, path, page)
		if !bytes.HasPrefix(page, []byte("200")) {
			t.Errorf("%s: %s", path, page[:min(200, len(page))])
		}
	}
	for _, path := range []string{"/v1/alerts/events", "/v1/dead/groups"} {
		clean(t, path, get(t, s.URL+path), "error")
	}
	clean(t, "config print", run(t, "config", "print", "--config", config))
	clean(t, "config check", run(t, "config", "check", config))
	clean(t, "doctor", run(t, "doctor"))
	clean(t, "the list of tasks", run(t, "task", "list"))
	clean(t, "the list of dead letters", run(t, "dead", "list"), "error")
}

// refusals looks at what is said to bad requests: what was sent does not come back
// where it may be secret.
func refusals(t *testing.T, s *binarytest.Server, w *world) {
	t.Helper()
	secret := canaries["refused"]
	for what, body := range map[string]string{
		"a payload with a mistake": `{"type": "t", "payload": {"card": "` + secret + `",}}`,
		"an unknown field":         `{"type": "t", "payload": "` + secret + `", "prority": 1}`,
		"a header with a newline":  `{"target": {"url": "` + w.url + `", "headers": {"Authorization": "Bearer ` + secret + `\n"}}}`,
		"an address with a user":   `{"target": {"url": "http://user:` + secret + `@127.0.0.1:1/"}}`,
		"an address that is none":  `{"target": {"url": "http://user:` + secret + `@127.0.0.1:x/"}}`,
		"another content":          `{"type": "pay", "payload": "` + secret + `", "dedupe_key": "order-1"}`,
	} {
		got := post(t, s.URL+"/v1/tasks", body)
		clean(t, "the answer to "+what, got)
		if !bytes.HasPrefix(got, []byte("4")) {
			t.Errorf("%s was taken: %s", what, got)
		}
	}
	clean(t, "a store that is none", run(t, "serve", "--listen", "127.0.0.1:0", "--store", "postgres://user:"+secret+"@127.0.0.1:1/db"))
	clean(t, "a key on the command line", run(t, "serve", "--listen", "127.0.0.1:0", "--store", "memory:", "--encryption-key-file", "k1="+base64.StdEncoding.EncodeToString([]byte(secret))))
}
