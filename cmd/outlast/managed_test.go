package main

import (
	"strings"
	"testing"
)

// What the configuration file owns is refused to every door with the same words.
func TestManagedByFile(t *testing.T) {
	file := written(t, "f.yaml", `
policies: {owned: {ttl: 1m}}
queues: {owned: {weight: 2}}
schedules: {owned: {every: 1h, task: {type: report}}}
alerts:
  channels: {owned: {kind: log}}
  rules: [{name: owned, on: dead, channels: [owned]}]
`)
	server := startServer(t, "--store", "memory:", "--config", file)
	c := command{t: t, server: server.url}
	policies := written(t, "p.yaml", "policies: {owned: {ttl: 2m}}\n")
	for _, args := range [][]string{
		{"policy", "apply", policies},
		{"policy", "delete", "owned", "--yes"},
		{"queue", "create", "owned", "--weight", "3"},
		{"schedule", "apply", "owned", "--every", "2h", "--type", "report"},
		{"schedule", "delete", "owned", "--yes"},
		{"alert", "put-rule", "owned", `{"on": "retry"}`},
		{"alert", "delete-rule", "owned", "--yes"},
		{"alert", "put-channel", "owned", `{"kind": "log"}`},
	} {
		c.run(args...).exits(6).silent().says("is in the configuration file").says("change it there")
	}
	c.run("alert", "delete-rule", "exhausted", "--yes").exits(4)
	if out := c.run("alert", "rules").exits(0).out; !strings.Contains(out, "file") {
		t.Error(out)
	}
	// A file that names a channel that nobody has changes nothing.
	write(t, file, "alerts: {rules: [{name: owned, on: dead, channels: [ownd]}]}\n")
	happens(t, "the file is refused", func() bool { return strings.Contains(server.said(), "there is no channel") })
	c.run("alert", "put-rule", "owned", `{"on": "retry"}`).exits(6)
	c.run("alert", "put-rule", "other", `{"on": "dead", "channels": ["ownd"]}`).exits(2).says("did you mean owned?")
}
