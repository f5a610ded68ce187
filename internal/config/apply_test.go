package config

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

func parsed(t *testing.T, text string) *File {
	t.Helper()
	f, err := Parse("f.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func applies(t *testing.T, backend store.Config, text string, want Outcome) {
	t.Helper()
	got, err := Apply(t.Context(), backend, parsed(t, text), "n")
	if err != nil || got != want {
		t.Fatalf("%s: %s, %v; want %s", text, got, err, want)
	}
}

func object(t *testing.T, backend store.Config, kind, name string) *store.Object {
	t.Helper()
	o, err := backend.Object(t.Context(), kind, name)
	if errors.Is(err, &task.Error{Code: task.CodeNotFound}) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestApply(t *testing.T) {
	s := memory.New()
	applies(t, s, "policies: {a: {ttl: 1m}, b: {}}\ntypes: {x: {policy: a}}\nqueues: {q: {lanes: 2, policy: a}}\nretries: false\n", Applied)
	if a := object(t, s, policy.Kind, "a"); a.Version != 1 || a.Managed != "file" || string(a.Body) != `{"ttl":"1m0s"}` {
		t.Errorf("%+v", a)
	}
	if object(t, s, policy.KindSetting, policy.Retries) == nil {
		t.Error("retries are on")
	}
	// Another policy, another type, without b, with retries.
	applies(t, s, "policies: {a: {ttl: 2m}}\ntypes: {y: {policy: payment}}\nqueues: {q: {lanes: 1, weight: 3}}\n", Applied)
	if a := object(t, s, policy.Kind, "a"); a.Version != 2 {
		t.Errorf("%+v", a)
	}
	for _, gone := range [][2]string{{policy.Kind, "b"}, {policy.KindType, "x"}, {policy.KindSetting, policy.Retries}} {
		if object(t, s, gone[0], gone[1]) != nil {
			t.Errorf("%v is there still", gone)
		}
	}
	queues, err := s.Queues(t.Context())
	if err != nil || len(queues) != 1 || queues[0].Lanes != 2 || queues[0].Policy != "a" || queues[0].Weight != 3 {
		t.Errorf("%+v, %v", queues, err)
	}
	rows, _, err := s.Audit(t.Context(), store.AuditFilter{Actor: "file"}, store.Page{Limit: 100})
	if err != nil || len(rows) != 13 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// A file that was replaced by a newer one is not applied again by a node that still
// has it, but with another revision it is.
func TestOlderFileOfASlowerNode(t *testing.T) {
	s := memory.New()
	first, second := "policies: {a: {ttl: 1m}}\n", "policies: {a: {ttl: 2m}}\n"
	applies(t, s, first, Applied)
	applies(t, s, first, Unchanged)
	applies(t, s, second, Applied)
	applies(t, s, first, Superseded)
	applies(t, s, "listen: 127.0.0.1:9\n"+first, Superseded)
	applies(t, s, second, Unchanged)
	if a := object(t, s, policy.Kind, "a"); a.Version != 2 || !strings.Contains(string(a.Body), "2m") {
		t.Errorf("%s", a.Body)
	}
	applies(t, s, "revision: back\n"+first, Applied)
	applies(t, s, second, Superseded)
	if a := object(t, s, policy.Kind, "a"); a.Version != 3 || !strings.Contains(string(a.Body), "1m") {
		t.Errorf("%s", a.Body)
	}
}

// Who asks for an older file gets it, and the one that it replaces does not come back
// by itself.
func TestBackToAnOlderFile(t *testing.T) {
	s := memory.New()
	first, second := "policies: {a: {ttl: 1m}}\nqueues: {q: {policy: a}}\n", "policies: {a: {ttl: 2m}}\n"
	again := func(text string, want Outcome) {
		t.Helper()
		if got, err := ApplyAgain(t.Context(), s, parsed(t, text), "n"); err != nil || got != want {
			t.Fatalf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
	again(first, Applied)
	applies(t, s, second, Applied)
	applies(t, s, first, Superseded)
	again(first, Applied)
	again(first, Unchanged)
	applies(t, s, second, Superseded)
	applies(t, s, first, Unchanged)
	if a := object(t, s, policy.Kind, "a"); a.Version != 3 || !strings.Contains(string(a.Body), "1m") {
		t.Errorf("%s", a.Body)
	}
	again(second, Applied)
	applies(t, s, first, Superseded)
	var known applied
	if err := json.Unmarshal(object(t, s, kindFile, nameFile).Body, &known); err != nil || len(known.Seen) != 2 {
		t.Errorf("%+v, %v", known, err)
	}
}

// A file that is wrong beside the database changes nothing.
func TestNamesThatNobodyHas(t *testing.T) {
	s := memory.New()
	_, err := Apply(t.Context(), s, parsed(t, "policies: {a: {}}\nqueues:\n  q:\n    policy: nothere\ntypes: {x: {policy: b}}\nschedules: {s: {every: 1h, task: {type: x, policy: c}}}\n"), "n")
	if err == nil || !strings.Contains(err.Error(), "f.yaml:6: schedules.s.task.policy") || !strings.Contains(err.Error(), `f.yaml:4: queues.q.policy: there is no policy "nothere"`) || !strings.Contains(err.Error(), "f.yaml:5: types.x.policy") {
		t.Errorf("got %v", err)
	}
	if object(t, s, policy.Kind, "a") != nil {
		t.Error("half of it was applied")
	}
	// One that was put is found; that of an earlier file is not, since it goes.
	if _, err := s.Change(t.Context(), store.Change{Put: []store.Object{{Kind: policy.Kind, Name: "b", Body: []byte(`{}`)}}}); err != nil {
		t.Fatal(err)
	}
	applies(t, s, "types: {x: {policy: b}}\n", Applied)
	// The file takes over what has the name of one of its policies.
	applies(t, s, "types: {x: {policy: b}}\npolicies: {b: {ttl: 1m}}\n", Applied)
	if b := object(t, s, policy.Kind, "b"); b.Managed != "file" || b.Version != 2 {
		t.Errorf("%+v", b)
	}
	if _, err := Apply(t.Context(), s, parsed(t, "types: {x: {policy: b}, z: {}}\n"), "n"); err == nil {
		t.Error("the policy of the earlier file is named")
	}
}

// A schedule names queues of the file, or such as were put.
func TestQueuesOfSchedules(t *testing.T) {
	s := memory.New()
	text := "schedules:\n  a: {every: 1h, task: {type: x, queue: maill}}\n  b: {every: 1h, task: {type: x, queue: put}}\n  c: {every: 1h, task: {type: x, on_dead: {type: y, queue: outlast.alerts}}}\n  d: {every: 1h, task: {type: x, queue: default}}\nqueues: {mail: {}}\n"
	f := parsed(t, text)
	_, err := Apply(t.Context(), s, f, "n")
	for _, want := range []string{`f.yaml:2: schedules.a.task.queue: there is no queue "maill" (did you mean mail?)`, `f.yaml:3: schedules.b.task.queue: there is no queue "put"`, `f.yaml:4: schedules.c.task.on_dead.queue: there is no queue "outlast.alerts"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if err != nil && strings.Contains(err.Error(), "schedules.d") {
		t.Errorf("%v", err)
	}
	doubts := f.Doubts()
	if len(doubts) != 3 || doubts[0].Line != 2 || doubts[0].Hint != "did you mean mail?" {
		t.Errorf("%v", doubts)
	}
	if _, err := s.PutQueue(t.Context(), store.Queue{Name: "put"}); err != nil {
		t.Fatal(err)
	}
	applies(t, s, "schedules: {b: {every: 1h, task: {type: x, queue: put}}}\n", Applied)
}

func TestSchedulesOfThePast(t *testing.T) {
	f := parsed(t, "schedules:\n  late: {at: 2026-01-01T00:00:00Z, task: {type: x}}\n  early: {at: 2026-03-01T00:00:00Z, task: {type: x}}\n  often: {every: 1h, task: {type: x}}\n")
	past := f.Past(time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC))
	if len(past) != 1 || past[0].Path != "schedules.late.at" || past[0].Line == 0 || !strings.Contains(past[0].Message, "2026-01-01T00:00:00Z is in the past") {
		t.Errorf("%v", past)
	}
}

// A fallback names a queue and a policy of the file, or such as were put.
func TestFallbackThatNamesNobody(t *testing.T) {
	s := memory.New()
	_, err := Apply(t.Context(), s, parsed(t, "policies:\n  a:\n    fallback: {type: x, queue: refund, policy: nothere}\n  b: {fallback: {type: x, queue: outlast.alerts}}\nqueues: {refunds: {}}\n"), "n")
	for _, want := range []string{
		`f.yaml:3: policies.a.fallback.policy: there is no policy "nothere"`, `f.yaml:3: policies.a.fallback.queue: there is no queue "refund" (did you mean refunds?)`,
		`f.yaml:4: policies.b.fallback.queue: there is no queue "outlast.alerts"`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %s in %v", want, err)
		}
	}
	if _, err := s.PutQueue(t.Context(), store.Queue{Name: "put", Lanes: 1}); err != nil {
		t.Fatal(err)
	}
	applies(t, s, "policies: {a: {fallback: {type: x, queue: put, policy: a}}, b: {fallback: {type: x, queue: default, policy: payment}}}\n", Applied)
}

// Many nodes with files of their own leave one file in force as a whole.
func TestNodesApplyAtOnce(t *testing.T) {
	s := memory.New()
	var nodes sync.WaitGroup
	for n := range 8 {
		f := parsed(t, fmt.Sprintf("policies: {a: {max_attempts: %d}, b: {max_attempts: %d}}\nqueues: {q: {weight: %d}}\n", n/2+1, n/2+1, n/2+1))
		nodes.Go(func() {
			if _, err := Apply(t.Context(), s, f, "n"); err != nil && !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
				t.Error(err)
			}
		})
	}
	nodes.Wait()
	if a, b := object(t, s, policy.Kind, "a"), object(t, s, policy.Kind, "b"); string(a.Body) != string(b.Body) {
		t.Errorf("a mixture holds: %s and %s", a.Body, b.Body)
	}
}

// A node that ends between the policies and the queues leaves what the next one
// completes.
func TestInterruptedApply(t *testing.T) {
	s := memory.New()
	text := "policies: {a: {ttl: 1m}}\nqueues: {q: {policy: a}}\n"
	broken := &failingQueues{Store: s}
	_, err := Apply(t.Context(), broken, parsed(t, text), "n")
	if unfinished := new(UnfinishedError); !errors.As(err, &unfinished) {
		t.Fatalf("it did not say what is missing: %v", err)
	}
	if queues, _ := s.Queues(t.Context()); object(t, s, policy.Kind, "a") == nil || len(queues) != 0 {
		t.Fatalf("%v", queues)
	}
	applies(t, s, text, Applied)
	if queues, err := s.Queues(t.Context()); err != nil || len(queues) != 1 || queues[0].Policy != "a" {
		t.Errorf("%+v, %v", queues, err)
	}
	applies(t, s, text, Unchanged)
}

type failingQueues struct{ *memory.Store }

func (f *failingQueues) Queues(context.Context) ([]store.Queue, error) {
	return nil, errors.New("no answer")
}

// A single time of a schedule that has passed keeps the file from nothing: it was good
// when it was written, and every restart reads it again.
func TestPastOneOffOfTheFile(t *testing.T) {
	backend := memory.New()
	text := "schedules:\n  once: {at: 2020-01-01T00:00:00Z, task: {type: report}}\n"
	applies(t, backend, text, Applied)
	applies(t, backend, text, Unchanged)
	applies(t, backend, text+"retries: false\n", Applied)
}
