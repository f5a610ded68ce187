package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestStorms(t *testing.T) {
	c := command{t: t, server: "http://127.0.0.1:1"} // nobody is there, and nobody is asked
	table := c.run("sim", "list").exits(0)
	if !strings.HasPrefix(table.out, "ID ") || !strings.Contains(table.out, "\nS17 ") || !strings.Contains(table.out, "\nL1 ") || !strings.Contains(table.out, "\nT1 ") {
		t.Errorf("table %q", table.out)
	}
	all := c.run("sim", "list", "--output", "json").exits(0).json()["scenarios"].([]any)
	first := all[0].(map[string]any)
	if first["id"] != "S1" || first["source"] == "" || len(first["parameters"].([]any)) == 0 {
		t.Errorf("first %v", first)
	}

	run := c.run("sim", "run", "s11").exits(0)
	for _, want := range []string{"S11", "VERDICT", "(control)", "ok\n"} {
		if !strings.Contains(run.out, want) {
			t.Errorf("no %q in %s", want, run.out)
		}
	}
	report := c.run("sim", "run", "S11", "--seed", "3", "--output", "json").exits(0)
	if got := report.json(); got["passed"] != true || got["seed"] != 3.0 || len(got["variants"].([]any)) != 3 {
		t.Errorf("report %v", got)
	}
	if again := c.run("sim", "run", "S11", "--seed", "3", "--output", "json").exits(0); again.out != report.out {
		t.Error("the same seed gives another report")
	}
	lines := c.run("sim", "run", "S11", "S12", "--seeds", "2", "--output", "jsonl").exits(0)
	if got := strings.Count(lines.out, "\n"); got != 4 {
		t.Errorf("%d lines", got)
	}
	c.run("sim", "run", "S11", "--policy", "default").exits(1).says("missed")
}

func TestCompareStorms(t *testing.T) {
	c := command{t: t, server: "http://127.0.0.1:1"}
	folder := t.TempDir()
	mine, page := filepath.Join(folder, "mine.json"), filepath.Join(folder, "storm.html")
	if err := os.WriteFile(mine, []byte(`{"max_attempts": 3, "budget": "none"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	table := c.run("sim", "compare", "S9", "--policy", mine, "--policy", "short", "--html", page).exits(0).says(page)
	if !strings.Contains(table.out, "\nmine ") || !strings.Contains(table.out, "\nshort ") {
		t.Errorf("table %s", table.out)
	}
	html, err := os.ReadFile(page)
	if err != nil || !strings.Contains(string(html), "<svg") {
		t.Errorf("page of %d bytes, %v", len(html), err)
	}
	got := c.run("sim", "compare", "S9", "--policy", mine, "--output", "json").exits(0).json()
	if len(got["variants"].([]any)) != 2 { // ours too; S9 has no control that is a policy
		t.Errorf("%v", got)
	}
}

func TestWrongStorms(t *testing.T) {
	c := command{t: t, server: "http://127.0.0.1:1"}
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`{"max_attempts": 0}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"sim"}, {"sim", "run"}, {"sim", "run", "S99"}, {"sim", "run", "S1", "--seeds", "0"}, {"sim", "run", "S11", "--policy", "none-such"},
		{"sim", "run", "S11", "--policy", bad}, {"sim", "compare"}, {"sim", "compare", "--history", bad}, {"sim", "compare", "S9", "--policy", bad},
		{"sim", "compare", "S9", "--history", "x", "--policy", "short"}, {"sim", "compare", "--history", bad, "--policy", "short"},
	} {
		c.run(args...).exits(2).silent()
	}
	c.run("sim", "run", "S99").exits(2).says("S17")
	c.run("sim", "compare", "--history", filepath.Join(t.TempDir(), "missing"), "--policy", "short").exits(1).silent()
}

// TestWhatIf records tasks on a server, exports them, and lets them run again under
// other policies.
func TestWhatIf(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	policy := `{"max_attempts": 2, "backoff": {"kind": "fixed", "initial": "1ms"}, "breaker": "none", "budget": "none"}`
	for range 3 {
		c.run("task", "enqueue", "--url", "http://127.0.0.1:1/", "--retry", policy, "--wait", "20s").exits(1).says("dead")
	}
	c.run("task", "enqueue", "--type", "never", "--delay", "1h").exits(0)
	history := filepath.Join(t.TempDir(), "history.ndjson")
	exported := c.run("task", "export").exits(0).says("4 tasks").out
	if got := strings.Count(exported, `"outcome":"dead"`); got != 3 {
		t.Errorf("%d tasks are dead: %s", got, exported)
	}
	for _, line := range strings.Split(strings.TrimSpace(exported), "\n") {
		var task map[string]any
		if err := json.Unmarshal([]byte(line), &task); err != nil || task["attempts"] == nil {
			t.Errorf("line %s: %v", line, err)
		}
	}
	if got := c.run("task", "export", "--type", "other").exits(0).says("0 tasks"); got.out != "" {
		t.Errorf("data %s", got.out)
	}
	if err := os.WriteFile(history, []byte(exported), 0o600); err != nil {
		t.Fatal(err)
	}
	got := c.run("sim", "compare", "--history", history, "--policy", "permanent", "--output", "json").exits(0).json()
	variants := got["variants"].([]any)
	attempts := func(i int) float64 {
		return variants[i].(map[string]any)["metrics"].(map[string]any)["attempts"].(float64)
	}
	if attempts(0) != 6 || attempts(1) != 3 {
		t.Errorf("recorded %v attempts, without retries %v", attempts(0), attempts(1))
	}
	dead := c.run("dead", "export").exits(0).out
	c.input = dead
	c.run("sim", "compare", "--history", "-", "--policy", "short").exits(0)
}

// TestServerWhatIf lets a server replay what it has recorded.
func TestServerWhatIf(t *testing.T) {
	c := command{t: t, server: startServer(t, "--store", "memory:").url}
	policy := `{"max_attempts": 2, "backoff": {"kind": "fixed", "initial": "1ms"}, "breaker": "none", "budget": "none"}`
	for range 3 {
		c.run("task", "enqueue", "--url", "http://127.0.0.1:1/", "--retry", policy, "--wait", "20s").exits(1).says("dead")
	}
	mine := filepath.Join(t.TempDir(), "mine.json")
	if err := os.WriteFile(mine, []byte(`{"max_attempts": 3, "budget": "none", "breaker": "none"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	table := c.run("sim", "whatif", "--since", "1h", "--target", "127.0.0.1:1", "--policy", mine, "--policy", "permanent").exits(0)
	for _, want := range []string{"3 tasks with 6 attempts on 1 targets", "\nas recorded ", "\ncurrent ", "\nmine ", "\npermanent ", "\n- What a target would have answered"} {
		if !strings.Contains(table.out, want) {
			t.Errorf("no %q in\n%s", want, table.out)
		}
	}
	runs := c.run("sim", "whatif", "--policy", mine, "--output", "json").exits(0).json()["runs"].([]any)
	attempts := func(i int) any { return runs[i].(map[string]any)["attempts"] }
	if len(runs) != 3 || attempts(0) != 6.0 || attempts(1) != 6.0 || attempts(2) != 9.0 {
		t.Errorf("%v", runs)
	}
	if lines := c.run("sim", "whatif", "--output", "jsonl").exits(0).out; strings.Count(lines, "\n") != 2 {
		t.Errorf("lines %s", lines)
	}
	if none := c.run("sim", "whatif", "--type", "none").exits(0).out; !strings.HasPrefix(none, "0 tasks") {
		t.Errorf("%s", none)
	}
	bad := filepath.Join(t.TempDir(), "bad.json")
	if err := os.WriteFile(bad, []byte(`max_attempts: 3`), 0o600); err != nil {
		t.Fatal(err)
	}
	c.run("sim", "whatif", "--policy", "none-such").exits(2).silent().says("none-such")
	c.run("sim", "whatif", "--policy", bad).exits(2).silent().says("JSON")
	c.run("sim", "whatif", "--tasks", "99999").exits(2).silent().says("tasks")
	c.run("sim", "whatif", "--since", "-1h").exits(2).silent().says("--since")
}
