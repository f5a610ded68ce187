package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// What only a process has: two streams, an exit code, an environment, and input.
func TestProgram(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url, env: []string{"OUTLAST_OUTPUT=json", "OUTLAST_TOKEN=olt_nobodys"}}
	c.input = `{"type":"a","delay":"1h"}`
	id := c.process("task", "enqueue", "--file", "-").exits(0).json()["id"].(string)
	c.process("task", "cancel", id).exits(0)
	c.process("task", "cancel", id).exits(6).silent().says("canceled")
	c.process("task", "get", "01a1f88f-0b86-7027-a376-26f7e78c0000").exits(4).silent().says("outlast: ")
	c.process("nonsense").exits(2).silent().says("see: outlast --help")
	c.input = `{"kind": "log"}`
	c.process("alert", "put-channel", "ops", "-").exits(0).json()
	command{t: t, server: "http://127.0.0.1:1"}.process("queue", "list").exits(7).silent().says("outlast serve")
}

func TestTasksOnTheCommandLine(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}

	made := c.run("task", "enqueue", "--type", "mail.send", "--payload", `{"n": 12345678901234567890}`, "--delay", "1h", "--priority", "7",
		"--key", "k", "--metadata", "a=b", "--output", "json").exits(0)
	if !strings.Contains(made.out, `"payload":{"n": 12345678901234567890}`) || strings.Count(made.out, "\n") != 1 {
		t.Errorf("data %s", made.out)
	}
	id := made.json()["id"].(string)
	if got := c.run("task", "get", id, "--output", "json").exits(0).json(); got["priority"] != 7.0 || got["waiting"] != "due later" {
		t.Errorf("got %v", got)
	}
	table := c.run("task", "list").exits(0)
	if lines := strings.Split(strings.TrimSpace(table.out), "\n"); len(lines) != 2 || !strings.HasPrefix(lines[0], "ID ") || !strings.Contains(lines[1], id) {
		t.Errorf("table %q", table.out)
	}
	if table.stderr != "" {
		t.Errorf("messages %q", table.stderr)
	}
	c.run("task", "list", "--type", "other", "--output", "jsonl").exits(0).silent()
	c.run("task", "attempts", id, "--output", "json").exits(0)
	c.run("task", "reschedule", id, "--delay", "2h").exits(0)
	c.run("task", "cancel", id).exits(0)
	c.run("task", "cancel", id).exits(6).silent().says("canceled")
	c.run("task", "retry", id).exits(6).silent()
	c.run("task", "get", "01a1f88f-0b86-7027-a376-26f7e78c0000").exits(4).silent()
	for range 3 {
		c.run("task", "enqueue", "--type", "a", "--delay", "1h").exits(0)
	}
	page := c.run("task", "list", "--limit", "2", "--output", "jsonl").exits(0).says("--cursor")
	if strings.Count(page.out, "\n") != 2 {
		t.Errorf("page %q", page.out)
	}
}

func TestWrongCommandLines(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	for _, args := range [][]string{
		{"nonsense"}, {"task"}, {"task", "nonsense"}, {"task", "get"}, {"task", "get", "x"}, {"task", "get", "--nonsense"}, {"task", "list", "--limit", "x"},
		{"task", "list", "--limit", "0"}, {"task", "list", "--output", "xml"}, {"task", "list", "--since", "x"}, {"task", "list", "--state", "x"},
		{"task", "enqueue"}, {"task", "enqueue", "--type", "a", "--payload", "{"}, {"task", "enqueue", "--type", "a", "--delay", "-1s"},
		{"task", "enqueue", "--type", "a", "--metadata", "x"}, {"task", "enqueue", "--type", "a", "--max-attempts", "0"},
		{"task", "reschedule", "01a1f88f-0b86-7027-a376-26f7e78c0000"}, {"dead", "redrive"}, {"dead", "purge", "--all", "--type", "x"},
		{"queue", "create", "a", "--lanes", "0"}, {"serve", "--store", "oracle:x"}, {"serve", "--listen", "127.0.0.1:0", "--store", "postgres://u:secret@h:5x/d"}, {"serve", "--log-level", "x"},
		{"serve", "--allow-target", "x"}, {"serve", "--listen", "x"}, {"serve", "extra"}, {"--server", "ftp://x", "task", "list"}, {"migrate", "up", "--store", "memory:"},
	} {
		if got := c.run(args...).exits(2).silent(); got.stderr == "" || strings.Contains(got.stderr, "secret") {
			t.Errorf("%v: messages %q", args, got.stderr)
		}
	}
	c.run("serve", "--listen", "0.0.0.0:0").exits(5).silent().says("loopback")
	c.run("serve", "--listen", ":0").exits(5).silent().says("token")
	for _, url := range []string{"mysql://u:secret@127.0.0.1:1/d", "postgres://u:secret@127.0.0.1:1/d"} {
		for _, args := range [][]string{{"serve", "--listen", "127.0.0.1:0"}, {"migrate", "up"}, {"migrate", "status"}, {"doctor"}} {
			got := c.run(append(args, "--store", url)...).exits(7)
			if !strings.Contains(got.out+got.stderr, "127.0.0.1:1") || strings.Contains(got.out+got.stderr, "secret") {
				t.Errorf("%v: %s%s", args, got.out, got.stderr)
			}
		}
	}
	command{t: t, server: "http://127.0.0.1:1"}.run("queue", "list").exits(7).silent().says("outlast serve")
	command{t: t, server: server.url, env: []string{"OUTLAST_OUTPUT=json"}}.run("queue", "list").exits(0).json()
	command{t: t, server: server.url, env: []string{"OUTLAST_OUTPUT=json"}}.run("queue", "list", "--output", "jsonl").exits(0)
}

func TestEnqueueFromFiles(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	stdin := func(text string) command { return command{t: t, server: server.url, input: text} }

	stdin(`{"type":"a","delay":"1h","payload":[ 1]}`).run("task", "enqueue", "--file", "-").exits(0)
	stdin(`{"type":"a","foo":1}`).run("task", "enqueue", "--file", "-").exits(2).silent().says("foo")
	stdin(`{"type":`).run("task", "enqueue", "--file", "-").exits(2).silent().says("not JSON")
	stdin(``).run("task", "enqueue", "--file", "-").exits(2).silent()
	some := stdin("{\"type\":\"a\",\"delay\":\"1h\"}\n{\"type\":\"\"}\n{\"type\":\"b\",\"delay\":\"1h\"}").run("task", "enqueue", "--file", "-", "--output", "json").exits(3).says("task 2")
	if results := some.json()["results"].([]any); len(results) != 3 {
		t.Errorf("results %v", results)
	}
	stdin("{\"type\":\"a\"}\n{\"type\":\"\"}").run("task", "enqueue", "--file", "-", "--atomic").exits(2).silent()
	stdin(`{"type":"a"}`).run("task", "enqueue", "--file", "-", "--group", "g").exits(2).silent().says("--group cannot be combined with --file")
	stdin("{\"type\":\"\"}\n{\"type\":\"\"}").run("task", "enqueue", "--file", "-").exits(2)
	many := stdin(strings.Repeat("{\"type\":\"many\",\"delay\":\"1h\"}\n", 2500)).run("task", "enqueue", "--file", "-", "--output", "jsonl").exits(0)
	if got := strings.Count(many.out, `"status":201`); got != 2500 {
		t.Errorf("%d of 2500 accepted", got)
	}
	payload := filepath.Join(t.TempDir(), "payload.json")
	if err := os.WriteFile(payload, []byte("{\"a\":  1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := stdin("").run("task", "enqueue", "--type", "a", "--delay", "1h", "--payload", "@"+payload, "--output", "json").exits(0); !strings.Contains(got.out, `{"a":  1}`) {
		t.Errorf("got %s", got.out)
	}
}

func TestDeadLettersOnTheCommandLine(t *testing.T) {
	var up atomic.Bool
	url := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			http.Error(w, "gone \x1b]0;title\x07 \u202e", http.StatusGone)
		}
	})
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	var ids []string
	for range 4 {
		ids = append(ids, c.run("task", "enqueue", "--type", "push", "--url", url, "--wait", "20s", "--output", "json").exits(1).says("dead").json()["id"].(string))
	}
	for _, args := range [][]string{{"dead", "list"}, {"dead", "get", ids[0]}, {"dead", "groups"}, {"task", "attempts", ids[0]}, {"dead", "stats"}} {
		got := c.run(args...).exits(0)
		if strings.ContainsAny(got.out, "\x1b\x07\u202e") {
			t.Errorf("%v lets control characters through: %q", args, got.out)
		}
	}
	if got := c.run("dead", "stats", "--output", "json").exits(0).json(); got["total"] != 4.0 {
		t.Errorf("stats %v", got)
	}
	export := c.run("dead", "export").exits(0).says("4 dead letters")
	for _, line := range strings.Split(strings.TrimSpace(export.out), "\n") {
		if !json.Valid([]byte(line)) {
			t.Errorf("line %s", line)
		}
	}
	c.run("dead", "purge", "--all").exits(2).silent().says("4 dead letters match")
	c.run("dead", "redrive", "--type", "push").exits(2).silent().says("--yes")
	if got := c.run("dead", "purge", "--all", "--dry-run", "--output", "json").exits(0).json(); got["matched"] != 4.0 {
		t.Errorf("dry run %v", got)
	}
	c.run("dead", "redrive", "--type", "push", "--dry-run").exits(0).says("would be redriven").says("dead for").says(" died of a permanent failure, and no release")
	up.Store(true)
	c.run("dead", "redrive", ids[0]).exits(0)
	c.run("dead", "redrive", ids[1], "01a1f88f-0b86-7027-a376-26f7e78c0000").exits(3)
	c.run("dead", "redrive", "01a1f88f-0b86-7027-a376-26f7e78c0000").exits(4)
	redriven := c.run("dead", "redrive", "--type", "push", "--reason", "permanent", "--canary", "1", "--stop-if-failing", "0.5", "--wait", "--yes", "--output", "json").exits(0).says("done: 2 of 2 redriven").says("outcomes so far: ").json()
	operation := redriven["operation"].(string)
	c.run("operation", "get", operation).exits(0)
	c.run("operation", "list").exits(0)
	await(t, "a report of two that succeeded, the last of which is sent back when the operation ends", func() bool {
		items := c.run("operation", "items", operation, "--output", "json").exits(0).json()["items"].([]any)
		return len(items) == 2 && items[1].(map[string]any)["status"] == "succeeded"
	})
	c.run("operation", "items", operation, "--limit", "1").exits(0).says("--cursor 1")
	if items := c.run("operation", "items", operation, "--status", "dead", "--output", "json").exits(0).json()["items"].([]any); len(items) != 0 {
		t.Errorf("dead again are %v", items)
	}
	c.run("operation", "items", "none").exits(4).silent()
	c.run("operation", "pause", operation).exits(6).silent()
	c.run("dead", "redrive", "--all", "--yes").exits(0).says("0 dead letters")
	c.run("dead", "get", ids[0]).exits(4).silent()
}

func TestQueuesOnTheCommandLine(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	if got := c.run("queue", "create", "billing", "--lanes", "4", "--weight", "2", "--output", "json").exits(0).json(); got["lanes"] != 4.0 || got["weight"] != 2.0 {
		t.Errorf("got %v", got)
	}
	if got := c.run("queue", "pause", "billing", "--output", "json").exits(0).json(); got["paused"] != true {
		t.Errorf("got %v", got)
	}
	c.run("task", "enqueue", "--type", "waits", "--queue", "billing").exits(0)
	for _, args := range [][]string{{"pause", "billing"}, {"create", "billing", "--weight", "3"}, {"get", "billing"}} {
		row := strings.Fields(strings.Split(c.run(append([]string{"queue"}, args...)...).exits(0).out, "\n")[1])
		if row[3] != "1" || row[4] != "0" || row[5] != "0" {
			t.Errorf("%v: one task waits, and it says %v", args, row)
		}
	}
	c.run("queue", "resume", "billing").exits(0)
	c.run("queue", "get", "billing").exits(0)
	c.run("queue", "pause", "nowhere").exits(4).silent()
	if got := c.run("queue", "list").exits(0); strings.Count(got.out, "\n") != 3 {
		t.Errorf("got %s", got.out)
	}
}

func TestTargetsOnTheCommandLine(t *testing.T) {
	var up atomic.Bool
	url := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		if !up.Load() {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	name := strings.TrimPrefix(url, "http://")
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	for range 25 {
		c.run("task", "enqueue", "--url", url, "--max-attempts", "2").exits(0)
	}
	says := func(what string, words []string, args ...string) {
		t.Helper()
		await(t, what, func() bool { // attempts and probes end when they end
			out := c.run(args...).out
			return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(out, word) })
		})
	}
	says("the target in the list", []string{name, "fail"}, "target", "list") // by its failure_rate, or probe_failed since
	says("an open breaker", []string{"next probe", "open"}, "target", "get", name)
	waiting := c.run("task", "enqueue", "--url", url, "--output", "json").exits(0).json()["id"].(string)
	says("a task that waits for it", []string{"breaker open", "next check"}, "task", "get", waiting)
	state := func(got map[string]any) string {
		breaker := got["breaker"].(map[string]any)
		return fmt.Sprint(breaker["state"], " ", breaker["forced"])
	}
	c.run("target", "open", name, "--dry-run").exits(0).silent().says("will not be called")
	if got := c.run("target", "open", name, "--yes", "--output", "json").exits(0).says("due tasks wait").json(); state(got) != "open true" {
		t.Errorf("got %v", got)
	}
	up.Store(true) // or what waits fails at once, and opens the breaker again before it is told
	if got := c.run("target", "close", name, "--output", "json").exits(0).says("slowly at first").json(); state(got) != "ramping false" {
		t.Errorf("got %v", got)
	}
	if got := c.run("target", "reset", name, "--output", "json").exits(0).json(); state(got) != "closed false" {
		t.Errorf("got %v", got)
	}
	c.run("target", "open", "never.example", "--output", "json").exits(4).says("no task for this target is known")
	c.run("target", "open", "never.example", "--unknown", "--output", "json").exits(0)
	if got := c.run("target", "list", "--output", "jsonl", "--limit", "1").exits(0).says("1 more"); strings.Count(got.out, "\n") != 1 || !strings.Contains(got.out, "never.example") {
		t.Errorf("got %s", got.out)
	}
	c.run("target", "close", "nobody.example").exits(4).silent()
	c.run("target", "get", "nobody.example").exits(4).silent()
	c.run("target", "open").exits(2).silent()
	c.run("target", "list", "--limit", "501").exits(2).silent()
	c.run("target").exits(2).silent()
}

func TestServeStopsGracefullyAndKeepsItsTasks(t *testing.T) {
	started, release := make(chan struct{}, 1), make(chan struct{})
	url := endpoint(t, func(http.ResponseWriter, *http.Request) {
		started <- struct{}{}
		<-release
	})
	path := filepath.Join(t.TempDir(), "kept.db")
	server := startServer(t, "--store", "sqlite:"+path, "--grace", "20s")
	c := command{t: t, server: server.url}
	id := c.run("task", "enqueue", "--url", url, "--output", "json").exits(0).json()["id"].(string)
	<-started
	server.Signal(syscall.SIGTERM)
	time.AfterFunc(200*time.Millisecond, func() { close(release) })
	if code := server.Wait(); code != 0 || !strings.Contains(server.said(), "stopped") {
		t.Errorf("exit code %d: %s", code, server.said())
	}
	next := startServer(t, "--store", "sqlite:"+path)
	if got := (command{t: t, server: next.url}).run("task", "get", id, "--output", "json").exits(0).json(); got["state"] != "succeeded" {
		t.Errorf("the attempt that had its grace time: %v", got)
	}
	if code := next.stop(syscall.SIGINT); code != 0 {
		t.Errorf("exit code %d: %s", code, next.said())
	}
}

func TestSecondSignalStopsAtOnce(t *testing.T) {
	started, release := make(chan struct{}, 1), make(chan struct{})
	url := endpoint(t, func(http.ResponseWriter, *http.Request) {
		started <- struct{}{}
		<-release
	})
	defer close(release)
	server := startServer(t, "--store", "memory:", "--grace", "10m")
	command{t: t, server: server.url}.run("task", "enqueue", "--url", url, "--timeout", "20m").exits(0)
	<-started
	began := time.Now()
	server.Signal(syscall.SIGTERM)
	for !strings.Contains(server.said(), "a second signal stops at once") {
		select {
		case <-server.Ended():
			t.Fatalf("it did not wait: %s", server.said())
		case <-time.After(10 * time.Millisecond):
		}
	}
	for ended := false; !ended; { // one that comes soon after the first is the same
		server.Signal(syscall.SIGTERM)
		select {
		case <-server.Ended():
			ended = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	if code := server.Wait(); code != 0 || time.Since(began) > time.Minute { // of ten
		t.Errorf("exit code %d after %s: %s", code, time.Since(began), server.said())
	}
}

func TestMigrateAndDoctor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.db")
	c := command{t: t, server: "http://127.0.0.1:1"}
	store := "sqlite:" + path
	c.run("migrate", "status", "--store", store).exits(4).silent()
	c.run("doctor", "--store", store).exits(7)
	c.run("migrate", "up", "--store", store).exits(0)
	if got := c.run("migrate", "status", "--store", store, "--output", "json").exits(0); !strings.Contains(got.out, `"applied":true`) || strings.Contains(got.out, `"applied":false`) {
		t.Errorf("got %s", got.out)
	}
	if got := c.run("migrate", "print", "--store", store).exits(0); !strings.Contains(got.out, "CREATE TABLE") {
		t.Errorf("got %s", got.out)
	}
	report := c.run("doctor", "--store", store, "--output", "json").exits(0).json()
	if report["status"] == "fail" {
		t.Errorf("report %v", report)
	}
	c.run("doctor").exits(7)

	server := startServer(t, "--store", store)
	c.server = server.url
	c.run("task", "enqueue", "--type", "nobody.handles.it").exits(0)
	for _, args := range [][]string{{"doctor"}, {"doctor", "--store", store}} {
		if got := c.run(args...).exits(0); !strings.Contains(got.out, "nobody.handles.it") {
			t.Errorf("%v: %s", args, got.out)
		}
	}
}

func TestDemo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	got := command{t: t}.run("demo", "--output", "json").exits(0).says("dead letters").says("attempt 1").says("redriv")
	sum := got.json()
	if sum["dead_letters"].(float64) == 0 || sum["succeeded_after_redrive"] != sum["dead_letters"] || sum["succeeded_after_retries"].(float64) == 0 || sum["succeeded_at_first_attempt"].(float64) == 0 {
		t.Errorf("summary %v", sum)
	}
	if first := sum["succeeded_at_first_attempt"].(float64); first+sum["succeeded_after_retries"].(float64) != 300 || first < 150 || first > 260 {
		t.Errorf("summary %v; seven mails in ten succeed at once", sum)
	}
	for _, line := range strings.Split(got.stderr, "\n") {
		if _, after, found := strings.Cut(line, "at the first attempt "); found && strings.HasPrefix(after, "308") {
			t.Errorf("redriven tasks are counted as first attempts: %s", line)
		}
	}
	got.says("after the redrive 8)")
}

func TestVersionHelpAndCompletion(t *testing.T) {
	c := command{t: t}
	if got := c.run("version", "--output", "json").exits(0).json(); got["version"] == "" {
		t.Errorf("got %v", got)
	}
	for _, args := range [][]string{{"--help"}, {}, {"task", "enqueue", "--help"}, {"completion", "bash"}, {"completion", "zsh"}} {
		if got := c.run(args...).exits(0); got.out == "" || got.stderr != "" {
			t.Errorf("%v: data %q, messages %q", args, got.out, got.stderr)
		}
	}
}
