package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

const fullAnswer = `{"status":429,"code":"queue_full","detail":"the queue \"q\" has its limit of 2 pending tasks","retry_after":"1m0s","hint":"try again later"}`

// A full queue is a definite answer: told at once, with the time of the next place,
// and never as an outcome that is not known.
func TestEnqueueIntoAFullQueue(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "outlast.yaml")
	if err := os.WriteFile(path, []byte("queues: {default: {max_pending: 2}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := startServer(t, "--store", "memory:", "--config", path)
	c := command{t: t, server: server.url}
	for range 2 {
		c.run("task", "enqueue", "--type", "a", "--delay", "1h").exits(0)
	}
	within := c.run("task", "enqueue", "--type", "a", "--within", "1900ms")
	for tries := 1; tries < 3 && strings.Contains(within.stderr, "no answer within"); tries++ { // the machine is busy: the last look took half a second
		within = c.run("task", "enqueue", "--type", "a", "--within", "1900ms")
	}
	drafts := c
	drafts.input = "{\"type\":\"a\"}\n{\"type\":\"a\"}\n"
	for _, got := range []*result{
		c.run("task", "enqueue", "--type", "a"),
		c.run("task", "enqueue", "--type", "a", "--wait", "3s"),
		within,
		drafts.run("task", "enqueue", "--file", "-", "--atomic"),
	} {
		got.exits(7).silent().says("nothing was accepted: ").says("there may be room in ")
		if strings.Contains(got.stderr, "unknown") || strings.Contains(got.stderr, "--id") {
			t.Errorf("not definite: %s", got.stderr)
		}
	}
	drafts.run("task", "enqueue", "--file", "-").exits(7).says("nothing was accepted: ")
}

// Definite refusals are told after one call, and a full queue after a call whose
// answer was lost is no definite one.
func TestRefusalsAreNotRepeated(t *testing.T) {
	var calls, status atomic.Int64
	body := ""
	url := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) == 1 && status.Load() == 0 {
			panic(http.ErrAbortHandler) // the answer is lost
		}
		w.Header().Set("Content-Type", "application/problem+json")
		w.Header().Set("Retry-After", "60")
		if status.Load() == 0 {
			w.WriteHeader(http.StatusTooManyRequests)
		} else {
			w.WriteHeader(int(status.Load()))
		}
		_, _ = w.Write([]byte(body))
	})
	c := command{t: t, server: url}
	for _, one := range []struct {
		status, exit int
		body         string
	}{
		{400, 2, `{"code":"invalid","detail":"no"}`}, {403, 5, `{"code":"denied","detail":"no"}`}, {404, 4, `{"code":"not_found","detail":"no"}`},
		{409, 6, `{"code":"conflict","detail":"no"}`}, {429, 7, fullAnswer},
	} {
		body = one.body
		status.Store(int64(one.status))
		calls.Store(0)
		c.run("task", "enqueue", "--type", "a").exits(one.exit).silent()
		if calls.Load() != 1 {
			t.Errorf("%d: %d calls", one.status, calls.Load())
		}
	}
	body = fullAnswer
	status.Store(0)
	calls.Store(0)
	if got := c.run("task", "enqueue", "--type", "a").exits(7).silent().says("its limit of 2"); strings.Contains(got.stderr, "nothing was accepted") {
		t.Errorf("a lost call may have been accepted: %s", got.stderr)
	}
}

// With --within written out, the command waits for a place.
func TestEnqueueWaitsForAPlace(t *testing.T) {
	var calls atomic.Int64
	url := endpoint(t, func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1) < 6 {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = w.Write([]byte(strings.Replace(fullAnswer, "1m0s", "10ms", 1)))
			return
		}
		_, _ = w.Write([]byte(`{"id":"01a1f88f-0b86-7027-a376-26f7e78c0000","state":"pending"}`))
	})
	command{t: t, server: url}.run("task", "enqueue", "--type", "a", "--within", "20s").exits(0)
	if calls.Load() != 6 {
		t.Errorf("%d calls", calls.Load())
	}
}
