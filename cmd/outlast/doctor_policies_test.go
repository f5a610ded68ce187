package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The doctor names what may not be meant, the same of a server and of its store: what
// has no retries, what may run for ever, and whose end nobody hears of.
func TestDoctorOfPolicies(t *testing.T) {
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
	write(`policies:
  fine: {timeout: 5s}
  never-again: {timeout: 5s, max_attempts: 1, alert: {when: 'event == "dead"'}}
  endless: {max_attempts: 3}
types:
  mail.once: {policy: fine, max_attempts: 1}
alerts:
  rules: [{name: exhausted, on: dead, when: 'policy == "fine" || type == "mail.once"'}]
`)
	server := serve(t, "--store", store, "--config", file)
	c := command{t: t, server: server.url}
	for _, args := range [][]string{nil, {"--store", store}} {
		for check, want := range map[string]string{
			"retries": "on", "without retries": "policy/never-again, type/mail.once", "without a timeout": "policy/endless", "silent deaths": "policy/endless",
		} {
			status, detail := finding(c, check, args...)
			if detail != want || (status == fine) != (check == "retries") {
				t.Errorf("%v: %s is %s: %s, want %s", args, check, status, detail, want)
			}
		}
	}
	server.stop(syscall.SIGTERM)
	write("retries: false\n")
	c.server = serve(t, "--store", store, "--config", file).url
	for _, args := range [][]string{nil, {"--store", store}} {
		if status, detail := finding(c, "retries", args...); status != warns || !strings.HasPrefix(detail, "off for all tasks") {
			t.Errorf("%v: retries are %s: %s", args, status, detail)
		}
		for _, check := range []string{"without retries", "without a timeout", "silent deaths"} {
			if status, detail := finding(c, check, args...); status != fine || detail != "none" {
				t.Errorf("%v: %s is %s: %s", args, check, status, detail)
			}
		}
	}
}
