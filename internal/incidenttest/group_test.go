package incidenttest

import (
	"encoding/json"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/internal/binarytest"
	"github.com/outlast-dev/outlast/task"
)

// The incident: when a worker group was overloaded or gone, the dispatcher put each
// of its tasks back into the queue at once, and burned processor and network on a
// group that could not answer.
//
// Here the group is asked again after 1 s, 5 s, 10 s and then every minute, once for
// all of its tasks. That is no attempt of theirs. The tasks of other groups run
// meanwhile, and when the group is back its tasks follow.
func TestDeadWorkerGroup(t *testing.T) {
	t.Parallel()
	const tasks = 60
	server := binarytest.Serve(t, "--store", onDisk(t))
	sick, well := newWorkers(t, true), newWorkers(t, false)
	sick.beat(t, server, "sick", 4)
	well.beat(t, server, "well", 400)
	waiting := acceptedAll(t, server, tasks, client.Draft{Type: "report", Target: &client.Target{Group: "sick", Path: "/run"}})
	eventually(t, "the group is asked", func() bool { return sick.calls.Load() > 0 })
	began := time.Now()
	acceptedAll(t, server, tasks, client.Draft{Type: "report", Target: &client.Target{Group: "well", Path: "/run"}})
	eventually(t, "the other group does its work", func() bool { return well.calls.Load() == tasks })
	eventually(t, "the waiting is explained", func() bool { return found(t, server, waiting[0]).Waiting == "group backoff" })
	time.Sleep(time.Until(began.Add(4 * time.Second))) // sleep: the group is away for so long

	sick.away.Store(false)
	sick.beat(t, server, "sick", 400)
	for _, id := range waiting {
		if is := ended(t, server, id); is.State != task.Succeeded || is.Attempt != 1 {
			t.Fatalf("%s: %s after %d attempts", id, is.State, is.Attempt)
		}
	}
	// The four that it had room for at the beginning, and one after 1 s.
	inVain := sick.calls.Load() - tasks
	away := time.Since(began)
	t.Logf("%d tasks asked a group that was away for %s at most %d times in vain", tasks, away, inVain)
	if inVain > 10+int64(away.Minutes()) { // in the end it is asked every minute
		t.Errorf("%d dispatches were in vain", inVain)
	}
}

// The control: tasks that are put back at once.
func TestDeadWorkerGroupAskedAtOnce(t *testing.T) {
	t.Parallel()
	server := binarytest.Serve(t, "--store", onDisk(t))
	sick := newWorkers(t, true)
	acceptedAll(t, server, 200, client.Draft{Type: "report", Target: &client.Target{URL: sick.url},
		Retry: json.RawMessage(`{"unlimited": true, "backoff": {"kind": "fixed", "initial": "10ms", "jitter": "none"}, "budget": "none", "breaker": "none"}`)})
	began := time.Now()
	eventually(t, "the group is asked again and again", func() bool { return sick.calls.Load() > 2000 })
	t.Logf("200 tasks asked the group 2000 times in %s", time.Since(began).Round(10*time.Millisecond))
}

// workers is the only member of a worker group.
type workers struct {
	url   string
	calls atomic.Int64
	away  atomic.Bool
}

func newWorkers(t *testing.T, away bool) *workers {
	w := &workers{}
	w.away.Store(away)
	w.url = endpoint(t, func(answer http.ResponseWriter, r *http.Request) {
		w.calls.Add(1)
		if w.away.Load() {
			answer.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	return w
}

// beat says how many tasks the member takes at once.
func (w *workers) beat(t *testing.T, s *binarytest.Server, group string, capacity int) {
	t.Helper()
	if err := s.API.PutMember(t.Context(), group, "m1", client.Member{URL: w.url, Capacity: capacity, TTL: client.Duration(time.Minute)}); err != nil {
		t.Fatal(err)
	}
}

// acceptedAll hands in a number of equal tasks.
func acceptedAll(t *testing.T, s *binarytest.Server, n int, draft client.Draft) (ids []task.ID) {
	t.Helper()
	drafts := make([]client.Draft, n)
	for i := range drafts {
		drafts[i] = draft
	}
	results, err := s.API.EnqueueBatch(t.Context(), drafts, true)
	if err != nil {
		t.Fatal(err)
	}
	for i := range results {
		ids = append(ids, results[i].ID)
	}
	return ids
}
