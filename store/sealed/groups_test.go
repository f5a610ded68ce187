package sealed_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// What the callback of a group carries is sealed, bound to the group and to where it goes, and
// a repeat of the group is told from another one.
func TestGroupIsSealed(t *testing.T) {
	b := newBench(t)
	s := b.seal(oneKey(1))
	g := task.Group{ID: b.task(`1`).ID, Label: "March", Callback: task.Follow{
		Type: "closing", Payload: []byte(`"canary"`), HTTP: &task.Request{URL: "https://a.example", Headers: map[string]string{"X-Key": "canary"}},
	}}
	for range 2 {
		put, err := s.PutGroup(t.Context(), g)
		b.ok(err)
		if string(put.Callback.Payload) != `"canary"` || put.Callback.HTTP.Headers["X-Key"] != "canary" {
			t.Fatalf("put %+v", put.Callback)
		}
	}
	below, err := b.raw.Group(t.Context(), g.ID)
	b.ok(err)
	if strings.Contains(string(below.Callback.Payload), "canary") || strings.Contains(below.Callback.HTTP.Headers[""], "canary") {
		t.Errorf("in the database stands %s, %v", below.Callback.Payload, below.Callback.HTTP.Headers)
	}
	other := g
	other.Callback.Payload = []byte(`"another"`)
	if _, err := s.PutGroup(t.Context(), other); !errors.Is(err, &task.Error{Code: task.CodeIDConflict}) {
		t.Errorf("another group of that id: %v", err)
	}
	if _, err := s.PutGroup(t.Context(), *below); !errors.Is(err, &task.Error{Code: task.CodeInvalid}) {
		t.Errorf("a group that is sealed already: %v", err)
	}

	// Sealed for one group, it opens for no other, and calls nobody else.
	for name, change := range map[string]func(*task.Group){
		"of another group": func(g *task.Group) {},
		"to another place": func(g *task.Group) { g.Callback.HTTP.URL = "https://b.example" },
	} {
		forged := *below
		request := *below.Callback.HTTP
		forged.ID, forged.Callback.HTTP = task.NewID(time.Now().Add(time.Duration(len(name))), b.random), &request
		change(&forged)
		_, err := b.raw.PutGroup(t.Context(), forged)
		b.ok(err)
		if opened, err := s.Group(t.Context(), forged.ID); err == nil {
			t.Errorf("%s it opens: %s", name, opened.Callback.Payload)
		}
	}

	// One without a payload is bound to its place too.
	keys := oneKey(1)
	keys.Strict = true
	strict, bare := b.seal(keys), task.Group{ID: task.NewID(time.Now(), b.random), Callback: task.Follow{Type: "closing"}}
	put, err := strict.PutGroup(t.Context(), bare)
	b.ok(err)
	if put.Callback.Payload != nil {
		t.Errorf("it has the payload %q", put.Callback.Payload)
	}
	bare.ID = task.NewID(time.Now(), b.random)
	_, err = b.raw.PutGroup(t.Context(), bare)
	b.ok(err)
	if _, err := strict.Group(t.Context(), bare.ID); err == nil {
		t.Error("what nobody has sealed opens")
	}

	_, err = s.CloseGroup(t.Context(), g.ID)
	b.ok(err)
	callback := b.task(`{"members":0}`)
	done, err := s.FinishGroup(t.Context(), g.ID, task.GroupCounts{}, store.Insert{Task: callback})
	b.ok(err)
	raw, err := b.raw.Get(t.Context(), done.CallbackTask)
	b.ok(err)
	if !store.IsSealed(raw.Payload) {
		t.Errorf("the callback has %s", raw.Payload)
	}
}
