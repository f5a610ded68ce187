package sealed_test

import (
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// Whoever can write to the database cannot have the parts of a task go elsewhere: to
// another address, another handler or queue, or with what follows the task.
func TestBoundToTarget(t *testing.T) {
	for name, change := range map[string]func(*task.Task){
		"URL":                  func(t *task.Task) { t.Spec.HTTP.URL = "https://example.net" },
		"method":               func(t *task.Task) { t.Spec.HTTP.Method = "PUT" },
		"no request":           func(t *task.Task) { t.Spec.HTTP = nil },
		"type":                 func(t *task.Task) { t.Type = "other" },
		"queue":                func(t *task.Task) { t.Queue = "other" },
		"URL of a fallback":    func(t *task.Task) { t.Spec.Fallback.HTTP.URL = "https://example.net" },
		"a callback":           func(t *task.Task) { t.Spec.OnSuccess = &task.Follow{HTTP: &task.Request{URL: "https://example.net"}} },
		"type of an on_dead":   func(t *task.Task) { t.Spec.OnDead.Type = "other" },
		"policy":               func(t *task.Task) { t.Policy = "other" },
		"no policy":            func(t *task.Task) { t.Policy = "" },
		"no policy of its own": func(t *task.Task) { t.Spec.Retry = nil },
		"policy of a fallback": func(t *task.Task) { t.Spec.Fallback.Policy = "other" },
		"a payload in the clear": func(t *task.Task) {
			t.Payload = []byte(`1`)
			t.Spec.HTTP.URL = "https://example.net"
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			given := full(b, "canary")
			b.insert(b.seal(oneKey(1)), store.Insert{Task: given})
			s, err := sealed.Wrap(&changedStore{b.raw, change}, oneKey(1), nil)
			b.ok(err)
			if shown := b.get(s, given.ID).Spec.HTTP; shown != nil && shown.Headers["Authorization"] != "" {
				t.Errorf("shown: %+v", shown)
			}
			if claimed := b.claim(s, given.ID); len(claimed.Tasks) != 0 || len(claimed.Refused) != 1 {
				t.Errorf("claimed %+v", claimed)
			}
		})
	}
}

// A redrive with another payload binds it as the first one was.
func TestEditedPayloadIsBound(t *testing.T) {
	b := newBench(t)
	s, given := b.seal(oneKey(1)), full(b, "canary")
	b.insert(s, store.Insert{Task: given})
	now := time.Now()
	b.settle(s, store.Settlement{Task: b.claim(s, given.ID).Tasks[0], Outcome: task.OutcomeDead, DeadReason: task.Exhausted, StartedAt: now, EndedAt: now})
	gone := b.task("").ID
	done, missing, err := s.Redrive(t.Context(), []task.ID{gone, given.ID}, store.RedriveOptions{Payload: []byte(`"edited"`)})
	if err != nil || len(done) != 1 || len(missing) != 1 || missing[0] != gone {
		t.Fatalf("done %v, missing %v, %v", done, missing, err)
	}
	if claimed := b.claim(s, given.ID).Tasks; len(claimed) != 1 || string(claimed[0].Payload) != `"edited"` {
		t.Errorf("claimed %+v", claimed)
	}
}

// A letter that somebody has pointed elsewhere does not get the new payload of a redrive:
// it goes back as it is, and waits.
func TestEditedPayloadGoesNowhereElse(t *testing.T) {
	b := newBench(t)
	s, given := b.seal(oneKey(1)), b.task(`"before"`)
	given.Spec.HTTP = &task.Request{URL: "https://example.com"}
	b.insert(s, store.Insert{Task: given})
	now := time.Now()
	b.settle(s, store.Settlement{Task: b.claim(s, given.ID).Tasks[0], Outcome: task.OutcomeDead, DeadReason: task.Exhausted, StartedAt: now, EndedAt: now})
	changed, err := sealed.Wrap(&changedStore{b.raw, func(t *task.Task) { t.Spec.HTTP.URL = "https://example.net" }}, oneKey(1), nil)
	b.ok(err)
	done, _, err := changed.Redrive(t.Context(), []task.ID{given.ID}, store.RedriveOptions{Payload: []byte(`"edited"`)})
	if err != nil || len(done) != 1 {
		t.Fatalf("done %v, %v", done, err)
	}
	if claimed := b.claim(changed, given.ID); len(claimed.Tasks) != 0 || len(claimed.Refused) != 1 {
		t.Errorf("claimed %+v", claimed.Tasks[0])
	}
}

// What is sealed opens in its own place of its own task only: headers, what follows,
// results and texts of errors too.
func TestPartsOfAnotherPlace(t *testing.T) {
	b := newBench(t)
	s, other := b.seal(oneKey(1)), full(b, "foreign")
	b.insert(s, store.Insert{Task: other})
	now := time.Now()
	b.settle(s, store.Settlement{Task: b.claim(s, other.ID).Tasks[0], Outcome: task.OutcomeSucceeded, Result: []byte(`"foreign result"`), StartedAt: now, EndedAt: now})
	foreign := b.get(b.raw, other.ID)
	for name, change := range map[string]func(*task.Task){
		"headers of another task":    func(t *task.Task) { t.Spec.HTTP.Headers = foreign.Spec.HTTP.Headers },
		"headers of another place":   func(t *task.Task) { t.Spec.HTTP.Headers = t.Spec.Fallback.HTTP.Headers },
		"fallback of another task":   func(t *task.Task) { t.Spec.Fallback.Payload = foreign.Spec.Fallback.Payload },
		"fallback for a payload":     func(t *task.Task) { t.Payload = foreign.Payload },
		"a callback with a fallback": func(t *task.Task) { t.Spec.OnDead.Payload = t.Spec.Fallback.Payload },
	} {
		t.Run(name, func(t *testing.T) {
			given := full(b, "canary")
			b.insert(s, store.Insert{Task: given})
			changed, err := sealed.Wrap(&changedStore{b.raw, change}, oneKey(1), nil)
			b.ok(err)
			if claimed := b.claim(changed, given.ID); len(claimed.Tasks) != 0 || len(claimed.Refused) != 1 {
				t.Errorf("claimed %+v", claimed)
			}
		})
	}
	given := full(b, "canary")
	b.insert(s, store.Insert{Task: given})
	failed := b.claim(s, given.ID).Tasks[0]
	b.settle(s, store.Settlement{Task: failed, Outcome: task.OutcomeFailed, Failure: &task.Failure{Message: "canary error"}, RunAt: now, StartedAt: now, EndedAt: now})
	text := b.get(b.raw, given.ID).LastError.Message
	moved, err := sealed.Wrap(&changedStore{b.raw, func(t *task.Task) {
		t.LastError, t.Result = &task.Failure{Message: text}, foreign.Payload
	}}, oneKey(1), nil)
	b.ok(err)
	shown := b.get(moved, other.ID)
	if strings.Contains(shown.LastError.Message, "canary") || strings.Contains(string(shown.Result), "foreign") {
		t.Errorf("shown with %+v, %s", shown.LastError, shown.Result)
	}
}
