package main

import (
	"strings"
	"testing"
)

// The command line says of canaries what the API says.
func TestCanaryOnTheCommandLine(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	tried := written(t, "p.yaml", "policies:\n  a: {max_attempts: 5, canary: 10%}\n")
	c.run("policy", "check", tried).exits(0)
	c.run("policy", "apply", tried).exits(2).says("there is no version before it").says("without canary first")
	c.run("policy", "promote", "a").exits(4)
	c.run("policy", "apply", written(t, "first.yaml", "policies: {a: {max_attempts: 3}}\n")).exits(0)
	c.run("policy", "abort", "a").exits(6).silent().says("no canary of the policy")
	c.run("policy", "apply", tried).exits(0)
	if got := c.run("policy", "apply", tried).exits(0).out; !strings.Contains(got, "unchanged") {
		t.Errorf("got %s", got)
	}
	if got := c.run("policy", "get", "a").exits(0).out; !strings.Contains(got, "version 2 applies to 10% of the tasks, version 1 to the rest") {
		t.Errorf("got %s", got)
	}
	if got := c.run("policy", "list").exits(0).out; !strings.Contains(got, "version 2, from the api, canary 10%") {
		t.Errorf("got %s", got)
	}
	shown := c.run("policy", "get", "a", "--output", "json").exits(0).json()["canary"].(map[string]any)
	if shown["share"] != "10%" || shown["version"] != 2.0 || shown["base_version"] != 1.0 {
		t.Errorf("got %v", shown)
	}
	c.run("policy", "promote", "a", "--version", "1").exits(6)
	if got := c.run("policy", "abort", "a", "--dry-run").exits(0).out; !strings.Contains(got, "would be changed") {
		t.Errorf("got %s", got)
	}
	c.run("policy", "promote", "a").exits(0)
	c.run("policy", "apply", written(t, "next.yaml", "policies: {a: {max_attempts: 7, canary: 2.5%}}\n")).exits(0)
	c.run("policy", "abort", "a").exits(0)
	if got := c.run("policy", "versions", "a").exits(0).out; !strings.Contains(got, "(canary: 2.5%, else version 3)") || strings.Count(got, "\n") != 6 {
		t.Errorf("got %s", got)
	}
	if got := c.run("policy", "get", "a", "--output", "json").exits(0).json(); got["attempts"] != 5.0 || got["version"] != 5.0 || got["canary"] != nil {
		t.Errorf("got %v", got)
	}
	bad := written(t, "bad.yaml", "policies:\n  a:\n    canary: 101\n")
	for _, verb := range []string{"check", "apply"} {
		c.run("policy", verb, bad).exits(2).silent().says("bad.yaml:3: policies.a.canary").says("above 0% to 100%")
	}
}

// What the file owns is promoted and aborted there.
func TestCanaryManagedByFile(t *testing.T) {
	t.Parallel()
	file := written(t, "f.yaml", "policies: {owned: {ttl: 1m}}\n")
	server := startServer(t, "--store", "memory:", "--config", file)
	c := command{t: t, server: server.url}
	write(t, file, "policies: {owned: {ttl: 2m, canary: 25%}}\n")
	happens(t, "the canary runs", func() bool {
		return strings.Contains(c.run("policy", "get", "owned").exits(0).out, "version 2 applies to 25% of the tasks, version 1 to the rest")
	})
	for _, verb := range []string{"promote", "abort"} {
		c.run("policy", verb, "owned").exits(6).silent().says("is in the configuration file")
	}
	write(t, file, "policies: {owned: {ttl: 2m}}\n")
	happens(t, "the canary ends", func() bool {
		shown := c.run("policy", "get", "owned", "--output", "json").exits(0).json()
		return shown["version"] == 3.0 && shown["canary"] == nil
	})
}
