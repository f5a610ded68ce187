package config

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/outlast-dev/outlast/policy"
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
	if _, err := Apply(t.Context(), broken, parsed(t, text), "n"); err == nil {
		t.Fatal("it did not fail")
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
