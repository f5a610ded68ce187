package main

import (
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
)

// Every problem of a file stands on a line of its own, with its line in the file.
func TestProblemsStandOnLinesOfTheirOwn(t *testing.T) {
	path := written(t, "bad.yaml", "policies:\n  a: {max_attempts: 0}\n  b: {backoff: {kind: x}}\n")
	c := command{t: t, server: "http://127.0.0.1:1"}
	for _, args := range [][]string{{"config", "check", path}, {"policy", "check", path}, {"policy", "apply", path}, {"serve", "--store", "memory:", "--config", path}} {
		got := c.run(args...).exits(2).silent()
		lines := strings.Split(strings.TrimSpace(got.stderr), "\n")
		if len(lines) != 2 || !strings.HasPrefix(lines[0], "outlast: "+path+":2: policies.a.max_attempts: ") || !strings.HasPrefix(lines[1], "outlast: "+path+":3: policies.b.backoff.kind: ") {
			t.Errorf("%v: got %q", args, got.stderr)
		}
	}
}

// What is probably not meant has its line too.
func TestWarningsHaveLines(t *testing.T) {
	path := written(t, "migration.yaml", "policies:\n  legacy: {preset: snailjob-26, timeout: 60s}\n  legacy-mq:\n    preset: rocketmq-16\n    max_attempts: 17\n")
	single := written(t, "one.yaml", "preset: rocketmq-16\nbackoff:\n  jitter: none\n")
	c := command{t: t, server: "http://127.0.0.1:1"}
	for _, args := range [][]string{{"policy", "check", path}, {"config", "check", path}, {"policy", "check", single, "--name", "one"}} {
		got := c.run(args...).exits(0).silent()
		if strings.Contains(got.stderr, ":0: ") || !strings.Contains(got.stderr, "warning: "+args[2]+":") {
			t.Errorf("%v: got %s", args, got.stderr)
		}
	}
	if found := c.run("policy", "check", path, "--output", "json").exits(0).json()["warnings"].([]any); len(found) == 0 || found[0].(map[string]any)["line"] == nil {
		t.Errorf("got %v", found)
	}
}

// A misspelled policy is named with the nearest one. The API may have put it, which
// config check cannot know: it warns.
func TestNearestPolicy(t *testing.T) {
	path := written(t, "near.yaml", "policies:\n  shipping: {max_attempts: 3}\nqueues:\n  a: {policy: paymnt}\n  b: {policy: shiping}\n")
	c := command{t: t}
	c.run("config", "check", path).exits(0).silent().says("warning: " + path + `:4: queues.a.policy: the policy "paymnt" is not in the file`).says("(did you mean payment?)").says("(did you mean shipping?)")
	c.run("serve", "--store", "memory:", "--listen", "127.0.0.1:0", "--config", path).exits(2).silent().says(path + `:4: queues.a.policy: there is no policy "paymnt" (did you mean payment?)`).says("did you mean shipping?")

	server := startServer(t, "--store", "memory:", "--config", written(t, "good.yaml", "policies:\n  shipping: {max_attempts: 3}\n"))
	c.server = server.url
	c.run("task", "enqueue", "--type", "a", "--policy", "shiping").exits(2).silent().says("did you mean shipping?")
	c.run("task", "enqueue", "--type", "a", "--policy", "paymnt").exits(2).silent().says("did you mean payment?")
}

// Conditions are written as people read them, not as they stand in a web page.
func TestConditionsAreNotEscaped(t *testing.T) {
	path := written(t, "rules.yaml", "policies:\n  p: {max_attempts: 3, rules: [{when: 'attempt > 1 && status < 500', then: dead}]}\n")
	server := startServer(t, "--store", "memory:", "--config", path)
	c := command{t: t, server: server.url}
	c.run("policy", "apply", written(t, "put.yaml", "policies:\n  q: {max_attempts: 3, rules: [{when: 'attempt > 1 && status < 500', then: dead}]}\n")).exits(0)
	for _, args := range [][]string{{"alert", "rules"}, {"policy", "get", "p"}, {"policy", "get", "q"}, {"policy", "list"}, {"policy", "versions", "q"}, {"audit", "list"}} {
		for _, output := range []string{"table", "json", "jsonl"} {
			got := c.run(append(args, "--output", output)...).exits(0)
			if strings.Contains(got.out, `\u003`) || strings.Contains(got.out, `\u0026`) {
				t.Errorf("%v, %s: %s", args, output, got.out)
			}
		}
	}
	if got := c.run("policy", "get", "q", "--output", "json"); !strings.Contains(got.out, "attempt > 1 && status < 500") {
		t.Errorf("got %s", got.out)
	}
}

// A channel whose secret is not there is a matter of configuration, not an outage.
func TestAlertTestWithoutItsVariable(t *testing.T) {
	path := written(t, "channels.yaml", "alerts:\n  channels: {ops: {kind: slack, url_env: NO_SUCH_VARIABLE_HERE}}\n")
	server := startServer(t, "--store", "memory:", "--config", path)
	command{t: t, server: server.url}.run("alert", "test", "ops").exits(2).silent().says("NO_SUCH_VARIABLE_HERE").says("is not set").says("nothing was sent")
}

// What the API tells of a task, the table of one task shows too.
func TestTaskGetShowsWhoHasIt(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	id := c.run("task", "enqueue", "--type", "remote", "--output", "json").exits(0).json()["id"].(string)
	api, err := client.New(server.url)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close()
	leased, err := api.Poll(t.Context(), client.Poll{Worker: "w-7", Queues: []string{"default"}, Types: []string{"remote"}, Wait: client.Duration(10 * time.Second)})
	if err != nil || len(leased) != 1 {
		t.Fatal(leased, err)
	}
	if _, err := api.Extend(t.Context(), []client.ExtendItem{{ID: leased[0].ID, Claim: leased[0].Claim, Progress: []byte(`{"done":3}`)}}, 30*time.Second); err != nil {
		t.Fatal(err)
	}
	got := c.run("task", "get", id).exits(0)
	for _, want := range []string{"worker       w-7", "lease until  20", `progress     {"done":3}`} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in %s", want, got.out)
		}
	}
	if until, _ := c.run("task", "get", id, "--output", "json").exits(0).json()["lease_until"].(string); until == "" {
		t.Error("no lease_until")
	}

	grouped := c.run("task", "enqueue", "--file", written(t, "task.json", `{"type":"g","target":{"group":"nobody","path":"/x"}}`), "--output", "json").exits(0).json()["id"].(string)
	happens(t, "its dispatches are shown", func() bool {
		out := c.run("task", "get", grouped).exits(0).out
		return strings.Contains(out, "dispatches") && strings.Contains(out, "failed in a row: ") && strings.Contains(out, "next dispatch")
	})
}
