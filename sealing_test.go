package outlast_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/dead"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/task"
)

func encryption(id string, fill byte) outlast.Option {
	return outlast.WithEncryption(sealed.Keys{Secrets: map[string][]byte{id: bytes.Repeat([]byte{fill, 7}, 16)}})
}

// With encryption a handler gets what was enqueued, its fallback too, and people
// see it; the store has none of it.
func TestEncryptedTask(t *testing.T) {
	virtually(t, func(k *kit) {
		var got []string
		note := func(_ context.Context, text string) error {
			got = append(got, text)
			return errors.New("canary error")
		}
		outlast.Handle(k.client, "pay", note, outlast.MaxAttempts(2))
		outlast.Handle(k.client, "refund", func(_ context.Context, text string) error {
			got = append(got, "refund "+text)
			return nil
		})
		k.start()
		one := k.enqueue(outlast.Draft{Type: "pay", Payload: []byte(`"canary"`), Fallback: &task.Follow{Type: "refund"}})
		k.after(time.Minute)
		if strings.Join(got, ", ") != "canary, canary, refund canary" {
			t.Errorf("ran with %q", got)
		}
		view := k.get(one.ID)
		if view.State != task.Dead || string(view.Payload) != `"canary"` || !strings.Contains(view.LastError.Message, "canary error") {
			t.Errorf("shown as %+v", view.Task)
		}
		for _, id := range []task.ID{one.ID, view.FallbackTask} {
			below, err := k.store.Get(k.ctx, id)
			if err != nil || bytes.Contains(below.Payload, []byte("canary")) || below.LastError != nil && strings.Contains(below.LastError.Message, "canary") {
				t.Errorf("the store has %+v, %v", below, err)
			}
		}
		if again := k.enqueue(outlast.Draft{ID: one.ID, Type: "pay", Payload: []byte(`"canary"`), Fallback: &task.Follow{Type: "refund"}}); again.ID != one.ID {
			t.Errorf("a repeat is %s", again.ID)
		}
	}, encryption("k1", 1))
}

// A node without the key leaves a task where it is, for as long as it takes, and
// says so; a node with the key then runs it.
func TestNodeWithoutTheKey(t *testing.T) {
	racetest.WithoutDetector(t)
	virtually(t, func(k *kit) {
		handle := func(c *outlast.Client, to *[]string) {
			outlast.Handle(c, "pay", func(_ context.Context, text string) error {
				*to = append(*to, text)
				return nil
			})
		}
		var wrong, right []string
		handle(k.client, &wrong)
		k.start()
		sealing, err := sealed.Wrap(k.store, sealed.Keys{Secrets: map[string][]byte{"k1": bytes.Repeat([]byte{1, 7}, 16)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		queues, err := k.client.Inspector().Queues.List(k.ctx)
		if err != nil {
			t.Fatal(err)
		}
		given := &task.Task{ID: outlast.NewID().WithLane(defaultLane(queues)), Queue: "default", Type: "pay", Target: "pay", Payload: []byte(`"canary"`)}
		if _, err := sealing.Enqueue(k.ctx, []store.Batch{{Items: []store.Insert{{Task: given}}}}); err != nil {
			t.Fatal(err)
		}
		k.after(4 * time.Hour)
		view := k.get(given.ID)
		if view.State != task.Pending || view.Attempt != 0 || view.Crashes != 0 || view.LastError == nil || view.LastError.Code != sealed.Undecryptable || len(wrong) > 0 {
			t.Fatalf("after hours it is %+v, with %+v", view.Task, view.LastError)
		}
		if lacks := view.NextCheck.Sub(view.RunAt); view.Waiting != task.NoKey || view.MissingKey != "k1" || lacks != 0 {
			t.Errorf("it waits: %q, %q, next check %s", view.Waiting, view.MissingKey, view.NextCheck)
		}
		status, err := k.client.Inspector().Store.Encryption(k.ctx)
		if err != nil || status.Waiting["k1"] != 1 {
			t.Errorf("the node says %+v, %v", status, err)
		}
		later, err := k.client.Inspector().Tasks.Reschedule(k.ctx, given.ID, time.Now().Add(time.Hour))
		if err != nil || later.Waiting != task.DueLater {
			t.Errorf("put off by people it waits: %q, %v", later.Waiting, err)
		}
		if _, err := k.client.Inspector().Tasks.Reschedule(k.ctx, given.ID, time.Now()); err != nil {
			t.Fatal(err)
		}
		k.after(time.Minute)
		looks := len(k.log.events(t, "task.undecryptable"))
		if looks < 4*6 || looks > 4*6+10 {
			t.Errorf("%d looks in four hours", looks)
		}
		if err := k.client.Stop(k.ctx); err != nil {
			t.Fatal(err)
		}
		second := k.open(k.store, encryption("k1", 1))
		handle(second, &right)
		if err := second.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.after(10*time.Minute + time.Second)
		if strings.Join(right, "") != "canary" {
			t.Errorf("with the key it ran with %q", right)
		}
	})
}

// keys are those of names, the same for the same name.
func keys(names ...string) sealed.Keys {
	made := sealed.Keys{Secrets: map[string][]byte{}}
	for _, name := range names {
		made.Current, made.Secrets[name] = name, bytes.Repeat([]byte(name + "..")[:4], 8)
	}
	return made
}

// A store remembers that it is encrypted: a node does not start that would put
// tasks into it in the clear, unless that is what it was told to do, nor one with
// another key under a name that has been used.
func TestEncryptedStoreWantsKeys(t *testing.T) {
	virtually(t, func(k *kit) {
		try := func(keys sealed.Keys) error {
			client := k.open(k.store, outlast.WithEncryption(keys))
			if err := client.Start(k.ctx); err != nil {
				return err
			}
			_, err := client.Enqueue(k.ctx, outlast.Draft{Type: "pay"})
			return errors.Join(err, client.Stop(k.ctx))
		}
		clearly, other := keys("k1"), keys("k1")
		clearly.Clear, other.Secrets["k1"] = true, keys("xx").Secrets["xx"]
		for _, step := range []struct {
			what  string
			keys  sealed.Keys
			wants string // the field that is refused
		}{
			{"before the first key", sealed.Keys{}, ""},
			{"the first key is given out", clearly, ""},
			{"a node that has none yet", sealed.Keys{}, ""},
			{"the first seals", keys("k1"), ""},
			{"again", keys("k1"), ""},
			{"a node without keys", sealed.Keys{}, "encryption.keys"},
			{"another key of that name", other, "encryption.keys.k1"},
			{"another name", keys("k1", "k2"), ""},
			{"without the old one", keys("k2"), ""},
			{"to be in the clear", clearly, ""},
			{"to be in the clear, without keys", sealed.Keys{Clear: true}, ""},
			{"to be in the clear, with another key", sealed.Keys{Clear: true, Secrets: other.Secrets}, "encryption.keys.k1"},
		} {
			err := try(step.keys)
			if step.wants == "" {
				if err != nil {
					t.Errorf("%s: %v", step.what, err)
				}
				continue
			}
			if refused := wantCode(t, err, task.CodeInvalid); refused.Fields[0].Path != step.wants || refused.Hint == "" || !strings.Contains(err.Error(), "k1") {
				t.Errorf("%s: %+v", step.what, refused)
			}
		}
		stored, _, err := k.store.Find(k.ctx, store.Filter{}, store.Page{Limit: 10})
		open := slices.DeleteFunc(slices.Clone(stored), func(one *task.Task) bool { return store.IsSealed(one.Payload) })
		if err != nil || len(stored) != 9 || len(open) != 5 {
			t.Errorf("%d tasks, %d of them in the clear, %v", len(stored), len(open), err)
		}
	})
}

// A node that works already when others begin to encrypt goes on, and says that
// its tasks are in the clear.
func TestClearBesideEncrypted(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		second := k.open(k.store, outlast.WithEncryption(keys("k1")))
		if err := second.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.after(time.Minute)
		k.enqueue(outlast.Draft{Type: "pay", Payload: []byte(`1`)})
		told := k.log.events(t, "encryption.clear")
		status, err := k.client.Inspector().Store.Encryption(k.ctx)
		if err != nil || len(told) != 1 || !status.InTheClear() || status.Current != "" || strings.Join(status.Missing, "") != "k1" {
			t.Errorf("told %v, the node says %+v, %v", told, status, err)
		}
	})
}

// defaultLane is a lane of the default queue.
func defaultLane(queues []store.Queue) uint16 {
	for _, queue := range queues {
		if queue.Name == task.DefaultQueue {
			return queue.Numbers[0]
		}
	}
	return 0
}

// An operation whose key is lost can be canceled all the same, once.
func TestOperationOfALostKeyIsCanceled(t *testing.T) {
	virtually(t, func(k *kit) {
		p := &patient{}
		k.dying(p, 30)
		handle := k.store.Handle()
		victim, err := outlast.Open(k.ctx, handle, outlast.WithEncryption(keys("k1")))
		if err != nil {
			t.Fatal(err)
		}
		if err := victim.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		result, err := victim.Inspector().Letters.Redrive(k.ctx, inspect.RedriveRequest{Filter: &store.Filter{}, Rate: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		k.after(3 * time.Second)
		began, err := victim.Inspector().Operations.Get(k.ctx, result.Operation)
		if err != nil {
			t.Fatal(err)
		}
		handle.Kill()
		k.after(time.Minute)
		inspector := k.client.Inspector()
		for range 2 {
			o, err := inspector.Operations.Cancel(k.ctx, result.Operation)
			if err != nil || o.State != store.OperationCanceled || o.FinishedAt.IsZero() || o.Done != began.Done {
				t.Errorf("the operation is %+v, %v", o, err)
			}
		}
		rows, _, err := inspector.Audit.List(k.ctx, store.AuditFilter{Action: "operation.cancel"}, store.Page{})
		if err != nil || len(rows) != 1 || rows[0].Subject != "operation/"+result.Operation || string(rows[0].Before) != `{"state":"running"}` {
			t.Errorf("the audit log has %+v, %v", rows, err)
		}
		if _, err := inspector.Operations.Resume(k.ctx, result.Operation); !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			t.Errorf("resumed: %v", err)
		}
		k.after(2 * time.Minute)
		if status, err := inspector.Store.Encryption(k.ctx); err != nil || len(status.Operations) != 0 {
			t.Errorf("the node says %+v, %v", status, err)
		}
		other := k.open(k.store.Handle(), outlast.WithEncryption(keys("k1")))
		if err := other.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.after(time.Minute)
		o, err := other.Inspector().Operations.Get(k.ctx, result.Operation)
		request, _ := dead.RequestOf(o)
		if err != nil || o.State != store.OperationCanceled || request == nil || request.Rate != 0.5 {
			t.Errorf("where the key is it is %+v, %+v, %v", o, request, err)
		}
		_ = victim.Stop(k.ctx) // its store is gone
	})
}

// An operation whose request is encrypted with a key that a node lacks is left to those
// that have it, however long that takes, and the node says what it waits for.
func TestOperationOfAnotherKey(t *testing.T) {
	virtually(t, func(k *kit) {
		p := &patient{}
		k.dying(p, 30) // k.client has no key, and is there before the first
		handle := k.store.Handle()
		victim, err := outlast.Open(k.ctx, handle, outlast.WithEncryption(keys("k1")))
		if err != nil {
			t.Fatal(err)
		}
		if err := victim.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		result, err := victim.Inspector().Letters.Redrive(k.ctx, inspect.RedriveRequest{Filter: &store.Filter{}, Rate: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		k.after(3 * time.Second)
		began, err := victim.Inspector().Operations.Get(k.ctx, result.Operation)
		if err != nil {
			t.Fatal(err)
		}
		handle.Kill()
		p.cured(nil)
		k.after(10 * time.Minute)
		if n := len(k.log.events(t, "operation.unreadable")); n != 1 {
			t.Errorf("%d lines in the log in 10 minutes", n)
		}
		left, err := k.client.Inspector().Operations.Get(k.ctx, result.Operation)
		if err != nil || left.State != store.OperationRunning || left.Node != began.Node {
			t.Errorf("the operation is %+v, %v", left, err)
		}
		if progress, ok := dead.ProgressOf(left); !ok || !strings.Contains(progress.Waiting, "encryption key") {
			t.Errorf("it waits for %q", progress.Waiting)
		}
		if status, err := k.client.Inspector().Store.Encryption(k.ctx); err != nil || status.Operations["k1"] != 1 {
			t.Errorf("the node says %+v, %v", status, err)
		}
		if _, err := k.client.Inspector().Operations.Pause(k.ctx, result.Operation); !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
			t.Errorf("paused where the key is missing: %v", err)
		}
		other := k.open(k.store.Handle(), outlast.WithEncryption(keys("k1")))
		if err := other.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.after(5 * time.Minute)
		if o, err := other.Inspector().Operations.Get(k.ctx, result.Operation); err != nil || o.State != store.OperationDone || o.Node == began.Node {
			t.Errorf("with a node that has the key it is %+v, %v", o, err)
		}
		_ = victim.Stop(k.ctx) // its store is gone
	})
}

// TestMissingKeyAlerts: tasks that do not open on any node are told of, by key and with
// those of all nodes, and when it is over.
func TestMissingKeyAlerts(t *testing.T) {
	box := &inbox{}
	virtually(t, func(k *kit) {
		fine := func(context.Context, string) error { return nil }
		outlast.Handle(k.client, "pay", fine)
		k.start()
		other := k.open(k.store.Handle(), outlast.WithLogger(k.log.logger()))
		outlast.Handle(other, "pay", fine)
		if err := other.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.putRule(`{"name": "many", "on": "key", "when": "key == \"k1\" && waiting == 40", "channels": ["box"]}`)
		sealing, err := sealed.Wrap(k.store, sealed.Keys{Secrets: map[string][]byte{"k1": bytes.Repeat([]byte{1, 7}, 16)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		queues, err := k.client.Inspector().Queues.List(k.ctx)
		if err != nil {
			t.Fatal(err)
		}
		var inserts []store.Insert
		for i := range 40 {
			lane := queues[0].Numbers[i%len(queues[0].Numbers)]
			inserts = append(inserts, store.Insert{Task: &task.Task{ID: outlast.NewID().WithLane(lane), Queue: queues[0].Name, Type: "pay", Target: "pay", Payload: []byte(`"canary"`)}})
		}
		if _, err := sealing.Enqueue(k.ctx, []store.Batch{{Items: inserts}}); err != nil {
			t.Fatal(err)
		}
		k.after(5 * time.Minute)
		if told := box.of("many"); len(told) != 1 || told[0].Subject != "k1" || told[0].Text != "40 tasks cannot be read for want of the encryption key k1" {
			t.Errorf("of all nodes: %+v", told)
		}
		if told := ruled(k.log.events(t, "alert"), "missing_key"); len(told) == 0 {
			t.Errorf("the built-in rule: %v", told)
		}
		for i := range inserts {
			if _, err := k.client.Inspector().Tasks.Cancel(k.ctx, inserts[i].Task.ID); err != nil {
				t.Fatal(err)
			}
		}
		k.after(20 * time.Minute)
		if told := box.of("many"); len(told) == 0 || told[len(told)-1].Kind != alert.Recovered {
			t.Errorf("when it is over: %+v", told)
		}
	}, outlast.WithAlertFunc("box", box.send))
}

// Whoever reads the database cannot try out what an error has said: the fingerprint needs
// the key. It is the same wherever this node tells of it, and in the letters' groups.
func TestFingerprintsNeedTheKey(t *testing.T) {
	const text = "no account for alice@example.com"
	prints := map[string]string{}
	for name, options := range map[string][]outlast.Option{"clear": nil, "k1": {encryption("k1", 1)}, "k2": {encryption("k2", 2)}} {
		virtually(t, func(k *kit) {
			outlast.Handle(k.client, "pay", func(context.Context, string) error { return errors.New(text) }, outlast.MaxAttempts(1))
			k.start()
			one, other := k.enqueue(outlast.Draft{Type: "pay"}), k.enqueue(outlast.Draft{Type: "pay"})
			k.after(time.Minute)
			view := k.get(one.ID)
			made := view.LastError.Fingerprint
			groups, err := k.client.Inspector().Letters.Groups(k.ctx, store.Filter{}, 10)
			if err != nil || len(groups) != 1 || groups[0].Fingerprint != made || groups[0].Count != 2 || k.get(other.ID).LastError.Fingerprint != made {
				t.Errorf("%s: %s in groups %+v, %v", name, made, groups, err)
			}
			guess := *view.LastError
			guess.Message = text
			if unkeyed := task.Fingerprint("pay", &guess); (made == unkeyed) != (name == "clear") || len(made) != len(unkeyed) {
				t.Errorf("%s: the fingerprint is %s, and a guess of the text has %s", name, made, unkeyed)
			}
			prints[made] = name
			for _, told := range k.log.events(t, "attempt.failed") {
				if told["fingerprint"] != made {
					t.Errorf("%s: the log has %v", name, told)
				}
			}
		}, options...)
	}
	if len(prints) != 3 {
		t.Errorf("fingerprints are %v", prints)
	}
}
