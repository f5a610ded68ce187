package main

import (
	"net/http"
	"strings"
	"testing"
)

func TestAlertCommands(t *testing.T) {
	got := make(chan string, 10)
	url := endpoint(t, func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("Webhook-Id") })
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	c.run("alert", "put-channel", "ops", `{"kind": "webhook", "url": "`+url+`"}`).exits(0)
	c.run("alert", "test", "ops").exits(0)
	if id := <-got; id == "" {
		t.Error("the test message has no id")
	}
	if out := c.run("alert", "channels").exits(0).out; !strings.Contains(out, "ops") || !strings.Contains(out, "webhook") {
		t.Error(out)
	}
	c.run("alert", "put-rule", "slow", `{"on": "target", "when": "p99 > duration(\"2s\")", "channels": ["ops"]}`).exits(0)
	if out := c.run("alert", "rules").exits(0).out; !strings.Contains(out, "slow") || !strings.Contains(out, "built in") {
		t.Error(out)
	}
	c.run("alert", "put-rule", "slow", `{"on": "target", "when": "p9 > 1"}`).exits(2).silent().says("p9")
	c.run("alert", "put-rule", "slow", `{`).exits(2).silent()
	c.run("alert", "test", "nobody").exits(4).silent()
	c.run("alert", "delete-channel", "ops", "--yes").exits(6).says("slow")
	c.run("alert", "delete-rule", "slow", "--yes").exits(0)
	c.run("alert", "delete-channel", "ops", "--yes").exits(0)
	c.run("alert", "list").exits(0)
	c.run("alert", "ack", "0").exits(2).silent()
	c.run("alert", "ack", "01890000-0000-7000-8000-000000000001").exits(4).silent()
	if events := c.run("alert", "events", "--output", "json").exits(0).json(); events["events"] == nil {
		t.Errorf("%v", events)
	}
}

func TestAlertSilence(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	made := c.run("alert", "silence", "add", "--target", "bank.*", "--for", "2h", "--reason", "a new gateway", "--output", "json").exits(0).json()
	if made["state"] != "active" || made["target"] != "bank.*" {
		t.Errorf("made %v", made)
	}
	if listed := c.run("alert", "silence", "list").exits(0).out; !strings.Contains(listed, "target bank.*") || !strings.Contains(listed, "active") {
		t.Errorf("listed %s", listed)
	}
	c.run("alert", "silence", "end", made["id"].(string)).exits(0)
	c.run("alert", "silence", "end", "none").exits(4).silent()
	c.run("alert", "silence", "end", "").exits(2).silent()
	c.run("alert", "silence", "add", "--for", "2h", "--reason", "x").exits(2).silent().says("pattern")
	c.run("alert", "silence", "add", "--rule", "*", "--from", "tomorrow", "--for", "2h", "--reason", "x").exits(2).silent().says("--from")
}
