package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// listed is 1 M tasks, a tenth of them succeeded, a tenth tried once and a tenth with a
// key, beside as many dead letters, in five queues.
var (
	listsOnServer = bench{
		id: "B14", title: "lists and searches of the API with 1 M tasks and 1 M dead letters", n: 1_000_000, store: postgres, long: true,
		setup: fillLists, run: readLists,
	}
	listsInFile = bench{
		id: "B14s", title: "the same as B14 in a file", n: 1_000_000, store: inFile, long: true, setup: fillLists, run: readLists,
	}
)

const (
	listQueues = 5
	listTypes  = 20
	listGroups = 200
	listBatch  = 1000
	listCalls  = 50 // of each list; fewer where there is little to list
	needle     = "needle-"
	day        = 24 * time.Hour
)

// fillLists makes what is listed, through the store and without a node's engine.
func fillLists(ctx context.Context, s *session) error {
	if *s.server == "" && s.storeOf(s.bench) != inMemory {
		if err := s.buildServer(ctx); err != nil {
			return err
		}
	}
	at, err := s.place(ctx)
	if err != nil || !at.shared() {
		return err
	}
	backend, err := at.open(ctx)
	if err != nil {
		return err
	}
	began := time.Now()
	f := &filler{backend: backend, random: rand.New(rand.NewPCG(1, 2))}
	err = f.fill(ctx, s.tasks())
	if closed := backend.Close(); err == nil {
		err = closed
	}
	fmt.Fprintf(s.say, "%s: %d tasks and as many dead letters after %s\n", s.bench.id, s.tasks(), time.Since(began).Round(time.Millisecond))
	s.shared[s.system.name()] = shared{crowd{place: at, waiting: s.tasks()}}
	return err
}

type filler struct {
	backend store.Backend
	random  *rand.Rand
	lanes   [listQueues][]store.LaneEpoch
	made    int
}

func (f *filler) fill(ctx context.Context, n int) error {
	if err := f.backend.Join(ctx, store.Node{ID: "filler"}); err != nil {
		return err
	}
	for q := range f.lanes {
		queue, err := f.backend.PutQueue(ctx, store.Queue{Name: queueName(q), Lanes: 8})
		if err != nil {
			return err
		}
		for _, lane := range queue.Numbers {
			f.lanes[q] = append(f.lanes[q], store.LaneEpoch{Lane: lane})
		}
		if f.lanes[q], err = f.backend.TakeLanes(ctx, "filler", f.lanes[q]); err != nil {
			return err
		}
	}
	for done := 0; done < n; done += listBatch {
		for _, end := range []task.Outcome{task.OutcomeDead, ""} {
			switch {
			case done/listBatch%10 == 0 && end == "":
				end = task.OutcomeSucceeded
			case done/listBatch%10 == 5 && end == "":
				end = task.OutcomeFailed
			}
			if err := f.batch(ctx, min(listBatch, n-done), end); err != nil {
				return err
			}
			if _, err := f.backend.Beat(ctx, "filler", store.Report{}); err != nil {
				return err
			}
		}
	}
	return f.backend.Leave(ctx, "filler")
}

func queueName(q int) string { return fmt.Sprintf("queue-%d", q) }

// batch makes tasks of one queue, and ends them unless they are to wait.
func (f *filler) batch(ctx context.Context, n int, end task.Outcome) error {
	q := f.made / listBatch % listQueues
	var items []store.Insert
	claim := store.Claim{Node: "filler", Lanes: f.lanes[q]}
	for range n {
		t := f.task(q, end)
		items = append(items, store.Insert{Task: t})
		claim.Items = append(claim.Items, store.ClaimItem{ID: t.ID})
	}
	results, err := f.backend.Enqueue(ctx, []store.Batch{{Items: items}})
	if err != nil {
		return err
	}
	if results[0].Err != nil {
		return results[0].Err
	}
	if end == "" {
		return nil
	}
	claimed, err := f.backend.Claim(ctx, claim)
	if err != nil {
		return err
	}
	settlements := make([]store.Settlement, len(claimed.Tasks))
	for i, t := range claimed.Tasks {
		now := time.Now()
		settlements[i] = store.Settlement{Task: t, Outcome: end, StartedAt: now, EndedAt: now}
		switch end {
		case task.OutcomeFailed:
			settlements[i].RunAt, settlements[i].Failure = now.Add(time.Hour+time.Duration(f.random.Int64N(int64(day)))), f.failure(now)
		case task.OutcomeDead:
			settlements[i].DeadReason, settlements[i].OrderOnDead, settlements[i].Failure = task.Exhausted, "skip", f.failure(now)
		}
	}
	_, err = f.backend.Settle(ctx, settlements)
	return err
}

func (f *filler) task(q int, end task.Outcome) *task.Task {
	lane := f.lanes[q][f.made%len(f.lanes[q])].Lane
	kind := fmt.Sprintf("type-%d", f.random.IntN(listTypes))
	t := &task.Task{
		ID: task.NewID(time.Now(), f.random).WithLane(lane), Queue: queueName(q), Type: kind, Target: kind, Priority: task.DefaultPriority,
		Payload: []byte(`{"order":12345,"customer":"somebody"}`), Spec: task.Spec{Metadata: map[string]string{"tenant": fmt.Sprint(f.random.IntN(1000))}},
	}
	if f.made++; f.made%10 == 0 && (end == "" || end == task.OutcomeFailed) {
		t.Key = fmt.Sprintf("key-%d", f.made)
	}
	if end == "" {
		t.RunAt = time.Now().Add(day)
	}
	return t
}

var categories = []string{"network", "timeout", "unavailable", "permanent"}

func fingerprint(group int) string { return fmt.Sprintf("%016x", group) }

func (f *filler) failure(at time.Time) *task.Failure {
	group := f.random.IntN(listGroups)
	return &task.Failure{
		Category: categories[group%len(categories)], Type: "net.OpError", Code: "503", At: at, Fingerprint: fingerprint(group),
		Message: fmt.Sprintf("POST https://host-%d.example.com/orders: connection reset by peer while reading the answer (%s%d)", group, needle, group),
	}
}

// listing is one call that the console makes, by the name of its figure.
type listing struct {
	name, method, path string
	body               string
}

// lists are the calls of all pages of the console, with values that change from one
// round to the next.
func lists(from *listed, round int) []listing {
	id, key := from.ids[round%len(from.ids)], from.keys[round%len(from.keys)]
	kind, queue := fmt.Sprintf("type-%d", round%listTypes), queueName(round%listQueues)
	group := round * 7 % listGroups
	print, category := fingerprint(group), categories[round%len(categories)]
	middle := from.began.Add(time.Duration(1+round%8) * from.took / 10)
	since, until := middle.Format(time.RFC3339Nano), middle.Add(from.took/10).Format(time.RFC3339Nano)
	get := func(name, path string, pairs ...string) listing {
		values := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			values.Set(pairs[i], pairs[i+1])
		}
		return listing{name: name, method: http.MethodGet, path: path + "?" + values.Encode()}
	}
	tasks := func(name string, pairs ...string) listing {
		return get("tasks-"+name, "/v1/tasks", append(pairs, "limit", "50")...)
	}
	dead := func(name string, pairs ...string) listing {
		return get("dead-"+name, "/v1/dead", append(pairs, "limit", "50")...)
	}
	groups := func(name string, pairs ...string) listing {
		return get("groups-"+name, "/v1/dead/groups", append(pairs, "limit", "100")...)
	}
	series := func(name string, span time.Duration, step string) listing {
		return get("series-"+name, "/v1/stats/series", "from", time.Now().Add(-span).UTC().Format(time.RFC3339), "step", step)
	}
	dryRun := func(name, path, filter string) listing {
		return listing{name, http.MethodPost, path, `{"dry_run":true,"filter":` + filter + `}`}
	}
	return []listing{
		get("overview-ready", "/readyz", "verbose", ""), get("overview-stats", "/v1/stats"), get("overview-groups", "/v1/dead/groups", "limit", "5"),
		get("overview-next", "/v1/tasks/upcoming", "limit", "5"), get("overview-targets", "/v1/targets", "troubled", "true", "limit", "8"),
		series("15m", 15*time.Minute, "10s"), series("1h", time.Hour, "1m"), series("6h", 6*time.Hour, "5m"), series("24h", 24*time.Hour, "15m"),
		tasks("all"), tasks("second-page", "cursor", from.taskCursor),
		tasks("pending", "state", "pending"), tasks("running", "state", "running"), tasks("succeeded", "state", "succeeded"),
		tasks("dead", "state", "dead"), tasks("canceled", "state", "canceled"), tasks("type", "type", kind), tasks("pending-type", "type", kind, "state", "pending"),
		tasks("no-type", "type", "nothing"), tasks("queue", "queue", queue), tasks("pending-queue", "queue", queue, "state", "pending"),
		tasks("running-queue", "queue", queue, "state", "running"), tasks("succeeded-queue", "queue", queue, "state", "succeeded"), tasks("no-queue", "queue", "nothing"),
		tasks("key", "key", key), tasks("pending-key", "key", key, "state", "pending"), tasks("no-key", "key", "nothing"),
		tasks("category", "category", category), tasks("no-category", "category", "throttled"), tasks("target", "target", kind), tasks("no-target", "target", "nothing"),
		tasks("metadata", "metadata", fmt.Sprintf("tenant:%d", round)), tasks("no-metadata", "metadata", "tenant:none"),
		tasks("time", "since", since, "until", until), tasks("time-queue", "since", since, "until", until, "queue", queue),
		tasks("search-id", "q", id), tasks("search-key", "q", key), tasks("search-type", "q", kind), tasks("search-often", "q", "CONNECTION reset"),
		tasks("search-group", "q", fmt.Sprintf("(%s%d)", needle, group)), tasks("search-never", "q", "nothing says this"),
		tasks("pending-search", "q", "nothing says this", "state", "pending"), tasks("schedule", "type", kind, "metadata", "outlast.schedule:nightly"),
		get("task", "/v1/tasks/"+id), get("task-attempts", "/v1/tasks/"+id+"/attempts"), get("task-audit", "/v1/audit", "subject", "task/"+id, "limit", "20"),
		dead("all"), dead("second-page", "cursor", from.deadCursor), dead("type", "type", kind), dead("queue", "queue", queue), dead("key", "key", key),
		dead("category", "category", category), dead("no-category", "category", "throttled"), dead("reason", "reason", "exhausted"), dead("no-reason", "reason", "expired"),
		dead("fingerprint", "fingerprint", print), dead("time", "since", since, "until", until), dead("queue-type", "queue", queue, "type", kind),
		dead("search-group", "q", fmt.Sprintf("(%s%d)", needle, group)), dead("search-type", "q", kind), dead("search-never", "q", "nothing says this"),
		groups("all"), groups("queue", "queue", queue), groups("type", "type", kind), groups("category", "category", category), groups("reason", "reason", "exhausted"),
		groups("fingerprint", "fingerprint", print), groups("time", "since", since, "until", until), groups("search", "q", fmt.Sprintf("(%s%d)", needle, group)),
		groups("trend", "trend", "true"), groups("queue-trend", "trend", "true", "queue", queue), get("group", "/v1/dead/groups/"+print),
		get("dead-stats", "/v1/dead/stats"), get("queues", "/v1/queues"), get("queue", "/v1/queues/"+queue), get("lanes", "/v1/lanes", "queue", queue, "limit", "256"),
		get("nodes", "/v1/nodes", "limit", "500"), get("operations", "/v1/operations", "limit", "100"), get("audit", "/v1/audit", "limit", "50"),
		dryRun("redrive-group", "/v1/dead/redrive", `{"fingerprint":"`+print+`"}`), dryRun("redrive-all", "/v1/dead/redrive", `{}`),
		dryRun("redrive-type", "/v1/dead/redrive", `{"type":"`+kind+`"}`), dryRun("redrive-queue", "/v1/dead/redrive", `{"queue":"`+queue+`"}`),
		dryRun("purge-all", "/v1/dead/purge", `{}`), dryRun("purge-category", "/v1/dead/purge", `{"category":"`+category+`"}`),
	}
}

// readLists measures each list, one call at a time, round after round.
func readLists(ctx context.Context, s *session) error {
	if len(s.shared[s.system.name()]) == 0 {
		return nil // a server in another process cannot see it
	}
	at := s.shared[s.system.name()][0]
	server, address, err := s.serve(ctx, at.place)
	if err != nil {
		return err
	}
	calls, err := callLists(ctx, "http://"+address, at.place, max(2, min(listCalls, at.waiting/20_000)))
	if err != nil {
		return err
	}
	set := settings{"tasks": at.waiting, "dead letters": at.waiting, "page": 50}
	for _, name := range slices.Sorted(maps.Keys(calls)) {
		s.record(name+"-p95", calls[name].quantile(0.95), "ms", calls[name].count(), "<= 100", set)
	}
	return server.interrupt(ctx)
}

func callLists(ctx context.Context, address string, at place, rounds int) (map[string]*samples, error) {
	caller := &http.Client{Timeout: time.Minute}
	defer caller.CloseIdleConnections()
	from, err := look(ctx, caller, address, at)
	if err != nil {
		return nil, err
	}
	calls := map[string]*samples{}
	for round := range rounds {
		for _, l := range lists(from, round) {
			took, err := fetch(ctx, caller, address, l, nil)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", l.name, err)
			}
			if calls[l.name] == nil {
				calls[l.name] = &samples{}
			}
			calls[l.name].add(took)
		}
	}
	return calls, nil
}

// listed is what is known of the tasks that are listed.
type listed struct {
	ids, keys              []string
	began                  time.Time
	took                   time.Duration // to make them
	taskCursor, deadCursor string
}

// look finds ids and keys of tasks, when they were made, and cursors of second pages.
func look(ctx context.Context, caller *http.Client, address string, at place) (from *listed, err error) {
	backend, err := at.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = backend.Close() }() // it was read only
	from = &listed{}
	newest, _, err := backend.Find(ctx, store.Filter{State: task.Pending}, store.Page{Limit: 500})
	if err != nil {
		return nil, err
	}
	for _, t := range newest {
		from.ids = append(from.ids, t.ID.String())
		if t.Key != "" {
			from.keys = append(from.keys, t.Key)
		}
	}
	if len(from.keys) == 0 {
		return nil, errors.New("no task has a key")
	}
	groups, err := backend.DeadGroups(ctx, store.Filter{}, 1)
	if err != nil {
		return nil, err
	}
	from.began = groups[0].FirstSeen.UTC()
	from.took = groups[0].LastSeen.Sub(groups[0].FirstSeen)
	for path, cursor := range map[string]*string{"/v1/tasks?limit=50": &from.taskCursor, "/v1/dead?limit=50": &from.deadCursor} {
		var page struct {
			Next string `json:"next_cursor"`
		}
		if _, err := fetch(ctx, caller, address, listing{method: http.MethodGet, path: path}, &page); err != nil {
			return nil, err
		}
		*cursor = page.Next
	}
	return from, nil
}

// fetch makes a call, and reads what it answers into a value unless that is nil.
func fetch(ctx context.Context, caller *http.Client, address string, l listing, into any) (time.Duration, error) {
	req, err := http.NewRequestWithContext(ctx, l.method, address+l.path, strings.NewReader(l.body))
	if err != nil {
		return 0, err
	}
	if l.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	began := time.Now()
	resp, err := caller.Do(req)
	if err != nil {
		return 0, err
	}
	text, err := io.ReadAll(resp.Body)
	took := time.Since(began)
	if closed := resp.Body.Close(); err == nil {
		err = closed
	}
	if err == nil && resp.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("the server answered %s: %s", resp.Status, text)
	}
	if err == nil && into != nil {
		err = json.Unmarshal(text, into)
	}
	return took, err
}
