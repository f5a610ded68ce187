package sealed_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// bench is a store in memory with a queue "q" that node "n" works on; each seal
// over it is another process.
type bench struct {
	testing.TB
	raw    *memory.Store
	lanes  []store.LaneEpoch
	random *rand.Rand
}

func newBench(t testing.TB) *bench {
	b := &bench{TB: t, raw: memory.New(), random: rand.New(rand.NewPCG(1, 2))}
	b.ok(b.raw.Join(t.Context(), store.Node{ID: "n"}))
	queue, err := b.raw.PutQueue(t.Context(), store.Queue{Name: "q", Lanes: 1})
	b.ok(err)
	b.lanes, err = b.raw.TakeLanes(t.Context(), "n", []store.LaneEpoch{{Lane: queue.Numbers[0]}})
	b.ok(err)
	return b
}

func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *bench) seal(keys sealed.Keys) *sealed.Store {
	b.Helper()
	s, err := sealed.Wrap(b.raw, keys, nil)
	b.ok(err)
	return s
}

func (b *bench) task(payload string) *task.Task {
	now := time.Now().Add(-time.Second)
	return &task.Task{ID: task.NewID(now, b.random).WithLane(b.lanes[0].Lane), Queue: "q", Type: "t", Target: "t", Payload: []byte(payload)}
}

func (b *bench) insert(s store.Backend, items ...store.Insert) []store.Inserted {
	b.Helper()
	results, err := s.Enqueue(b.Context(), []store.Batch{{Items: items}})
	b.ok(err)
	b.ok(results[0].Err)
	return results[0].Items
}

func (b *bench) claim(s store.Backend, id task.ID) store.Claimed {
	b.Helper()
	claimed, err := s.Claim(b.Context(), store.Claim{Node: "n", Lanes: b.lanes, Items: []store.ClaimItem{{ID: id}}})
	b.ok(err)
	return claimed
}

func (b *bench) get(s store.Backend, id task.ID) *task.Task {
	b.Helper()
	t, err := s.Get(b.Context(), id)
	b.ok(err)
	return t
}

func full(b *bench, canary string) *task.Task {
	t := b.task(`"` + canary + ` payload"`)
	t.Spec.HTTP = &task.Request{URL: "https://example.com", Headers: map[string]string{"Authorization": canary + " header", "X-Other": "2"}}
	t.Spec.Fallback = &task.Follow{Type: "f", Payload: []byte(`"` + canary + ` fallback"`), HTTP: &task.Request{URL: "https://example.org", Headers: map[string]string{"Token": canary + " token"}}}
	t.Spec.OnDead = &task.Follow{Type: "d"}
	t.Policy, t.Spec.Retry = "paid", json.RawMessage(`{"max_attempts":3}`)
	return t
}

// Whoever reads below the seal sees nothing of a task's parts, and whoever reads
// above it sees them as they were.
func TestEverythingComesBack(t *testing.T) {
	b := newBench(t)
	s := b.seal(oneKey(1))
	given := full(b, "canary")
	before := *given
	b.insert(s, store.Insert{Task: given})
	if !bytes.Equal(given.Payload, before.Payload) || given.Spec.HTTP != before.Spec.HTTP || given.Spec.HTTP.Headers["X-Other"] != "2" {
		t.Error("the caller's task was changed")
	}
	if text := dump(b.get(b.raw, given.ID)); strings.Contains(text, "canary") || !strings.Contains(text, "https://example.com") {
		t.Errorf("below the seal there is %s", text)
	}
	claimed := b.claim(s, given.ID).Tasks[0]
	for _, got := range []*task.Task{claimed, b.get(s, given.ID)} {
		if dump(got) != dump(given) {
			t.Errorf("got %s, want %s", dump(got), dump(given))
		}
	}
	failure := &task.Failure{Category: "network", Message: "canary error", At: time.Now()}
	now := time.Now()
	b.settle(s, store.Settlement{Task: claimed, Outcome: task.OutcomeDead, DeadReason: task.Exhausted, StartedAt: now, EndedAt: now, Failure: failure})
	if failure.Message != "canary error" {
		t.Error("the caller's failure was changed")
	}
	below, err := b.raw.Attempts(t.Context(), given.ID)
	b.ok(err)
	above, err := s.Attempts(t.Context(), given.ID)
	b.ok(err)
	if strings.Contains(below[0].Failure.Message, "canary") || above[0].Failure.Message != "canary error" {
		t.Errorf("below %q, above %q", below[0].Failure.Message, above[0].Failure.Message)
	}
	groups, err := s.DeadGroups(t.Context(), store.Filter{}, 10)
	b.ok(err)
	if len(groups) != 1 || groups[0].Message != "canary error" || b.get(s, given.ID).LastError.Message != "canary error" {
		t.Errorf("the groups are %+v", groups)
	}
}

func (b *bench) settle(s store.Backend, settlement store.Settlement) {
	b.Helper()
	settled, err := s.Settle(b.Context(), []store.Settlement{settlement})
	b.ok(err)
	if settled[0].Status != store.StatusOK {
		b.Fatalf("settled as %+v", settled[0])
	}
}

func dump(t *task.Task) string {
	var out strings.Builder
	out.Write(t.Payload)
	for _, request := range []*task.Request{t.Spec.HTTP, t.Spec.Fallback.HTTP} {
		out.WriteString(" " + request.URL)
		for _, name := range []string{"Authorization", "Token", "X-Other", ""} {
			out.WriteString(" " + request.Headers[name])
		}
	}
	out.Write(t.Spec.Fallback.Payload)
	return out.String()
}

// A result is sealed, and an edited payload too, each for its own task, with the
// operation that brings it.
func TestResultRedriveOperation(t *testing.T) {
	b := newBench(t)
	s := b.seal(oneKey(1))
	one, two := b.task(`1`), b.task(`2`)
	now := time.Now()
	for _, given := range []*task.Task{one, two} {
		b.insert(s, store.Insert{Task: given})
		b.settle(s, store.Settlement{Task: b.claim(s, given.ID).Tasks[0], Outcome: task.OutcomeDead, StartedAt: now, EndedAt: now})
	}
	none := b.task(`3`)
	sent, missing, err := s.Redrive(t.Context(), []task.ID{one.ID, none.ID, two.ID}, store.RedriveOptions{Payload: []byte(`"canary"`)})
	b.ok(err)
	var done []task.ID
	for i := range sent {
		done = append(done, sent[i].ID)
	}
	if !slices.Equal(done, []task.ID{one.ID, two.ID}) || !slices.Equal(missing, []task.ID{none.ID}) {
		t.Errorf("done %v, missing %v", done, missing)
	}
	for _, id := range done {
		if below := b.get(b.raw, id).Payload; bytes.Contains(below, []byte("canary")) {
			t.Errorf("below the seal there is %q", below)
		}
		claimed := b.claim(s, id).Tasks
		if len(claimed) != 1 || string(claimed[0].Payload) != `"canary"` {
			t.Fatalf("claimed %+v", claimed)
		}
		b.settle(s, store.Settlement{Task: claimed[0], Outcome: task.OutcomeSucceeded, StartedAt: now, EndedAt: now, Result: []byte(`"canary"`)})
		if below := b.get(b.raw, id).Result; bytes.Contains(below, []byte("canary")) || string(b.get(s, id).Result) != `"canary"` {
			t.Errorf("the result is %q", below)
		}
	}
	put, err := s.PutOperation(t.Context(), store.Operation{ID: "o", Kind: "redrive", State: store.OperationRunning, Request: []byte(`{"payload":"canary"}`), CreatedAt: now})
	b.ok(err)
	raw, err := b.raw.Operation(t.Context(), "o")
	b.ok(err)
	if string(put.Request) != `{"payload":"canary"}` || bytes.Contains(raw.Request, []byte("canary")) {
		t.Errorf("the request is %q, below %q", put.Request, raw.Request)
	}
}

// Every part opens for its own task only, and only as it was sealed.
func TestMovedOrChangedDoesNotOpen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t)
		s := b.seal(oneKey(1))
		given := b.task(rapid.StringN(0, 200, -1).Draw(rt, "payload"))
		b.insert(s, store.Insert{Task: given})
		text := b.get(b.raw, given.ID).Payload
		moved := b.task("")
		moved.Payload = slices.Clone(text)
		switch at := rapid.IntRange(0, len(text)-1).Draw(rt, "at"); rapid.IntRange(0, 2).Draw(rt, "how") {
		case 0:
			moved.ID = given.ID
			moved.Payload[at] ^= byte(1 << rapid.IntRange(0, 7).Draw(rt, "bit"))
		case 1:
			moved.ID = given.ID
			moved.Payload = moved.Payload[:at]
		}
		other := newBench(t)
		other.insert(other.raw, store.Insert{Task: moved})
		claimed := other.claim(other.seal(sealed.Keys{Secrets: oneKey(1).Secrets, Strict: true}), moved.ID)
		if len(claimed.Tasks) != 0 {
			rt.Fatalf("it opened as %q", claimed.Tasks[0].Payload)
		}
	})
}

// The same text of the same task is the same below the seal; anything else is not.
func TestEqualIsEqual(t *testing.T) {
	b := newBench(t)
	s := b.seal(oneKey(1))
	given := b.task(`1`)
	b.insert(s, store.Insert{Task: given})
	again := b.insert(s, store.Insert{Task: given})
	if again[0].Existing == nil || string(again[0].Existing.Payload) != `1` {
		t.Errorf("a repeat is %+v", again[0])
	}
	other := *given
	other.Payload = []byte(`2`)
	results, err := s.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{{Task: &other}}}})
	b.ok(err)
	if !errors.Is(results[0].Err, &task.Error{Code: task.CodeIDConflict}) {
		t.Errorf("other content is %v", results[0].Err)
	}
	twin := b.task(`1`)
	b.insert(s, store.Insert{Task: twin})
	if bytes.Equal(b.get(b.raw, given.ID).Payload, b.get(b.raw, twin.ID).Payload) {
		t.Error("two tasks show that they have the same payload")
	}
}

// Keys that are of no use are refused, all at once, and none of them is shown.
func TestUselessKeys(t *testing.T) {
	_, err := sealed.Wrap(memory.New(), sealed.Keys{Current: "gone", Strict: true, Secrets: map[string][]byte{
		"short": []byte("canary"), "flat": bytes.Repeat([]byte{7}, 32), "bad name": secret(1), "good": secret(1),
	}}, nil)
	var problem *task.Error
	if !errors.As(err, &problem) || problem.Code != task.CodeInvalid || len(problem.Fields) != 4 || strings.Contains(err.Error(), "canary") {
		t.Fatalf("got %v", err)
	}
	for _, keys := range []sealed.Keys{{Secrets: map[string][]byte{"a": secret(1), "b": secret(2)}}, {Strict: true}, {Current: "a"}, {Secrets: map[string][]byte{"": secret(1)}}} {
		if _, err := sealed.Wrap(memory.New(), keys, nil); err == nil {
			t.Errorf("taken: %v", keys.Current)
		}
	}
}
