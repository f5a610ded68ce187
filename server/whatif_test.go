package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/client"
	"github.com/outlast-dev/outlast/inspect"
)

// startFlaky is a server on which tasks of the type "flaky" fail twice, those of the
// type "fails" always, and those of the type "works" never.
func startFlaky(t *testing.T) *guarded {
	a := start(t, func(node *outlast.Client) {
		var tried atomic.Int64
		outlast.Handle(node, "flaky", func(context.Context, string) error {
			if tried.Add(1)%3 != 0 {
				return errors.New("down")
			}
			return nil
		})
		outlast.Handle(node, "fails", func(context.Context, string) error { return errors.New("down") })
		outlast.Handle(node, "works", func(context.Context, string) error { return nil })
	})
	return &guarded{api: a}
}

const quickPolicy = `{"max_attempts":3,"backoff":{"kind":"fixed","initial":"1ms","jitter":"none"},"budget":"none","breaker":"none"}`

// What was recorded is told as it was; the policies of now and others play the same
// tasks again, and the answer depends on nothing else than tasks, policies and seed.
func TestWhatIf(t *testing.T) {
	g := startFlaky(t)
	g.call("PUT", "/v1/policies/quick", quickPolicy).is(201)
	for range 4 {
		g.call("POST", "/v1/tasks?wait=10s", `{"type":"flaky","payload":"x","policy":"quick"}`).is(200)
	}
	g.call("POST", "/v1/tasks?wait=10s", `{"type":"fails","payload":"x","policy":"quick"}`).is(200)
	g.call("POST", "/v1/tasks?wait=10s", `{"type":"works","payload":"x"}`).is(200)
	g.call("POST", "/v1/tasks", `{"type":"works","payload":"x","delay":"1h"}`).is(201)

	until := time.Now().Add(time.Minute).UTC().Format(time.RFC3339)
	ask := func(more string) (report client.WhatIfReport) {
		t.Helper()
		g.call("POST", "/v1/sim/whatif", `{"until":"`+until+`",`+more+`}`).is(200).into(&report)
		return report
	}
	const tried = `"policies":[{"name":"once","policy":{"max_attempts":1}},{"preset":"quick"},{"policy":{"max_attempts":9}}]`
	got := ask(tried)
	if r := got.Read; r.Tasks != 6 || r.Attempts != 16 || r.Untried != 1 || r.Targets != 3 || r.Stopped != "" {
		t.Errorf("read %+v", r)
	}
	names := ""
	for _, run := range got.Runs {
		names += run.Name + "/" + run.Kind + " "
		if len(run.Series.Attempts) != len(run.Series.Tasks) || len(run.Series.Tasks) > 160 || run.Succeeded+run.Died != 6 {
			t.Errorf("%+v", run)
		}
	}
	if names != "as recorded/recorded current/current once/tried quick/tried policies[2]/tried " {
		t.Errorf("runs %s", names)
	}
	recorded, current, once := got.Runs[0], got.Runs[1], got.Runs[2]
	if recorded.Attempts != 16 || recorded.Retries != 10 || recorded.Failed != 11 || recorded.Succeeded != 5 || recorded.Wait.P50 <= 0 {
		t.Errorf("as recorded %+v", recorded)
	}
	if current.Died == 0 || current.DiedBy["attempts"] != current.Died || current.Wait.P99 < client.Duration(900*time.Microsecond) {
		t.Errorf("current %+v", current)
	}
	if once.Attempts != 6 || once.Retries != 0 || once.Wait != (client.WhatIfSpans{}) {
		t.Errorf("once %+v", once)
	}
	if again := ask(tried); fmt.Sprint(again) != fmt.Sprint(got) {
		t.Errorf("%+v, and then %+v", got, again)
	}

	of := func(more string) (tasks []int, stopped string) {
		r := ask(more)
		return []int{r.Read.Tasks, r.Read.Untried, len(r.Runs)}, r.Read.Stopped
	}
	for more, want := range map[string]string{
		`"type":"fails"`:                   "[1 0 2] ",
		`"target":"flaky"`:                 "[4 0 2] ",
		`"queue":"default","type":"works"`: "[1 1 2] ",
		`"of":"quick"`:                     "[5 1 2] ",
		`"of":"payment"`:                   "[0 1 0] ",
		`"tasks":2`:                        "[2 1 2] tasks",
		`"type":"none"`:                    "[0 0 0] ",
		`"since":"` + until + `"`:          "[0 0 0] ",
	} {
		if read, stopped := of(more); fmt.Sprint(read, " ", stopped) != want {
			t.Errorf("%s: %v %s, want %s", more, read, stopped, want)
		}
	}
	if read := ask(`"of":"quick"`).Read; read.Others != 1 {
		t.Errorf("of one policy: %+v", read)
	}
	if text := fmt.Sprint(ask(`"tasks":2`).Limits); !strings.Contains(text, "left_out Only the newest 3 tasks") {
		t.Errorf("limits %s", text)
	}
}

// What cannot be asked is refused with its place.
func TestBadWhatIf(t *testing.T) {
	a := start(t)
	for body, path := range map[string]string{
		`{"tasks":10001}`: "tasks", `{"tasks":-1}`: "tasks", `{"policies":[{}]}`: "policies[0].policy",
		`{"policies":[{"preset":"none"}]}`:                                                 "policies[0].preset",
		`{"policies":[{"policy":{"max_attempts":2}},{"policy":{"max_attempts":0}}]}`:       "policies[1].policy.max_attempts",
		`{"policies":[{"name":"` + strings.Repeat("x", 129) + `","preset":"payment"}]}`:    "policies[0].name",
		`{"policies":[{"preset":"short","policy":{}}]}`:                                    "policies[0].policy",
		`{"policies":[{},{},{},{},{}]}`:                                                    "policies",
		`{"since":"2026-01-02T00:00:00Z","until":"2026-01-01T00:00:00Z"}`:                  "until",
		`{"policies":[{"policy":{"backoff":{"kind":"exponential","multiplier":"lots"}}}]}`: "policies[0].policy.backoff.multiplier",
	} {
		a.call("POST", "/v1/sim/whatif", body).problem(400, "invalid", path)
	}
}

// A token for certain queues replays the tasks of these.
func TestWhatIfOfAQueue(t *testing.T) {
	g := startFlaky(t)
	for _, queue := range []string{"red", "blue"} {
		g.call("PUT", "/v1/queues/"+queue, `{"lanes":2}`).is(201)
		g.call("POST", "/v1/tasks?wait=10s", `{"type":"works","payload":"x","queue":"`+queue+`"}`).is(200)
	}
	g.token(inspect.Admin)
	for _, queues := range [][]string{{"red"}, {"red", "default"}} {
		bearer := g.token(inspect.Operator, queues...)
		var report client.WhatIfReport
		g.as(bearer, "POST", "/v1/sim/whatif", `{}`).is(200).into(&report)
		if report.Read.Tasks != 1 {
			t.Errorf("%v: %+v", queues, report.Read)
		}
		g.as(bearer, "POST", "/v1/sim/whatif", `{"queue":"blue"}`).is(403)
	}
}
