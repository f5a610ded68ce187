package sealed_test

import (
	"encoding/base64"
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
		"URL":                func(t *task.Task) { t.Spec.HTTP.URL = "https://example.net" },
		"method":             func(t *task.Task) { t.Spec.HTTP.Method = "PUT" },
		"no request":         func(t *task.Task) { t.Spec.HTTP = nil },
		"type":               func(t *task.Task) { t.Type = "other" },
		"queue":              func(t *task.Task) { t.Queue = "other" },
		"URL of a fallback":  func(t *task.Task) { t.Spec.Fallback.HTTP.URL = "https://example.net" },
		"a callback":         func(t *task.Task) { t.Spec.OnSuccess = &task.Follow{HTTP: &task.Request{URL: "https://example.net"}} },
		"type of an on_dead": func(t *task.Task) { t.Spec.OnDead.Type = "other" },
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

// What was sealed before the target was bound is read, and stays the same for whoever
// sends it again.
func TestUnboundVersion(t *testing.T) {
	b := newBench(t)
	given := b.task(`"as before"`)
	var err error
	given.ID, err = task.ParseID("01a203f6-07c4-7510-9dce-c3ad077d0000")
	b.ok(err)
	text, err := base64.StdEncoding.DecodeString("AHNlYWxlZAECazHs4MGugJALRCYq0agYwXrYQYRTS4jJwRII+u6XTD0+vexxTI0ZD4k=")
	b.ok(err)
	below := *given
	below.Payload = text
	b.insert(b.raw, store.Insert{Task: &below})
	s := b.seal(oneKey(1))
	if got := b.insert(s, store.Insert{Task: given})[0].Existing; got == nil || string(got.Payload) != string(given.Payload) {
		t.Errorf("sent again: %+v", got)
	}
	if claimed := b.claim(s, given.ID).Tasks; len(claimed) != 1 || string(claimed[0].Payload) != `"as before"` {
		t.Errorf("claimed %+v", claimed)
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
