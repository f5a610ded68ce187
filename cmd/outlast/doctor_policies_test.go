package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The doctor names what may not be meant, the same of a server and of its store: what
// has no retries, what may run for ever, and whose end nobody hears of. The default
// policy and types without configuration are no exception.
func TestDoctorOfPolicies(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file, store := filepath.Join(folder, "outlast.yaml"), "sqlite:"+filepath.Join(folder, "o.db")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	finding := func(c command, check string, args ...string) (status, detail string) {
		for _, one := range c.run(append([]string{"doctor", "--output", "json"}, args...)...).exits(0).json()["findings"].([]any) {
			if f := one.(map[string]any); f["check"] == check {
				return f["status"].(string), f["detail"].(string)
			}
		}
		t.Errorf("%v: no finding %s", args, check)
		return "", ""
	}
	untouched := "sqlite:" + filepath.Join(folder, "untouched.db")
	for _, c := range []struct {
		command
		args []string
	}{{command{t: t, server: startServer(t, "--store", untouched).url}, nil}, {command{t: t}, []string{"--store", untouched}}} {
		if status, detail := finding(c.command, "without a timeout", c.args...); status != "ok" || detail != "none" {
			t.Errorf("%v: an untouched server is warned of itself: %s", c.args, detail)
		}
	}
	write("policies: {default: {ttl: 1h}}\n")
	if status, detail := finding(command{t: t, server: startServer(t, "--store", "memory:", "--config", file).url}, "without a timeout"); status != "warn" || detail != "policy/default" {
		t.Errorf("a default policy of one's own: %s, %s", status, detail)
	}
	write(`policies:
  fine: {timeout: 5s}
  never-again: {timeout: 5s, max_attempts: 1, alert: {when: 'event == "dead"'}}
  endless: {max_attempts: 3}
types:
  mail.once: {policy: fine, max_attempts: 1}
alerts:
  rules: [{name: exhausted, on: dead, when: 'policy == "fine" || type == "mail.once"'}]
`)
	server := startServer(t, "--store", store, "--config", file)
	c := command{t: t, server: server.url}
	c.run("task", "enqueue", "--type", "report.build").exits(0)
	c.run("task", "enqueue", "--type", "report.once", "--max-attempts", "1", "--timeout", "3s").exits(0)
	for _, args := range [][]string{nil, {"--store", store}} {
		for check, want := range map[string]string{
			"retries": "on", "without retries": "policy/never-again, type/mail.once, type/report.once",
			"without a timeout": "policy/endless, type/report.build",
			"silent deaths":     "policy/default, policy/endless, type/report.build, type/report.once",
		} {
			status, detail := finding(c, check, args...)
			if detail != want || (status == "ok") != (check == "retries") {
				t.Errorf("%v: %s is %s: %s, want %s", args, check, status, detail, want)
			}
		}
	}
	for paused, verb := range []string{"resume", "pause"} {
		c.run("queue", verb, "outlast.alerts", "--yes").exits(0)
		for _, args := range [][]string{nil, {"--store", store}} {
			status, detail := finding(c, "alerts", args...)
			if (status == "warn") != (paused == 1) || strings.Contains(detail, "outlast.alerts has been paused since 20") != (paused == 1) {
				t.Errorf("%v, %s: alerts are %s: %s", args, verb, status, detail)
			}
		}
	}
	server.stop(syscall.SIGTERM)
	write("retries: false\npolicies: {default: {timeout: 5s}}\n")
	c.server = startServer(t, "--store", store, "--config", file).url
	for _, args := range [][]string{nil, {"--store", store}} {
		if status, detail := finding(c, "retries", args...); status != "warn" || !strings.HasPrefix(detail, "off for all tasks") {
			t.Errorf("%v: retries are %s: %s", args, status, detail)
		}
		for _, check := range []string{"without retries", "without a timeout", "silent deaths"} {
			if status, detail := finding(c, check, args...); status != "ok" || detail != "none" {
				t.Errorf("%v: %s is %s: %s", args, check, status, detail)
			}
		}
	}
}
