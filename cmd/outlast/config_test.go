package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// written is a file with a text.
func written(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(t, path, text)
	return path
}

// write replaces a file as a whole.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

func TestConfigCheck(t *testing.T) {
	good := written(t, "good.yaml", "policies:\n  p:\n    max_attempts: 30\nqueues: {q: {policy: elsewhere}}\n")
	nowhere(t).run("config", "check", good).exits(0).silent().says("good.yaml:2: policies.p").says("good.yaml:4: queues.q.policy: the policy \"elsewhere\" is not in the file: serve refuses the file unless")
	got := nowhere(t).run("config", "check", good, "--output", "json").exits(0).json()
	if got["good"] != true || len(got["warnings"].([]any)) < 2 || len(got["problems"].([]any)) != 0 {
		t.Errorf("got %v", got)
	}
	bad := written(t, "bad.yaml", "listen: 7070\npolicies:\n  p:\n    max_atempts: 3\n")
	nowhere(t).run("config", "check", bad).exits(2).silent().says("bad.yaml:1: listen: a text is wanted").says("bad.yaml:4: policies.p.max_atempts: unknown key (did you mean max_attempts?)")
	got = nowhere(t).run("config", "check", bad, "--output", "json").exits(2).json()
	if problem := got["problems"].([]any)[1].(map[string]any); got["good"] != false || problem["line"] != 4.0 || problem["path"] != "policies.p.max_atempts" {
		t.Errorf("got %v", got)
	}
	// What is nearly a known name may have been put by the API, which only serve can know.
	slips := written(t, "slips.yaml", "policies:\n  mine:\n    fallback: {type: x, queue: maill, policy: mined}\n    alert: {channels: [oops]}\nqueues: {mail: {policy: paymnt}}\nalerts: {channels: {ops: {kind: log}}}\n"+
		"schedules: {s: {every: 1h, task: {type: x, queue: mailz}}, old: {at: 2020-01-01T00:00:00Z, task: {type: x}}}\n")
	checked := nowhere(t).run("config", "check", slips).exits(0).silent()
	refused := nowhere(t).run("serve", "--config", slips, "--store", "memory:", "--listen", "127.0.0.1:0").exits(2)
	for _, one := range []struct{ at, what, name, near string }{
		{"slips.yaml:3: policies.mine.fallback.queue", "queue", "maill", "mail"}, {"slips.yaml:3: policies.mine.fallback.policy", "policy", "mined", "mine"},
		{"slips.yaml:4: policies.mine.alert.channels[0]", "channel", "oops", "ops"}, {"slips.yaml:5: queues.mail.policy", "policy", "paymnt", "payment"},
		{"slips.yaml:7: schedules.s.task.queue", "queue", "mailz", "mail"},
	} {
		checked.says("warning: " + slips[:strings.LastIndex(slips, "/")+1] + one.at + ": the " + one.what + ` "` + one.name + `" is not in the file`).says("(did you mean " + one.near + "?)")
		refused.says(one.at + ": there is no " + one.what + ` "` + one.name + `" (did you mean ` + one.near + "?)")
	}
	checked.says("slips.yaml:7: schedules.old.at: 2020-01-01T00:00:00Z is in the past")
	old := written(t, "old.yaml", "schedules: {old: {at: 2020-01-01T00:00:00Z, task: {type: x}}}\n")
	if server := startServer(t, "--config", old, "--store", "memory:"); !strings.Contains(server.said(), "config.past") {
		t.Errorf("the log says nothing of a schedule of the past: %s", server.said())
	}
	nowhere(t).run("config", "check", filepath.Join(t.TempDir(), "none.yaml")).exits(2).silent().says("no such file")
	nowhere(t).run("config", "check").exits(2)
	nowhere(t).run("serve", "--config", bad, "--store", "memory:", "--listen", "127.0.0.1:0").exits(2).says("bad.yaml:4: policies.p.max_atempts")
	if schema := nowhere(t).run("config", "schema").exits(0).json(); schema["properties"].(map[string]any)["policies"] == nil {
		t.Errorf("got %v", schema)
	}
}

// Timeouts that push.max_timeout cuts are warned of: they are taken, and mean less.
func TestConfigCheckOfLongTimeouts(t *testing.T) {
	const text = `policies:
  slow: {timeout: 2h}
  fine: {timeout: 1h}
schedules:
  nightly: {every: 24h, task: {timeout: 3h, target: {url: "https://example.com/"}}}
  own: {every: 24h, task: {timeout: 3h, type: own}}
`
	for head, want := range map[string][]string{
		"": {"policies.slow.timeout: 2h0m0s is longer than push.max_timeout: requests end after 1h0m0s", "schedules.nightly.task.timeout: 3h0m0s is longer"},
		"push: {max_timeout: 2h, timeout: 150m}\n": {"push.timeout: 2h30m0s is longer than push.max_timeout: requests end after 2h0m0s", "schedules.nightly.task.timeout: 3h0m0s is longer"},
		"push: {max_timeout: 3h}\n":                {},
	} {
		var found []string
		for _, one := range nowhere(t).run("config", "check", written(t, "long.yaml", head+text), "--output", "json").exits(0).json()["warnings"].([]any) {
			if w := one.(map[string]any); strings.Contains(w["message"].(string), "push.max_timeout") {
				found = append(found, w["path"].(string)+": "+w["message"].(string))
			}
		}
		if len(found) != len(want) {
			t.Errorf("%s: %d warnings, want %d: %q", head, len(found), len(want), found)
			continue
		}
		for i := range want {
			if !strings.HasPrefix(found[i], want[i]) {
				t.Errorf("%s: %q, want %q", head, found[i], want[i])
			}
		}
	}
}

// A flag goes before its variable, that before the file, and that before the default.
func TestConfigPrint(t *testing.T) {
	file := written(t, "f.yaml", "listen: 127.0.0.1:1\nlog:\n  level: debug\n  format: json\nrelease: r1\nstore: {url: 'mysql://ann:secret@db/x'}\n")
	t.Setenv("OUTLAST_LOG_LEVEL", "warn")
	t.Setenv("OUTLAST_LISTEN", "127.0.0.1:2")
	t.Setenv("OUTLAST_CONFIG", file)
	nowhere(t).run("config", "print", "--listen", "foo").exits(2).silent().says(`listen: "foo" is not an address and port`)
	nowhere(t).run("config", "print", "--config", filepath.Join(t.TempDir(), "none.yaml")).exits(2).silent().says("no such file")
	result := nowhere(t).run("config", "print", "--listen", "127.0.0.1:3", "--output", "json").exits(0)
	if strings.Contains(result.out, "secret") {
		t.Errorf("a password is shown: %s", result.out)
	}
	got := map[string]string{}
	for _, v := range result.json()["values"].([]any) {
		v := v.(map[string]any)
		got[v["path"].(string)] = fmt.Sprint(v["value"], " from ", v["source"])
	}
	for path, want := range map[string]string{
		"listen": "127.0.0.1:3 from flag --listen", "log.level": "warn from env OUTLAST_LOG_LEVEL", "log.format": "json from " + file + ":4",
		"release": "r1 from " + file + ":5", "grace": "25s from default", "store.url": "mysql://ann:***@db/x from " + file + ":6",
	} {
		if got[path] != want {
			t.Errorf("%s: %s, want %s", path, got[path], want)
		}
	}
	if table := nowhere(t).run("config", "print").exits(0).out; !strings.HasPrefix(table, "KEY ") || !strings.Contains(table, "env OUTLAST_LISTEN") {
		t.Errorf("table %s", table)
	}
}

// happens asks again until the answer is yes.
func happens(t *testing.T, what string, yes func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !yes(); {
		if time.Now().After(end) {
			t.Fatalf("it does not happen: %s", what)
		}
		time.Sleep(50 * time.Millisecond) // sleep: a server in another process
	}
}

// A server reads its file again when it changes and at SIGHUP; a bad file changes
// nothing and is named in the log and to whoever asks; what the file owns is changed
// only there.
func TestServerReloadsItsFile(t *testing.T) {
	t.Parallel()
	file := written(t, "outlast.yaml", "engine: {concurrency: 50}\nqueues: {mail: {lanes: 2, policy: slow}}\ntypes: {mail.send: {queue: mail}}\npolicies:\n  slow: {max_attempts: 3, backoff: {initial: 1h}}\n")
	store := "sqlite:" + filepath.Join(t.TempDir(), "o.db")
	server := startServer(t, "--store", store, "--config", file)
	other := startServer(t, "--store", store) // knows of it by the database only
	c, o := command{t: t, server: server.url}, command{t: t, server: other.url}

	made := c.run("task", "enqueue", "--type", "mail.send", "--delay", "1h", "--output", "json").exits(0).json()
	if made["queue"] != "mail" || made["policy"] != "slow" || made["max_attempts"] != 3.0 || made["policy_version"] != 1.0 {
		t.Errorf("made %v", made)
	}
	id := made["id"].(string)
	attempts := func(c command) any {
		return c.run("task", "get", id, "--output", "json").exits(0).json()["max_attempts"]
	}
	configuration := func() string {
		status, health := server.health()
		if status != http.StatusOK {
			t.Fatalf("not ready: %+v", health)
		}
		return fmt.Sprint(health.Checks["configuration"].OK, " ", health.Checks["configuration"].Detail)
	}
	if got := configuration(); !strings.HasPrefix(got, "true ") {
		t.Errorf("configuration %s", got)
	}
	c.run("policy", "delete", "slow").exits(6).silent().says("configuration file")
	c.run("queue", "create", "mail", "--weight", "3").exits(6).silent().says("configuration file")

	write(t, file, "queues: {mail: {policy: slow}}\npolicies:\n  slow: {max_attempts: 4, backoff: {initial: 1h}}\n")
	happens(t, "the file that changed holds", func() bool { return attempts(c) == 4.0 })
	happens(t, "it holds on the other node", func() bool { return attempts(o) == 4.0 })

	write(t, file, "queues: {mail: {policy: slow}}\npolicies:\n  slow: {max_atempts: 5}\n")
	happens(t, "the bad file is named", func() bool { return strings.Contains(configuration(), "max_atempts") })
	if got := configuration(); !strings.HasPrefix(got, "false ") || !strings.Contains(got, "outlast.yaml:3") {
		t.Errorf("configuration %s", got)
	}
	happens(t, "the log names it too", func() bool { return strings.Contains(server.said(), "config.refused") })
	if attempts(c) != 4.0 {
		t.Errorf("%v attempts; said %s", attempts(c), server.said())
	}

	write(t, file, "queues: {mail: {policy: slow}}\npolicies:\n  slow: {max_attempts: 6, backoff: {initial: 1h}}\n")
	server.Signal(syscall.SIGHUP)
	happens(t, "the file holds", func() bool { return attempts(c) == 6.0 })
	happens(t, "all is well", func() bool { return strings.HasPrefix(configuration(), "true ") })

	// A node that comes with the first file does not undo the last one.
	late := startServer(t, "--store", store, "--config", written(t, "late.yaml", "queues: {mail: {policy: slow}}\npolicies:\n  slow: {max_attempts: 4, backoff: {initial: 1h}}\n"))
	if !strings.Contains(late.said(), "config.superseded") || attempts(command{t: t, server: late.url}) != 6.0 {
		t.Errorf("said %s", late.said())
	}
	// Until somebody asks that node for it; the other, whose file was replaced by that,
	// does not undo it.
	late.Signal(syscall.SIGHUP)
	happens(t, "the first file is back", func() bool { return attempts(o) == 4.0 })
	happens(t, "the node with it is well", func() bool { _, health := late.health(); return health.Checks["configuration"].OK })
	if again := startServer(t, "--store", store, "--config", file); !strings.Contains(again.said(), "config.superseded") || attempts(o) != 4.0 {
		t.Errorf("said %s", again.said())
	}
	if code := server.stop(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d: %s", code, server.said())
	}
}

func TestPoliciesOnTheCommandLine(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	file := written(t, "p.yaml", "policies:\n  a: {max_attempts: 3, backoff: {kind: fixed, initial: 1s}, rules: [{when: 'status == 404', then: dead}]}\n  b: {preset: rocketmq-16}\n")
	c.run("policy", "check", file).exits(0).silent().says("p.yaml is valid")
	dry := c.run("policy", "apply", file, "--dry-run").exits(0)
	if !strings.Contains(dry.out, "would be created") {
		t.Errorf("got %s", dry.out)
	}
	c.run("policy", "get", "a").exits(4)
	if out := c.run("policy", "apply", file).exits(0).out; strings.Count(out, "created") != 2 {
		t.Errorf("got %s", out)
	}
	got := c.run("policy", "apply", file, "--output", "json").exits(0).json()["policies"].([]any)
	if one := got[0].(map[string]any); len(got) != 2 || one["changed"] != false || one["version"] != 1.0 {
		t.Errorf("got %v", got)
	}
	one := c.run("policy", "get", "a", "--output", "json").exits(0).json()
	if one["version"] != 1.0 || one["source"] != "api" || one["total"] != "2s" {
		t.Errorf("got %v", one)
	}
	single := written(t, "a.json", `{"max_attempts": 5}`)
	c.run("policy", "apply", single, "--name", "a", "--version", "7").exits(6).silent().says("has version 1, not 7")
	if out := c.run("policy", "apply", single, "--name", "a", "--version", "1").exits(0).out; !strings.Contains(out, "changed") {
		t.Errorf("got %s", out)
	}
	if table := c.run("policy", "versions", "a").exits(0).out; strings.Count(table, "\n") != 3 {
		t.Errorf("got %s", table)
	}
	if table := c.run("policy", "list").exits(0).out; !strings.Contains(table, "version 2, from the api") || !strings.Contains(table, "payment") {
		t.Errorf("got %s", table)
	}
	c.run("policy", "delete", "a", "--dry-run").exits(0)
	c.run("policy", "delete", "a").exits(0)
	c.run("policy", "delete", "a").exits(4).silent()
	c.run("policy", "delete", "payment").exits(4).silent().says("preset")
	bad := written(t, "bad.yaml", "policies:\n  a:\n    ttl: 3\n")
	for _, verb := range []string{"check", "apply"} {
		c.run("policy", verb, bad).exits(2).silent().says("bad.yaml:3: policies.a.ttl: a duration is wanted, not 3")
	}
	c.run("policy", "apply", file, "--version", "1").exits(2).says("--name")
	nowhere(t).run("policy", "apply", file).exits(7).silent()
}
