package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// event is one message of a stream.
type event struct {
	name, id string
	data     json.RawMessage
	at       time.Time
}

// reader reads a stream of events.
type reader struct {
	t      testing.TB
	body   *bufio.Reader
	header http.Header
	retry  int
	close  func()
	last   string // id
}

// watch opens a stream, which ends with the test.
func (a *api) watch(query string, headers ...string) *reader {
	a.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	a.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", a.url+"/v1/events"+query, nil)
	must(a.t, err)
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := a.http.Do(req) //nolint:bodyclose // the reader closes it
	must(a.t, err)
	if resp.StatusCode != http.StatusOK {
		a.t.Fatalf("status %d", resp.StatusCode)
	}
	r := &reader{t: a.t, body: bufio.NewReader(resp.Body), header: resp.Header, close: func() { cancel(); _ = resp.Body.Close() }}
	a.t.Cleanup(r.close)
	return r
}

// next is the next message, false at the end of the stream.
func (r *reader) next() (e event, more bool) {
	for {
		line, err := r.body.ReadString('\n')
		if err != nil {
			return e, false
		}
		line = strings.TrimSuffix(line, "\n")
		field, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e.name != "":
			e.at = time.Now()
			return e, true
		case field == "event":
			e.name = value
		case field == "id":
			e.id, r.last = value, value
		case field == "data":
			e.data = json.RawMessage(value)
		case field == "retry":
			r.retry, _ = strconv.Atoi(value)
		}
	}
}

// want is the next message of a name.
func (r *reader) want(name string) event {
	r.t.Helper()
	for {
		e, more := r.next()
		if !more {
			r.t.Fatalf("the stream ended before %s", name)
		}
		if e.name == name {
			return e
		}
	}
}

func into[T any](t testing.TB, e event) (out T) {
	t.Helper()
	if err := json.Unmarshal(e.data, &out); err != nil {
		t.Fatalf("%v in %s", err, e.data)
	}
	return out
}

// until collects changes of tasks until the function is content.
func (r *reader) until(enough func([]client.EventTask) bool) (all []client.EventTask) {
	r.t.Helper()
	for !enough(all) {
		all = append(all, into[client.EventTasks](r.t, r.want("tasks")).Tasks...)
	}
	return all
}

// whats are the words of the changes of a task.
func whats(all []client.EventTask, id string) (words []string) {
	for i := range all {
		if all[i].ID.String() == id {
			words = append(words, all[i].What)
		}
	}
	return words
}

func eventTypes(node *outlast.Client) {
	outlast.Handle(node, "works", func(context.Context, string) error { return nil })
	outlast.Handle(node, "dies", func(context.Context, string) error { return outlast.GiveUp(errors.New("no way")) })
}

func (a *api) add(d outlast.Draft) string {
	a.t.Helper()
	if d.Payload == nil {
		d.Payload = []byte(`""`)
	}
	receipt, err := a.node.Enqueue(context.Background(), d)
	must(a.t, err)
	return receipt.Task.ID.String()
}

func TestEventsTellWhatHappens(t *testing.T) {
	a := start(t, eventTypes)
	r := a.watch("")
	if hello := into[client.EventHello](t, r.want("hello")); hello.Node == "" || hello.Nodes != "all" || hello.Now.IsZero() {
		t.Errorf("hello: %+v", hello)
	}
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Accel-Buffering": "no"} {
		if r.header.Get(name) != want {
			t.Errorf("%s: %q", name, r.header.Get(name))
		}
	}
	if r.retry < 1000 || r.retry >= 4000 {
		t.Errorf("retry: %d", r.retry)
	}
	later := a.add(outlast.Draft{Type: "works", Delay: time.Hour, Key: "k"})
	dies := a.add(outlast.Draft{Type: "dies"})
	works := a.add(outlast.Draft{Type: "works", Delay: 400 * time.Millisecond})
	a.call("POST", "/v1/tasks/"+later+"/cancel", "").is(200)
	all := r.until(func(all []client.EventTask) bool { return len(all) >= 8 })
	for id, want := range map[string]string{later: "canceled enqueued", dies: "dead enqueued started", works: "enqueued started succeeded"} {
		got := whats(all, id)
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", id, got, want)
		}
	}
	if got := whats(all, works); strings.Join(got, " ") != "enqueued started succeeded" {
		t.Errorf("in the order %q", got)
	}
	for _, change := range all {
		if change.What == "dead" && (change.Category == "" || change.Reason != "rejected" && change.Reason != "permanent" || change.State != "dead") {
			t.Errorf("dead: %+v", change)
		}
		if change.ID.String() == later && change.What == "enqueued" && (change.NextAt.IsZero() || change.Key != "k" || change.Queue != "default") {
			t.Errorf("later: %+v", change)
		}
	}
	stats := into[client.EventStats](t, r.want("stats"))
	for stats.Dead == nil || *stats.Dead != 1 {
		stats = into[client.EventStats](t, r.want("stats"))
	}
	if *stats.Nodes != 1 || len(stats.Queues) != 1 || stats.Queues[0].Name != "default" {
		t.Errorf("stats: %+v", stats)
	}
}

func TestEventsFilter(t *testing.T) {
	a := start(t, eventTypes)
	a.call("PUT", "/v1/queues/other", `{"lanes":2}`).is(201)
	dies := a.add(outlast.Draft{Type: "dies", Queue: "other", Delay: time.Hour})
	for query, want := range map[string]string{
		"?queue=other":  "dead released started",
		"?type=dies":    "dead released started",
		"?state=dead":   "dead",
		"?target=dies":  "dead released started",
		"?task=" + dies: "dead released started",
	} {
		t.Run(query, func(t *testing.T) {
			r := a.watch(query)
			r.want("hello")
			id := dies
			if !strings.HasPrefix(query, "?task") {
				id = a.add(outlast.Draft{Type: "dies", Queue: "other", Delay: time.Hour})
			}
			a.add(outlast.Draft{Type: "works"})
			a.call("POST", "/v1/tasks/"+id+"/retry", "").is(200)
			// What the call did may be told after what became of it, also in a later message.
			all := r.until(func(all []client.EventTask) bool {
				words := whats(all, id)
				return slices.Contains(words, "dead") && slices.Contains(words, "released") == strings.Contains(want, "released")
			})
			heard := slices.Sorted(slices.Values(whats(all, id)))
			if got := strings.Replace(strings.Join(heard, " "), "enqueued ", "", 1); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			for _, change := range all {
				if change.Type != "dies" {
					t.Errorf("%s does not belong here", change.Type)
				}
			}
		})
	}
	a.call("GET", "/v1/events?state=running2", "").problem(400, "invalid", "state")
	a.call("GET", "/v1/events?for=-1s", "").problem(400, "invalid", "for")
	a.call("GET", "/v1/events?task=01890000-0000-7000-8000-000000000001", "").problem(404, "not_found")
	a.call("GET", "/v1/events?que=other", "").problem(400, "invalid", "que")
}

// TestEventsOfOtherQueuesAreNotSeen is about tokens for certain queues.
func TestEventsOfOtherQueuesAreNotSeen(t *testing.T) {
	g := startGuarded(t)
	red, admin := g.token(inspect.Viewer, "red"), g.admin
	r, all := g.watch("", "Authorization", red), g.watch("", "Authorization", admin)
	r.want("hello")
	all.want("hello")
	r.want("stats") // the watch of objects has begun
	g.pending("blue")
	g.letter("blue")
	g.operation("blue")
	g.as(admin, "POST", "/v1/queues/blue/pause", "").is(200)
	g.as(admin, "POST", "/v1/tokens", `{"name":"blue","role":"viewer"}`).is(201)
	g.as(admin, "PUT", "/v1/policies/p", `{"max_attempts":3}`).is(201)
	g.as(admin, "POST", "/v1/queues/red/pause", "").is(200)
	mine := g.pending("red")
	seen := map[string]bool{}
	for {
		e, more := all.next()
		if !more {
			t.Fatal("the stream of the administrator ended")
		}
		if e.name == "changed" {
			change := into[client.EventChanged](t, e)
			seen[change.Kind] = true
		}
		if seen["queue"] && seen["token"] && seen["policy"] && seen["operation"] {
			break
		}
	}
	var text strings.Builder
	for {
		e, more := r.next()
		if !more {
			t.Fatal("the stream ended")
		}
		text.Write(e.data)
		if strings.Contains(text.String(), mine) && strings.Contains(text.String(), `"kind":"policy"`) && strings.Contains(text.String(), `"kind":"queue"`) && e.name == "stats" {
			break
		}
	}
	for _, hidden := range []string{"blue", "operation", `"token"`, `"dead"`, `"nodes":1`, "dies"} {
		if strings.Contains(text.String(), hidden) {
			t.Errorf("%s is told: %s", hidden, text.String())
		}
	}
	g.call("GET", "/v1/events?queue=blue", "", "Authorization", red).problem(403, "denied", "queue")
	g.call("GET", "/v1/events?task="+g.pending("blue"), "", "Authorization", red).problem(404, "not_found")
}

func TestEventsResume(t *testing.T) {
	a := start(t, eventTypes)
	r := a.watch("")
	a.add(outlast.Draft{Type: "works"})
	r.until(func(all []client.EventTask) bool { return len(all) == 3 })
	last := r.last
	r.close()
	missed := a.add(outlast.Draft{Type: "works"})
	again := a.watch("", "Last-Event-ID", last)
	if got := whats(again.until(func(all []client.EventTask) bool { return len(all) >= 3 }), missed); len(got) != 3 {
		t.Errorf("of what was missed: %q", got)
	}
	for _, unknown := range []string{"elsewhere-3", last + "999", "x", "-"} {
		r := a.watch("", "Last-Event-ID", unknown)
		r.want("hello")
		if e, _ := r.next(); e.name != "resync" || !strings.Contains(string(e.data), "gone") {
			t.Errorf("after %q: %+v", unknown, e)
		}
		r.close()
	}
}

// rowReads counts how a store is asked for tasks by their ids.
type rowReads struct {
	store.Backend
	whole atomic.Int64
	rows  chan struct{}
}

func (s *rowReads) Get(ctx context.Context, id task.ID) (*task.Task, error) {
	s.whole.Add(1)
	return s.Backend.Get(ctx, id)
}

func (s *rowReads) Find(ctx context.Context, filter store.Filter, page store.Page) ([]*task.Task, string, error) {
	switch {
	case len(filter.IDs) > 0 && page.Bare:
		select {
		case s.rows <- struct{}{}:
		default:
		}
	case len(filter.IDs) > 0:
		s.whole.Add(1)
	}
	return s.Backend.Find(ctx, filter, page)
}

// TestEventsOfATaskDoNotReadItsPayload is about who follows a task: its row is looked at
// each second, for what other nodes do with it.
func TestEventsOfATaskDoNotReadItsPayload(t *testing.T) {
	t.Parallel()
	backend := &rowReads{Backend: memory.New(), rows: make(chan struct{})}
	a := startOn(t, backend)
	id := a.add(outlast.Draft{Type: "works", Delay: time.Hour})
	r := a.watch("?task=" + id)
	r.want("hello")
	backend.whole.Store(0)
	for range 3 {
		select {
		case <-backend.rows:
		case <-time.After(2 * time.Minute):
			t.Fatalf("nobody looks at the row; %d looks at the whole task", backend.whole.Load())
		}
	}
	if n := backend.whole.Load(); n > 0 {
		t.Errorf("the whole task was read %d times", n)
	}
	parsed, err := task.ParseID(id)
	must(t, err)
	_, err = backend.Cancel(t.Context(), parsed) // as another node does it
	must(t, err)
	if got := r.until(func(all []client.EventTask) bool { return len(all) > 0 })[0]; got.What != "canceled" || got.Type != "works" || got.State != task.Canceled {
		t.Errorf("told %+v", got)
	}
}

// TestEventsAreBounded is about streams a token and a node, and about many that come and
// go at once.
func TestEventsAreBounded(t *testing.T) {
	g := startGuarded(t)
	tokens := make([]string, 10)
	for i := range tokens {
		tokens[i] = g.token(inspect.Viewer)
	}
	for range 20 {
		g.watch("", "Authorization", tokens[0]).want("hello")
	}
	full := g.call("GET", "/v1/events", "", "Authorization", tokens[0])
	full.problem(429, "rate_limited")
	if full.header.Get("Retry-After") == "" {
		t.Error("no time to come back")
	}
	var all sync.WaitGroup
	for _, one := range tokens[1:] {
		for range 20 {
			all.Go(func() { g.watch("", "Authorization", one).want("hello") })
		}
	}
	all.Wait()
	g.call("GET", "/v1/events", "", "Authorization", g.admin).problem(429, "rate_limited")
}

func TestEventsReconnectStorm(t *testing.T) {
	a := start(t, eventTypes)
	before := runtime.NumGoroutine()
	for range 3 {
		var all sync.WaitGroup
		for range 150 {
			all.Go(func() {
				r := a.watch("")
				r.want("hello")
				r.close()
			})
		}
		all.Wait()
	}
	a.http.CloseIdleConnections()
	for deadline := time.Now().Add(2 * time.Minute); runtime.NumGoroutine() > before+20; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		}
	}
	for range 200 { // all places are free again
		a.watch("").want("hello")
	}
}
