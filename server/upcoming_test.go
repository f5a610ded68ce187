package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// failing handles tasks that fail each time.
func failing(node *outlast.Client) {
	outlast.Handle(node, "fails", func(context.Context, any) error { return errors.New("no") })
}

// retried is a task that fails and is tried again after so long.
func retried(after, more string) string {
	return `{"type":"fails","retry":{"backoff":{"kind":"fixed","initial":"` + after + `","jitter":"none"},"max_attempts":9,"breaker":"none","budget":"none"}` + more + `}`
}

// upcoming is what is tried again next, by the paths of lists.
func (a *api) upcoming(query string, headers ...string) (list client.Upcoming) {
	a.t.Helper()
	a.call("GET", "/v1/tasks/upcoming?"+query, "", headers...).is(200).into(&list)
	return list
}

func idsOfTasks(tasks []client.Task) (ids []string) {
	for i := range tasks {
		ids = append(ids, tasks[i].ID.String())
	}
	return ids
}

// tried waits until so many tasks that wait have failed.
func (a *api) tried(n int, headers ...string) {
	a.t.Helper()
	var list client.Tasks
	for end := time.Now().Add(2 * time.Minute); len(list.Tasks) != n; {
		a.call("GET", "/v1/tasks?state=pending&attempt_min=1&limit=500", "", headers...).is(200).into(&list)
		if time.Now().After(end) {
			a.t.Fatalf("%d tasks have failed, want %d", len(list.Tasks), n)
		}
	}
}

// startWithFile runs a server on a database, and returns that as well.
func startWithFile(t *testing.T, handlers ...func(*outlast.Client)) (*api, store.Backend) {
	t.Helper()
	backend, err := sqlite.Open(context.Background(), filepath.Join(t.TempDir(), "outlast.db"))
	must(t, err)
	return startOn(t, backend, handlers...), backend
}

// What is tried again next comes first, though hundreds of newer tasks wait, whatever
// its priority, behind thousands of due ones that were never tried, and while it is
// parked.
func TestUpcoming(t *testing.T) {
	open := make(chan struct{})
	a, backend := startWithFile(t, failing, func(node *outlast.Client) {
		outlast.Handle(node, "blocks", func(context.Context, any) error { <-open; return nil })
	})
	t.Cleanup(func() { close(open) })
	if got := a.call("GET", "/v1/tasks/upcoming", "").is(200); got.get("tasks") != "[]" || got.get("complete") != "true" {
		t.Errorf("where nothing waits: %s", got.body)
	}
	a.call("PUT", "/v1/queues/busy", `{"lanes":2,"concurrency":1}`).is(201)
	add := func(body string) string { return a.call("POST", "/v1/tasks", body).is(201).id() }
	parked := add(retried("20m", ""))
	want := []string{
		add(retried("4m", `,"queue":"busy"`)), add(retried("5m", `,"priority":0`)), add(retried("6m", `,"priority":9`)), add(retried("10m", "")), parked,
	}
	a.call("POST", "/v1/tasks/batch", `{"tasks":[`+strings.TrimSuffix(strings.Repeat(retried("1h", "")+",", 300), ",")+`]}`).is(200)
	a.tried(305)
	add(`{"type":"fails","delay":"1m"}`)
	id, err := task.ParseID(parked)
	must(t, err)
	must(t, backend.Mark(t.Context(), []store.Marking{{ID: id, Mark: 7}}))
	for range 3 {
		a.call("POST", "/v1/tasks/batch", `{"tasks":[`+strings.TrimSuffix(strings.Repeat(`{"type":"blocks","queue":"busy"},`, 1000), ",")+`]}`).is(200)
	}

	for _, limit := range []int{1, 5} {
		if got := a.upcoming(fmt.Sprintf("limit=%d", limit)); !slices.Equal(idsOfTasks(got.Tasks), want[:limit]) {
			t.Errorf("the next %d: %v, want %v", limit, idsOfTasks(got.Tasks), want[:limit])
		}
	}
	all := a.upcoming("")
	if len(all.Tasks) != 10 || all.Complete {
		t.Errorf("beside a backlog of which a part is looked at: %d tasks, complete %v", len(all.Tasks), all.Complete)
	}
	if next := all.Tasks[0]; next.Waiting != "backoff" || next.LastError == nil || next.Attempt != 1 || next.NextCheck.IsZero() {
		t.Errorf("the next: %+v", next)
	}
	if own := a.upcoming("queue=default&limit=4"); !own.Complete || !slices.Equal(idsOfTasks(own.Tasks), want[1:]) {
		t.Errorf("of a queue where what was not looked at comes later: complete %v, %v, want %v", own.Complete, idsOfTasks(own.Tasks), want[1:])
	}
	if most := a.upcoming("queue=default&limit=100"); len(most.Tasks) != 100 || !slices.IsSortedFunc(most.Tasks, func(x, y client.Task) int { return x.RunAt.Compare(y.RunAt.Time) }) {
		t.Errorf("100 of a queue: %v", idsOfTasks(most.Tasks))
	}
	if none := a.upcoming("queue=nobodys"); len(none.Tasks) != 0 || !none.Complete {
		t.Errorf("of a queue that is not there: %+v", none)
	}
	for query, path := range map[string]string{"limit=0": "limit", "limit=101": "limit", "limit=x": "limit", "state=pending": "state", "cursor=x": "cursor"} {
		a.call("GET", "/v1/tasks/upcoming?"+query, "").problem(400, "invalid", path)
	}
}

// Pages of large tasks are short; none of them is left out for that.
func TestUpcomingLargeTasks(t *testing.T) {
	racetest.WithoutDetector(t)
	a, _ := startWithFile(t, failing)
	payload := `,"payload":"` + strings.Repeat("x", 900_000) + `"`
	var want []string
	for n := range 14 {
		want = append(want, a.call("POST", "/v1/tasks", retried(fmt.Sprintf("%dm", 10+n), payload)).is(201).id())
	}
	for end := time.Now().Add(2 * time.Minute); len(a.upcoming("limit=14").Tasks) < 14; {
		if time.Now().After(end) {
			t.Fatal("not all have failed")
		}
	}
	for _, limit := range []int{3, 14} {
		if got := a.upcoming(fmt.Sprintf("limit=%d", limit)); !got.Complete || !slices.Equal(idsOfTasks(got.Tasks), want[:limit]) {
			t.Errorf("the next %d: complete %v, %v, want %v", limit, got.Complete, idsOfTasks(got.Tasks), want[:limit])
		}
	}
}

// What a target holds back comes when that is asked again, not when it was due; what
// waits for people comes last.
func TestUpcomingHeldBack(t *testing.T) {
	down := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) })
	a := startOnFile(t, failing)
	a.call("PUT", "/v1/queues/stopped", `{"lanes":1}`).is(201)
	stopped := a.call("POST", "/v1/tasks", retried("1m", `,"queue":"stopped"`)).is(201).id()
	next := a.call("POST", "/v1/tasks", retried("10m", "")).is(201).id()
	a.tried(2)
	a.call("POST", "/v1/queues/stopped/pause", "").is(200)
	a.call("PUT", "/v1/policies/held", `{"backoff":{"kind":"fixed","initial":"50ms"},"max_attempts":1000,"breaker":{"min_calls":5,"open_for":"1h","open_max":"2h"},"budget":"none"}`).is(201)
	held := strings.Repeat(`{"target":{"url":"`+down+`"},"policy":"held"},`, 60)
	a.call("POST", "/v1/tasks/batch", `{"tasks":[`+strings.TrimSuffix(held, ",")+`]}`).is(200)

	var list client.Upcoming
	tries := func(t client.Task) bool { return t.Waiting != "breaker open" }
	for end := time.Now().Add(2 * time.Minute); ; {
		var running client.Tasks
		a.call("GET", "/v1/tasks?state=running", "").is(200).into(&running) // they may be tried once more
		list = a.upcoming("limit=100")
		if n := len(list.Tasks); len(running.Tasks) == 0 && n >= 10 && !slices.ContainsFunc(list.Tasks[1:n-1], tries) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the target is not held: %d tasks", len(list.Tasks))
		}
	}
	if got := idsOfTasks(list.Tasks); got[0] != next || got[len(got)-1] != stopped || !list.Complete {
		t.Errorf("first %s, last %s of %d, complete %v; want %s and %s", got[0], got[len(got)-1], len(got), list.Complete, next, stopped)
	}
	if until := time.Until(list.Tasks[1].NextCheck.Time); until < 30*time.Minute {
		t.Errorf("a task that is held is looked at again in %s", until)
	}
	if few := a.upcoming("limit=1"); idsOfTasks(few.Tasks)[0] != next || !few.Complete {
		t.Errorf("the next one: %v, complete %v, want %s", idsOfTasks(few.Tasks), few.Complete, next)
	}
}

// A token for certain queues sees what is tried again there.
func TestUpcomingOfCertainQueues(t *testing.T) {
	a := start(t, failing)
	ids := map[string]string{}
	for _, queue := range []string{"red", "blue", "green"} {
		a.call("PUT", "/v1/queues/"+queue, `{"lanes":2}`).is(201)
		ids[queue] = a.call("POST", "/v1/tasks", retried("1h", `,"queue":"`+queue+`"`)).is(201).id()
	}
	a.tried(3)
	g := &guarded{api: a}
	g.admin = g.token(inspect.Admin)
	for query, queues := range map[string][]string{"": {"red", "blue"}, "queue=blue": {"blue"}} {
		var want []string
		for _, queue := range queues {
			want = append(want, ids[queue])
		}
		list := a.upcoming(query, "Authorization", g.token(inspect.Viewer, "red", "blue"))
		got := idsOfTasks(list.Tasks)
		slices.Sort(got)
		if slices.Sort(want); !slices.Equal(got, want) || !list.Complete {
			t.Errorf("%q: %v, complete %v, want %v", query, got, list.Complete, want)
		}
	}
	g.as(g.token(inspect.Viewer, "red", "blue"), "GET", "/v1/tasks/upcoming?queue=green", "").problem(403, "denied", "queue")
	if all := a.upcoming("", "Authorization", g.admin); len(all.Tasks) != 3 {
		t.Errorf("of all queues: %v", idsOfTasks(all.Tasks))
	}
}
