package sealed_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

// object is a row as whoever can write to the database puts it there.
func (b *bench) object(s store.Backend, o store.Object) store.Object {
	b.Helper()
	changed, err := s.Change(b.Context(), store.Change{Put: []store.Object{o}, Quiet: true})
	b.ok(err)
	return changed.Put[0]
}

// forge changes a row as it is kept. The version is that which it is to have then.
func (b *bench) forge(kind, name string, change func(*store.Object)) {
	b.Helper()
	o, err := b.raw.Object(b.Context(), kind, name)
	b.ok(err)
	_, err = b.raw.Change(b.Context(), store.Change{Delete: []store.Object{*o}, Quiet: true})
	b.ok(err)
	change(o)
	for at := int64(0); at < o.Version; at++ { // up to its version
		next := *o
		next.Version = at
		_, err := b.raw.Change(b.Context(), store.Change{Put: []store.Object{next}, Quiet: true})
		b.ok(err)
	}
}

func (b *bench) read(s store.Backend, kind, name string) *store.Object {
	b.Helper()
	o, err := s.Object(b.Context(), kind, name)
	b.ok(err)
	list, err := s.Objects(b.Context(), kind)
	b.ok(err)
	for i := range list {
		if list[i].Name == name && ((list[i].Doubt == nil) != (o.Doubt == nil) || string(list[i].Body) != string(o.Body)) {
			b.Errorf("%s/%s is %+v alone and %+v in the list", kind, name, o, list[i])
		}
	}
	return o
}

// Whoever can write to the database cannot make an object that is used, nor have one be
// another than it is.
func TestObjectsThatWereChangedInTheDatabase(t *testing.T) {
	channel := store.Object{Kind: "channel", Name: "ops", Body: []byte(`{"kind":"log"}`), Actor: "token a (b)"}
	for name, row := range map[string]struct {
		change func(*store.Object)
		says   string
	}{
		"nothing":       {func(*store.Object) {}, ""},
		"a new one":     {func(o *store.Object) { o.Body = []byte(`{"kind":"email"}`) }, "put without the encryption key"},
		"another body":  {func(o *store.Object) { o.Body = []byte(strings.Replace(string(o.Body), "log", "lag", 1)) }, "its proof is wrong"},
		"another name":  {func(o *store.Object) { o.Name = "all" }, "its proof is wrong"},
		"another kind":  {func(o *store.Object) { o.Kind = "rule" }, "its proof is wrong"},
		"another owner": {func(o *store.Object) { o.Managed = "file" }, "its proof is wrong"},
		"another actor": {func(o *store.Object) { o.Actor = "cli" }, "its proof is wrong"},
		"a version":     {func(o *store.Object) { o.Version = 3 }, "its proof is wrong"},
		"another key":   {func(o *store.Object) { o.Body = []byte(strings.Replace(string(o.Body), "1:k1:", "1:k2:", 1)) }, "which this process does not have"},
		"half a proof":  {func(o *store.Object) { o.Body = []byte(strings.Replace(string(o.Body), `","body"`, `"body"`, 1)) }, "put without the encryption key"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.object(b.seal(oneKey(1)), channel)
			var at store.Object
			b.forge("channel", "ops", func(o *store.Object) { row.change(o); at = *o })
			s := b.seal(oneKey(1))
			got := b.read(s, at.Kind, at.Name)
			if row.says == "" {
				if got.Doubt != nil || string(got.Body) != string(channel.Body) {
					t.Errorf("read as %+v", got)
				}
				return
			}
			if got.Doubt == nil || !strings.Contains(got.Doubt.Error(), row.says) || got.Body != nil || got.Version != at.Version {
				t.Fatalf("read as %+v", got)
			}
			status, err := s.Status(t.Context())
			b.ok(err)
			if len(status.Unproven) != 1 || status.Unproven[at.Kind+"/"+at.Name] == "" {
				t.Errorf("told: %v", status.Unproven)
			}
			doubted, err := s.Unproven(t.Context())
			b.ok(err)
			done, err := s.Adopt(t.Context(), doubted, store.Audit{Actor: "cli"})
			b.ok(err)
			got = b.read(s, at.Kind, at.Name)
			if done != 1 || got.Doubt != nil || got.Body == nil || got.Version != at.Version+1 {
				t.Errorf("%d adopted, read as %+v", done, got)
			}
			audit, _, err := s.Audit(t.Context(), store.AuditFilter{}, store.Page{})
			b.ok(err)
			if len(audit) != 1 || audit[0].Action != "config.adopt" || audit[0].Subject != at.Kind+"/"+at.Name || audit[0].Actor != "cli" {
				t.Errorf("audit %+v", audit)
			}
		})
	}
}

// An earlier version of an object is one that somebody has vouched for. A process that
// has seen a later one does not take it; one that has just started does.
func TestObjectsThatWerePutBack(t *testing.T) {
	b := newBench(t)
	s := b.seal(oneKey(1))
	token := b.object(s, store.Object{Kind: "token", Name: "aaaaaaaa", Body: []byte(`{"role":"admin"}`)})
	before, err := b.raw.Object(t.Context(), "token", "aaaaaaaa")
	b.ok(err)
	other := b.seal(oneKey(1)) // a process of its own
	token.Body = []byte(`{"role":"admin","revoked_at":"2026-01-01T00:00:00Z"}`)
	b.object(s, token)
	b.read(other, "token", "aaaaaaaa")
	b.forge("token", "aaaaaaaa", func(o *store.Object) { *o = *before })
	for name, running := range map[string]store.Backend{"who wrote it": s, "who read it": other} {
		if got := b.read(running, "token", "aaaaaaaa"); got.Doubt == nil || !strings.Contains(got.Doubt.Error(), "earlier version") || got.Body != nil {
			t.Errorf("%s reads %+v", name, got)
		}
	}
	if got := b.read(b.seal(oneKey(1)), "token", "aaaaaaaa"); got.Doubt != nil {
		t.Errorf("a process that has just started reads %+v", got)
	}
	// Members come and go, and begin anew.
	member := store.Object{Kind: "member", Name: "g/1", Body: []byte(`{}`)}
	for range 2 {
		at := b.object(s, member)
		at.Body = member.Body
		at = b.object(s, at)
		if got := b.read(s, "member", "g/1"); got.Doubt != nil {
			t.Errorf("a member: %+v", got)
		}
		_, err := s.Change(t.Context(), store.Change{Delete: []store.Object{at}, Quiet: true})
		b.ok(err)
	}
}

// Objects go with the key as tasks do: what was signed with an earlier key is used, and
// signed with that of now at the start, so that the earlier one can go.
func TestObjectsOfAnEarlierKey(t *testing.T) {
	b := newBench(t)
	two := func(current string) sealed.Keys {
		return sealed.Keys{Current: current, Secrets: map[string][]byte{"k1": secret(1), "k2": secret(2)}}
	}
	b.object(b.seal(two("k1")), store.Object{Kind: "policy", Name: "p", Body: []byte(`{}`)})
	later := b.seal(two("k2"))
	if got := b.read(later, "policy", "p"); got.Doubt != nil || string(got.Body) != "{}" {
		t.Fatalf("read as %+v", got)
	}
	b.forge("policy", "p", func(o *store.Object) {}) // as it is
	planted := b.object(b.raw, store.Object{Kind: "policy", Name: "planted", Body: []byte(`{}`)})
	for range 2 { // the second finds nothing to do
		b.ok(later.Admit(t.Context(), true))
	}
	alone := b.seal(sealed.Keys{Secrets: map[string][]byte{"k2": secret(2)}})
	if got := b.read(alone, "policy", "p"); got.Doubt != nil || string(got.Body) != "{}" || got.Version != 2 {
		t.Errorf("without the earlier key: %+v", got)
	}
	if got := b.read(alone, "policy", "planted"); got.Doubt == nil || got.Version != planted.Version {
		t.Errorf("a start has vouched for %+v", got)
	}
}

// Encryption is turned on step by step: nodes that have the key and say clear sign what
// they put and take what is there, as does one without a key.
func TestObjectsBeforeEncryptionIsOn(t *testing.T) {
	b := newBench(t)
	b.object(b.raw, store.Object{Kind: "policy", Name: "old", Body: []byte(`{"a":1}`)})
	b.object(b.raw, store.Object{Kind: "stats", Name: "figures", Body: []byte(`{}`)})
	keys := oneKey(1)
	keys.Clear = true
	clear := b.seal(keys)
	b.ok(clear.Admit(t.Context(), true))
	b.object(clear, store.Object{Kind: "policy", Name: "new", Body: []byte(`{"b":2}`)})
	plain := b.seal(sealed.Keys{})
	for name, s := range map[string]store.Backend{"clear": clear, "no key": plain} {
		for _, one := range []string{"old", "new"} {
			if got := b.read(s, "policy", one); got.Doubt != nil || got.Body[0] != '{' || strings.Contains(string(got.Body), "proof") {
				t.Errorf("%s: %s is %+v", name, one, got)
			}
		}
	}
	on := b.seal(oneKey(1))
	if old, fresh := b.read(on, "policy", "old"), b.read(on, "policy", "new"); old.Doubt == nil || fresh.Doubt != nil {
		t.Errorf("on: old %v, new %v", old.Doubt, fresh.Doubt)
	}
	if got := b.read(on, "stats", "figures"); got.Doubt != nil {
		t.Errorf("figures: %v", got.Doubt)
	}
	// Adopted while nodes are still in the clear.
	doubted, err := clear.Unproven(t.Context())
	b.ok(err)
	if len(doubted) != 1 || doubted[0].Name != "old" || string(doubted[0].Body) != `{"a":1}` {
		t.Fatalf("found %+v", doubted)
	}
	stale := doubted[0]
	_, err = clear.Adopt(t.Context(), doubted, store.Audit{Actor: "cli"})
	b.ok(err)
	if got := b.read(b.seal(oneKey(1)), "policy", "old"); got.Doubt != nil || string(got.Body) != `{"a":1}` {
		t.Errorf("adopted: %+v", got)
	}
	if _, err := clear.Adopt(t.Context(), []store.Object{stale}, store.Audit{Actor: "cli"}); !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
		t.Errorf("what has changed since it was listed: %v", err)
	}
	if _, err := plain.Adopt(t.Context(), doubted, store.Audit{Actor: "cli"}); !errors.Is(err, &task.Error{Code: task.CodeInvalid}) {
		t.Errorf("without a key: %v", err)
	}
}

// A long operation that nobody has sealed is nobody's.
func TestPlantedOperation(t *testing.T) {
	b := newBench(t)
	s := b.seal(oneKey(1))
	for id, state := range map[string]store.OperationState{"running": store.OperationRunning, "paused": store.OperationPaused, "done": store.OperationDone} {
		_, err := b.raw.PutOperation(t.Context(), store.Operation{ID: id, Kind: "redrive", State: state, Request: []byte(`{"filter":{}}`)})
		b.ok(err)
		got, err := s.Operation(t.Context(), id)
		b.ok(err)
		if store.IsSealed(got.Request) != (id != "done") {
			t.Errorf("%s is read as %q", id, got.Request)
		}
		got.State = store.OperationCanceled
		if _, err := s.PutOperation(t.Context(), *got); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
	own, err := s.PutOperation(t.Context(), store.Operation{ID: "own", Kind: "redrive", State: store.OperationRunning, Request: []byte(`{"filter":{}}`)})
	if err != nil || string(own.Request) != `{"filter":{}}` {
		t.Errorf("own: %+v, %v", own, err)
	}
}

// A task waits while nobody vouches for what it goes by, and costs no attempt.
func TestTasksBehindTheGate(t *testing.T) {
	b := newBench(t)
	s := b.seal(oneKey(1))
	reason := errors.New("the policy p is not used")
	s.Gate(func(*task.Task) error { return reason })
	given := b.task(`1`)
	b.insert(s, store.Insert{Task: given})
	if claimed := b.claim(s, given.ID); len(claimed.Tasks) != 0 || len(claimed.Refused) != 1 || claimed.Refused[0].Reason != store.ReasonLater {
		t.Fatalf("claimed %+v", claimed)
	}
	got := b.get(s, given.ID)
	if got.LastError == nil || got.LastError.Code != sealed.Unproven || got.LastError.Message != reason.Error() || got.Attempt != 0 || !sealed.WaitsForProof(got) {
		t.Errorf("it is %+v, failure %+v", got, got.LastError)
	}
	if waiting := s.Unopened(); len(waiting) != 0 {
		t.Errorf("as if a key were missing: %v", waiting)
	}
}
