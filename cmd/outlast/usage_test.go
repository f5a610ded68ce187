package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// What cannot be meant is refused as usage, in words of the command line.
func TestUsageIsSaidPlainly(t *testing.T) {
	t.Parallel()
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	missing := filepath.Join(t.TempDir(), "missing.json")
	const id = "01890a5d-ac96-774b-bcce-b302099a8057"
	for line, says := range map[string]string{
		"task enqueue --type a --wait -1s":            "--wait must not be negative",
		"task enqueue --type a --payload @" + missing: "missing.json",
		"task enqueue --file " + missing:              "missing.json",
		"schedule apply one --file " + missing:        "missing.json",
		"task list surplus":                           `outlast task list takes no arguments, but got "surplus"`,
		"task list --limit 0":                         "--limit must be at least 1",
		"task list --since -1h":                       "--since must not be negative",
		"dead groups --limit 0":                       "--limit must be at least 1",
		"audit list --limit 0":                        "--limit must be 1 to 500",
		"audit list --since -1h":                      "--since must not be negative",
		"alert list --limit 501":                      "--limit must be 1 to 500",
		"node list --limit 0":                         "--limit must be 1 to 500",
		"node lanes --limit -1":                       "--limit must be 1 to 500",
		"target list --limit 0":                       "--limit must be 1 to 500",
		"task reschedule " + id:                       "--run-at or --delay",
		"task reschedule " + id + " --delay 1s --run-at 2030-01-01T00:00:00Z": "--run-at or --delay",
		"doctor --store foo":                    "must begin with one of",
		"tassk":                                 `unknown command "tassk" of outlast; did you mean task?`,
		"task lst":                              `unknown command "lst" of outlast task; did you mean list?`,
		"task nonsense":                         "commands: attempts, cancel",
		"task list --limt 3":                    "unknown flag: --limt; did you mean --limit?\nsee: outlast task list --help",
		"task list --limit abc":                 `--limit: "abc" is not a whole number`,
		"task enqueue --type a --timeout 5":     `--timeout: "5" is not a duration; write it with a unit, such as 90s`,
		"dead redrive --all --rate x":           `--rate: "x" is not a number`,
		"task enqueue":                          "nothing to do: give --url for an HTTP request, --type for a handler, --group for a worker group, or --file",
		"alert put-rule x nope.json":            "give the JSON of the rule itself, or - to read it from standard input",
		"task enqueue --type a --queue nowhere": "outlast queue create NAME",
		"serve --listen 127.0.0.1:99999":        `listen: "99999" is not a port`,
		"serve --advertise x --store memory:":   `advertise: "x" is not a host and port`,
		"serve --tls-cert none --store memory:": "tls: one of cert and key is missing",
		"policy plan --steps 1s,5":              "--steps: \"1s,5\" is not a list of durations",
	} {
		c.run(strings.Fields(line)...).exits(2).silent().says(says)
	}
	folder := filepath.Join(t.TempDir(), "nowhere")
	c.run("serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+filepath.Join(folder, "o.db")).exits(4).silent().says("there is no folder").says(folder)
	c.run("serve", "--listen", strings.TrimPrefix(server.url, "http://"), "--store", "memory:").exits(6).silent().says("something listens on 127.0.0.1:").says("--listen")
	c.run("schedule", "get", "x").exits(4).silent().says("outlast schedule list")
	c.run("alert", "test", "x").exits(4).silent().says("outlast alert channels")
	c.run("queue", "pause", "x").exits(4).silent().says("outlast queue create NAME")
	nowhere := strings.Repeat("n", 64) + ".invalid" // longer than a label may be: no name server is asked, which may be slow
	command{t: t, server: "http://" + nowhere}.run("task", "list").exits(7).silent().says(`there is no host "` + nowhere + `"`).says("OUTLAST_SERVER")
	c.run("queue", "get", "x").exits(4).silent().says("outlast queue create")
	c.run("policy", "get", "x").exits(4).silent().says("policy").says("presets: ")
}
