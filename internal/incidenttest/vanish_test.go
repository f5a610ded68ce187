package incidenttest

import (
	"encoding/json"
	"errors"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/binarytest"
	"github.com/outlast-dev/outlast/task"
)

// The incident: a service repeated what failed after 1 s each time, a bad argument
// as well as a deadlock; what was to be repeated was in memory only, so that a restart
// forgot it; what failed too often was dropped, and nobody was told.
//
// Here a worker in any language says which error it met. A deadlock is repeated at
// once, a bad argument never; the next attempt is on disk; and when none is left the
// task is kept with its whole story, people are told, and it can be sent again.
func TestRetriesVanish(t *testing.T) {
	t.Parallel()
	disk := onDisk(t)
	server := binarytest.Serve(t, "--store", disk)
	told := newPager(t, server)

	deadlock := accepted(t, server, client.Draft{Type: "order.save"})
	run(t, server, "order.save", "DeadlockLoserDataAccessException")
	if is := found(t, server, deadlock); is.LastError.Category != "conflict" || time.Duration(is.LastError.Delay) > 500*time.Millisecond {
		t.Errorf("a deadlock: %+v", is.LastError)
	}
	run(t, server, "order.save", "")
	if is := found(t, server, deadlock); is.State != task.Succeeded || is.Attempt != 2 {
		t.Errorf("a deadlock: %s after %d attempts", is.State, is.Attempt)
	}

	mistake := accepted(t, server, client.Draft{Type: "order.check"})
	run(t, server, "order.check", "IllegalArgumentException")
	if is := found(t, server, mistake); is.State != task.Dead || is.DeadReason != "permanent" || is.Attempt != 1 {
		t.Errorf("a bad argument: %s (%s) after %d attempts", is.State, is.DeadReason, is.Attempt)
	}

	outage := accepted(t, server, client.Draft{Type: "order.send", Payload: json.RawMessage(`{"order": 4711}`),
		Retry: json.RawMessage(`{"max_attempts": 3, "backoff": {"initial": "1s", "multiplier": 2, "jitter": "none"}}`)})
	run(t, server, "order.send", "SocketTimeoutException")
	planned := found(t, server, outage)
	server.Stop(syscall.SIGKILL)
	server = binarytest.Serve(t, "--store", disk)
	if is := found(t, server, outage); is.State != task.Pending || is.Attempt != 1 || !is.RunAt.Equal(planned.RunAt.Time) {
		t.Errorf("after a kill: %s, %d attempts, next at %s instead of %s", is.State, is.Attempt, is.RunAt, planned.RunAt)
	}
	if began := run(t, server, "order.send", "SocketTimeoutException"); began.Before(planned.RunAt.Time) {
		t.Errorf("the retry began at %s, planned was %s", began, planned.RunAt)
	}
	run(t, server, "order.send", "SocketTimeoutException")

	letter, err := server.API.Letter(t.Context(), outage)
	if err != nil || letter.DeadReason != "exhausted" || string(letter.Payload) != `{"order": 4711}` || len(letter.Attempts) != 3 {
		t.Fatalf("the dead letter: %+v, %v", letter, err)
	}
	for n, want := range []time.Duration{time.Second, 2 * time.Second, 0} {
		if a := letter.Attempts[n]; a.Number != n+1 || a.Category != "timeout" || time.Duration(a.NextDelay).Round(time.Millisecond) != want {
			t.Errorf("attempt %d: %+v", n+1, a)
		}
	}
	eventually(t, "somebody is told", func() bool {
		pages := told.of("exhausted")
		return len(pages) == 1 && pages[0].Subject == "order.send"
	})

	if _, err := server.API.Redrive(t.Context(), client.Redrive{IDs: []task.ID{outage}}); err != nil {
		t.Fatal(err)
	}
	run(t, server, "order.send", "")
	if is := found(t, server, outage); is.State != task.Succeeded {
		t.Errorf("after the redrive: %s", is.State)
	}
}

// The control: state in memory only is gone with its process.
func TestRetriesVanishFromMemory(t *testing.T) {
	t.Parallel()
	server := binarytest.Serve(t, "--store", "memory:")
	id := accepted(t, server, client.Draft{Type: "order.send", Delay: client.Duration(time.Hour)})
	server.Stop(syscall.SIGKILL)
	server = binarytest.Serve(t, "--store", "memory:")
	var refused *client.Error
	if _, err := server.API.Task(t.Context(), id); !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
		t.Errorf("the task is still known: %v", err)
	}
}

// run is a worker that takes one task of the type and fails with the error of the
// given class, or succeeds if there is none. It returns when it got the task.
func run(t *testing.T, s *binarytest.Server, taskType, class string) (began time.Time) {
	t.Helper()
	one := 1
	leased, err := s.API.Poll(t.Context(), client.Poll{Worker: "w1", Types: []string{taskType}, Max: &one, Wait: client.Duration(20 * time.Second)})
	if err != nil || len(leased) != 1 {
		t.Fatalf("no %s to work on: %v", taskType, err)
	}
	began = time.Now()
	result := client.TaskResult{ID: leased[0].ID, Claim: leased[0].Claim, Outcome: "succeeded"}
	if class != "" {
		result.Outcome, result.Error = "failed", &client.TaskError{Type: class, Message: "no"}
	}
	settled, err := s.API.Settle(t.Context(), []client.TaskResult{result})
	if err != nil || settled[0].Status != "ok" {
		t.Fatalf("settle: %+v, %v", settled, err)
	}
	return began
}
