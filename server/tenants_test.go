package server_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// secret is what tasks of the other queue say, in every place that has text.
const secret = "hunter2secret"

// house is a server with the queues red, blue and green, on a store.
type house struct {
	*guarded
	store store.Backend
	began time.Time
	print string // of the dead letters, in all queues
}

func startHouse(t *testing.T) *house {
	handlers := func(node *outlast.Client) {
		outlast.Handle(node, "dies", func(_ context.Context, says string) error { return outlast.GiveUp(errors.New("login failed " + says)) })
		outlast.Handle(node, "works", func(context.Context, string) error { return nil })
		failing(node)
	}
	a, backend := startWithFile(t, handlers)
	h := &house{guarded: &guarded{api: a}, store: backend, began: time.Now().Add(-time.Second)}
	for _, queue := range []string{"red", "blue", "green"} {
		a.call("PUT", "/v1/queues/"+queue, `{"lanes":2}`).is(201)
	}
	h.admin = h.token(inspect.Admin)
	h.as(h.admin, "PUT", "/v1/schedules/nightly", `{"cron":"0 3 * * *","task":{"type":"works","queue":"green"}}`).is(201)
	h.as(h.admin, "PUT", "/v1/policies/p", `{"max_attempts":3}`).is(201)
	return h
}

// live puts tasks of each kind into a queue: waiting, tried, dead, done and canceled, and
// an operation on them.
func (h *house) live(queue, says string) {
	h.t.Helper()
	metadata := map[string]string{"customer": "acme"}
	h.taskGroup(queue)
	canceled := h.enqueue(outlast.Draft{Type: "waits", Queue: queue, Delay: time.Hour})
	h.as(h.admin, "POST", "/v1/tasks/"+canceled+"/cancel", "").is(200)
	h.enqueue(outlast.Draft{Type: "waits", Queue: queue, Delay: time.Hour, Key: "k", Metadata: metadata})
	h.enqueue(outlast.Draft{Type: "waits", Queue: queue, Delay: time.Hour, Key: says, Metadata: map[string]string{"customer": says}})
	_, err := h.node.Run(context.Background(), outlast.Draft{Type: "works", Queue: queue, Payload: []byte(`"x"`), Metadata: metadata})
	must(h.t, err)
	for _, text := range []string{says, ""} {
		ended, err := h.node.Run(context.Background(), outlast.Draft{Type: "dies", Queue: queue, Payload: []byte(`"` + text + `"`), Metadata: metadata})
		var dead *outlast.DeadError
		if !errors.As(err, &dead) {
			h.t.Fatalf("the task did not die: %v", err)
		}
		h.print = ended.LastError.Fingerprint
	}
	failing := strings.Trim(h.as(h.admin, "POST", "/v1/tasks", retried("1h", `,"queue":"`+queue+`"`)).is(201).get("id"), `"`)
	until(h.t, func() bool {
		return h.as(h.admin, "GET", "/v1/tasks/"+failing, "").is(200).get("attempt") == "1" && h.as(h.admin, "GET", "/v1/tasks/"+failing, "").get("state") == `"pending"`
	})
	id := h.operation(queue)
	until(h.t, func() bool { return h.as(h.admin, "GET", "/v1/operations/"+id, "").is(200).get("state") == `"done"` })
}

// crowd puts more tasks into a queue than a store looks at at once.
func (h *house) crowd(queue string) {
	h.t.Helper()
	for range 9 {
		drafts := make([]outlast.Draft, 500)
		for i := range drafts {
			drafts[i] = outlast.Draft{Type: "waits", Queue: queue, Delay: time.Hour, Key: secret}
		}
		_, err := h.node.EnqueueMany(context.Background(), drafts, true)
		must(h.t, err)
	}
}

func until(t testing.TB, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !ok(); time.Sleep(5 * time.Millisecond) { // sleep: another goroutine works
		if time.Now().After(end) {
			t.Fatal("it does not become true")
		}
	}
}

// reads are calls that read, by the id of their route: those that are not here are made as
// samples say, about the queue red. None changes anything.
func (h *house) reads() map[string][]string {
	since := h.began.UTC().Format(time.RFC3339Nano)
	filters := []string{"", "limit=1", "limit=3", "q=hunter2s", "q=hunter2x", "q=login", "q=" + secret, "key=k", "key=" + secret, "type=dies", "type=waits", "type=works", "type=none", "queue=red", "queue=green",
		"metadata=customer:acme", "metadata=customer:" + secret, "target=dies", "category=permanent", "attempt_min=1", "since=" + url.QueryEscape(since), "until=" + url.QueryEscape(since),
		"q=dies&limit=1", "type=dies&limit=1", "trace=0af7651916cd43dd8448eb211c80319c"}
	states := []string{"state=pending", "state=running", "state=succeeded", "state=dead", "state=canceled", "state=pending&limit=1", "state=succeeded&type=works"}
	letters := []string{"reason=rejected", "reason=exhausted", "fingerprint=" + h.print, "fingerprint=none", "fingerprint=" + h.print + "&limit=1", "died_before=" + url.QueryEscape(since)}
	on := func(path string, queries ...[]string) (paths []string) {
		for _, query := range slices.Concat(queries...) {
			paths = append(paths, path+"?"+query)
		}
		return paths
	}
	groups := slices.DeleteFunc(slices.Concat(filters, letters), func(q string) bool { return strings.Contains(q, "limit") })
	return map[string][]string{
		"list-tasks":       on("/v1/tasks", filters, states),
		"list-dead":        on("/v1/dead", filters, letters),
		"export-dead":      on("/v1/dead/export", groups),
		"group-dead":       append(on("/v1/dead/groups", groups, []string{"trend", "limit=1", "trend&type=dies"}), "/v1/dead/groups?trend&q=login"),
		"get-dead-group":   {"/v1/dead/groups/" + h.print, "/v1/dead/groups/" + h.print + "?type=dies", "/v1/dead/groups/none"},
		"list-upcoming":    {"/v1/tasks/upcoming", "/v1/tasks/upcoming?limit=1", "/v1/tasks/upcoming?queue=green"},
		"list-task-groups": {"/v1/task-groups", "/v1/task-groups?limit=1"},
		"list-operations":  {"/v1/operations", "/v1/operations?limit=1"},
		"list-queues":      {"/v1/queues"}, "get-queue": {"/v1/queues/red", "/v1/queues/green", "/v1/queues/none"},
		"list-queue-shares": {"/v1/queues/red/shares", "/v1/queues/green/shares", "/v1/queues/none/shares"},
		"list-lanes":        {"/v1/lanes", "/v1/lanes?limit=1", "/v1/lanes?queue=red", "/v1/lanes?queue=green", "/v1/lanes?queue=none"}, "list-nodes": {"/v1/nodes"}, "list-workers": {"/v1/workers", "/v1/workers?limit=1"},
		"get-task": {}, "get-task-group": {}, "list-attempts": {}, "get-dead": {}, "get-operation": {}, "list-operation-items": {}, // by id: see TestForeignIsUnknown
		"get-series": {"/v1/stats/series?queue=green"}, // see the package stats for what is counted by queue
		"get-livez":  {}, "get-readyz": {}, "watch-events": {}, "get-openapi": {}, "get-openapi-3": {},
	}
}

// asks are calls that only count or play.
func (h *house) asks() map[string]string {
	begin, end := h.began.UTC().Format(time.RFC3339Nano), h.began.Add(time.Hour).UTC().Format(time.RFC3339Nano)
	return map[string]string{
		"/v1/dead/redrive red": `{"filter":{"queue":"red","q":"login"},"dry_run":true}`, "/v1/dead/redrive none": `{"filter":{"type":"dies"},"dry_run":true}`,
		"/v1/dead/purge red": `{"filter":{"queue":"red","type":"dies"},"dry_run":true}`, "/v1/dead/purge green": `{"filter":{"queue":"green"},"dry_run":true}`,
		"/v1/tasks/bulk red": `{"action":"retry","filter":{"queue":"red","type":"waits"},"dry_run":true}`, "/v1/tasks/bulk green": `{"action":"cancel","filter":{"queue":"green"},"dry_run":true}`,
		"/v1/sim/whatif all": `{"since":"` + begin + `","until":"` + end + `"}`, "/v1/sim/whatif type": `{"type":"dies","since":"` + begin + `","until":"` + end + `"}`,
	}
}

// lately is what is told of the last minutes, which go on from one call to the next.
var lately = regexp.MustCompile(`,"recent":\{(?:[^{}]|\{[^{}]*\})*\}|,"oldest_due":"[^"]*"`)

// volatile is what changes by itself.
var volatile = regexp.MustCompile(`"(as_of|silent|died_before|until|now|time|age)":"[^"]*"`)

// told is all that a token is told, by the call: pages are followed to their end.
func (h *house) told(bearer string) map[string]string {
	h.t.Helper()
	told := map[string]string{}
	say := func(call string, got *answer) {
		told[call] = fmt.Sprint(got.status, " ", volatile.ReplaceAllString(lately.ReplaceAllString(string(got.body), ""), `"$1":"-"`))
	}
	reads := h.reads()
	for _, rule := range h.server.Rules() {
		paths, known := reads[rule.ID]
		if rule.Method != "GET" || strings.HasSuffix(rule.Path, "?verbose") {
			continue
		}
		if !known {
			_, path, _ := h.sample(rule, "red")
			paths = []string{path}
		}
		for _, path := range paths {
			for page := path; ; {
				got := h.as(bearer, "GET", page, "")
				say(page, got)
				if !strings.Contains(string(got.body), `"next_cursor":"`) || got.get("next_cursor") == `""` {
					break
				}
				more := "?"
				if strings.Contains(path, "?") {
					more = "&"
				}
				page = path + more + "cursor=" + strings.Trim(got.get("next_cursor"), `"`)
			}
		}
	}
	for call, body := range h.asks() {
		path, _, _ := strings.Cut(call, " ")
		say(call, h.as(bearer, "POST", path, body))
	}
	return told
}

// What a token for certain queues is told is the same, byte for byte, with and without
// tasks of other queues: every list, search, count, group and export, cursors included.
func TestOtherQueuesShowInNothing(t *testing.T) {
	t.Parallel()
	h := startHouse(t)
	bearers := map[string]string{
		"viewer of one": h.token(inspect.Viewer, "red"), "viewer of two": h.token(inspect.Viewer, "red", "blue"),
		"operator of one": h.token(inspect.Operator, "red"), "operator of two": h.token(inspect.Operator, "red", "blue"),
	}
	h.live("red", "red")
	h.live("blue", "blue")
	before := map[string]map[string]string{}
	for name, bearer := range bearers {
		before[name] = h.told(bearer)
	}
	h.live("green", secret)
	h.crowd("green")
	h.live("green", secret)
	for name, bearer := range bearers {
		after := h.told(bearer)
		for _, call := range slices.Sorted(maps.Keys(after)) {
			if before[name][call] != after[call] {
				t.Errorf("%s, %s:\n%.2000s\nand with tasks of another queue\n%.2000s", name, call, before[name][call], after[call])
			}
			if strings.Contains(after[call], secret) && !strings.Contains(call, secret) {
				t.Errorf("%s, %s tells of another queue: %.2000s", name, call, after[call])
			}
		}
		if len(after) != len(before[name]) {
			t.Errorf("%s: %d calls, then %d", name, len(before[name]), len(after))
		}
	}
	// What was compared tells something.
	if text := before["viewer of two"]["/v1/dead?type=dies&limit=1"]; !strings.HasPrefix(text, "200") || !strings.Contains(text, `"dies"`) {
		t.Errorf("the letters of the token's own queues: %s", text)
	}
}

// What is asked for by an id is answered alike where it is of another queue and where it
// is of nothing.
func TestForeignIsUnknown(t *testing.T) {
	h := startHouse(t)
	h.live("green", secret)
	letter, waits, operation, group := h.letter("green"), h.pending("green"), h.operation("green"), h.taskGroup("green")
	none := task.NewID(time.Now(), rand.New(rand.NewPCG(1, 2))).String()
	for _, queues := range [][]string{{"red"}, {"red", "blue"}} {
		bearer := h.token(inspect.Operator, queues...)
		for _, call := range []struct{ method, path, body, id string }{
			{"GET", "/v1/tasks/%s", "", letter}, {"GET", "/v1/tasks/%s", "", waits}, {"GET", "/v1/tasks/%s/attempts", "", letter}, {"GET", "/v1/dead/%s", "", letter},
			{"POST", "/v1/tasks/%s/cancel", "", waits}, {"POST", "/v1/tasks/%s/retry", "", letter}, {"POST", "/v1/tasks/%s/reschedule", `{"delay":"1h"}`, waits},
			{"POST", "/v1/tasks/%s/signals/approval", "1", waits},
			{"GET", "/v1/task-groups/%s", "", group}, {"POST", "/v1/task-groups/%s/close", "", group},
			{"GET", "/v1/events?for=1ms&task=%s", "", waits}, {"GET", "/v1/operations/%s", "", operation}, {"GET", "/v1/operations/%s/items", "", operation},
			{"POST", "/v1/operations/%s/cancel", "", operation},
			{"POST", "/v1/dead/redrive", `{"ids":["%s"]}`, letter}, {"POST", "/v1/dead/purge", `{"ids":["%s"]}`, letter}, {"POST", "/v1/dead/redrive", `{"ids":["%s"],"dry_run":true}`, letter},
			{"POST", "/v1/tasks/bulk", `{"action":"cancel","ids":["%s"]}`, waits}, {"POST", "/v1/tasks/bulk", `{"action":"retry","ids":["%s"],"dry_run":true}`, waits},
		} {
			ask := func(id string) string {
				path, body := strings.Replace(call.path, "%s", id, 1), strings.Replace(call.body, "%s", id, 1)
				got := h.as(bearer, call.method, path, body)
				return fmt.Sprint(got.status, " ", strings.ReplaceAll(string(got.body), id, "ID"))
			}
			if foreign, unknown := ask(call.id), ask(none); foreign != unknown {
				t.Errorf("%s %s of %v:\n%s\nof nothing:\n%s", call.method, call.path, queues, foreign, unknown)
			}
		}
	}
	h.as(h.admin, "GET", "/v1/dead/"+letter, "").is(200)
	var left client.Task
	h.as(h.admin, "GET", "/v1/tasks/"+waits, "").is(200).into(&left)
	if left.State != task.Pending {
		t.Errorf("the task of the other queue is %s", left.State)
	}
}
