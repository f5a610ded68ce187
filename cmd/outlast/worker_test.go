package main

import (
	"net/http"
	"strings"
	"testing"
)

// Remote workers, and what nobody can run, are seen from the command line.
func TestWorkerList(t *testing.T) {
	server := startServer(t, "--store", "memory:")
	c := command{t: t, server: server.url}
	c.run("task", "enqueue", "--type", "greet").exits(0)
	c.run("task", "enqueue", "--type", "nobodys").exits(0)
	poll := func(worker, wait string) {
		t.Helper()
		resp, err := http.Post(server.url+"/v1/workers/poll", "application/json",
			strings.NewReader(`{"worker":"`+worker+`","release":"1.4","types":["greet","b","c","d"],"wait":"`+wait+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil || resp.StatusCode != http.StatusOK {
			t.Fatal(resp.Status, err)
		}
	}
	poll("busy", "30s")
	poll("idle", "0s")
	list := c.run("worker", "list", "--output", "json").exits(0).json()["workers"].([]any)
	if busy := list[0].(map[string]any); len(list) != 2 || busy["in_hand"] != 1.0 || busy["leases"].([]any)[0].(map[string]any)["type"] != "greet" {
		t.Fatalf("the workers are %v", list)
	}
	await(t, "a word on what nobody can run", func() bool {
		poll("idle", "0s") // a silent one is listed for a minute
		said := c.run("worker", "list", "--limit", "500").exits(0)
		for _, text := range []string{"LEASE UNTIL", "idle  1.4      default  greet,b,c (+1)  1"} {
			if !strings.Contains(said.out, text) {
				t.Fatalf("no %q in\n%s", text, said.out)
			}
		}
		return strings.Contains(said.stderr, "nobody can run type nobodys in queue default (1 waiting, due since ")
	})
	c.run("worker", "list", "--limit", "1").exits(0).says("1 more; raise --limit")
	c.run("worker", "list", "--limit", "0").exits(2).says("--limit must be 1 to 500")
}
