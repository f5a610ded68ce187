//go:build unix

package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/servertest"
)

// The server that works on a redrive is killed in the middle, and another goes
// on. Every letter is sent back exactly once by each redrive: all of them die
// again, so one that was sent twice would have died once more.
func TestRedriveSurvivesKill(t *testing.T) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		redriveSurvivesKill(t, "sqlite:"+filepath.Join(t.TempDir(), "redrive.db"))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		redriveSurvivesKill(t, servertest.Postgres(t))
	})
}

func redriveSurvivesKill(t *testing.T, store string) {
	const letters = 120
	url := endpoint(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	worker, other := startServer(t, "--store", store), startServer(t, "--store", store)
	c := command{t: t, server: worker.url, input: strings.Repeat(
		`{"type":"gone","target":{"url":"`+url+`"},"retry":{"breaker":"none","budget":"none"}}`+"\n", letters)}
	c.run("task", "enqueue", "--file", "-").exits(0)
	awaitLetters(t, other.url, letters)
	for round, rate := range []float64{0, 40} {
		result, err := apiOf(t, worker.url).Redrive(t.Context(), client.Redrive{Filter: &client.DeadFilter{Type: "gone"}, Rate: rate})
		if err != nil || result.Matched != letters {
			t.Fatalf("matched %+v, %v", result, err)
		}
		awaitProgress(t, other.url, result.Operation, func(o *client.Operation) bool { return o.Done > 0 || round == 0 })
		worker.stop(syscall.SIGKILL)
		done := awaitProgress(t, other.url, result.Operation, func(o *client.Operation) bool { return o.State != "running" })
		if done.State != "done" || done.Done != letters || done.Sent != letters || done.Skipped != 0 {
			t.Fatalf("round %d: the operation is %+v", round, done)
		}
		awaitLetters(t, other.url, letters)
		diedExactly(t, other.url, letters, round+2)
		worker, other = other, startServer(t, "--store", store)
	}
}

func apiOf(t *testing.T, url string) *client.Client {
	t.Helper()
	api, err := client.New(url)
	if err != nil {
		t.Fatal(err)
	}
	return api
}

// awaitProgress asks until an operation is as it should be, often at first.
func awaitProgress(t *testing.T, url, id string, ready func(*client.Operation) bool) *client.Operation {
	t.Helper()
	api := apiOf(t, url)
	pause := 2 * time.Millisecond
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(pause) { // sleep: waits for a real server
		pause = min(pause*11/10, 50*time.Millisecond)
		operation, err := api.Operation(t.Context(), id)
		if err == nil && ready(operation) {
			return operation
		}
		if time.Now().After(deadline) {
			t.Fatalf("the operation is %+v, %v", operation, err)
		}
	}
}

func awaitLetters(t *testing.T, url string, want int) {
	t.Helper()
	api := apiOf(t, url)
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) { // sleep: waits for a real server
		stats, err := api.DeadStats(t.Context())
		if err == nil && stats.Total == want {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("dead letters: %+v, want %d, %v", stats, want, err)
		}
	}
}

// diedExactly checks how often each letter has died, by its history.
func diedExactly(t *testing.T, url string, letters, times int) {
	t.Helper()
	seen := 0
	for line := range strings.Lines((command{t: t, server: url}).run("dead", "export").exits(0).out) {
		var letter client.Letter
		if err := json.Unmarshal([]byte(line), &letter); err != nil {
			t.Fatal(err)
		}
		seen++
		died := 0
		for _, attempt := range letter.Attempts {
			if attempt.Outcome == "dead" {
				died++
			}
		}
		if died != times {
			t.Errorf("%s has died %d times, want %d", letter.ID, died, times)
		}
	}
	if seen != letters {
		t.Errorf("%d letters were exported", seen)
	}
}
