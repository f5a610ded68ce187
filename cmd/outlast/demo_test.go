package main

import (
	"net/http"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/binarytest"
)

// A demo that is kept tells a story that its console shows: letters that died of
// something, tasks that wait longer and longer, an open breaker, alerts that have arrived,
// a worker's tasks, a group that is done, and a way to repair what fails.
func TestDemoKeeps(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	const address, addresses = "address.check", 6 // the type whose endpoint fails, and how many begin
	demo := binarytest.Start(t, "demo", "--keep")
	if said := demo.Said(); !strings.HasPrefix(said, "console: "+demo.URL+"/\n") {
		t.Errorf("the console's address comes first, not %q", said)
	}
	c := command{t: t, server: demo.URL}
	list := func(args ...string) string { return c.run(append(args, "--output", "jsonl")...).exits(0).out }
	await(t, "letters and a retry", func() bool {
		return strings.Count(list("dead", "list", "--type", address), "unknown country code XK") == addresses &&
			strings.Contains(list("task", "list", "--state", "pending", "--type", "invoice.book"), "night run")
	})
	await(t, "an outage, alerts, images and their group", func() bool {
		return strings.Contains(list("target", "list", "--troubled"), `"state":"open"`) &&
			strings.Contains(list("alert", "list"), `"rule":"outage"`) &&
			strings.Contains(list("task", "list", "--state", "succeeded", "--type", "image.resize"), "image.resize") &&
			strings.Contains(list("task-group", "list"), `"state":"done"`) &&
			strings.Contains(list("schedule", "list"), "stock-sync")
	})
	await(t, "the end of the story", func() bool { return strings.Contains(demo.Said(), "curl -X POST") })
	repair := regexp.MustCompile(`curl -X POST (\S+)`).FindStringSubmatch(demo.Said())
	answer, err := http.Post(repair[1], "", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	c.run("dead", "redrive", "--type", address, "--yes").exits(0)
	await(t, "the end of all letters", func() bool {
		return strings.Count(list("task", "list", "--state", "succeeded", "--type", address), "\n") >= addresses
	})
	if code := demo.Stop(syscall.SIGTERM); code != 0 {
		t.Errorf("exit code %d: %s", code, demo.Said())
	}
}

// await waits until something is so.
func await(t *testing.T, what string, so func() bool) {
	t.Helper()
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for end := time.Now().Add(2 * time.Minute); !so(); <-ticker.C {
		if time.Now().After(end) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}
