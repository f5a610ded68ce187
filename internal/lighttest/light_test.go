package lighttest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/policy"
	"github.com/outlast-dev/outlast/internal/serving"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// log is what a client says.
type log struct{ bytes.Buffer }

// dies starts a client on a store, lets a task die, and returns what is told of it.
func dies(t *testing.T, backend *memory.Store, said *log, draft outlast.Draft) (told []string) {
	t.Helper()
	messages := make(chan *alert.Message, 10)
	client, err := outlast.Open(t.Context(), backend.Handle(),
		outlast.WithLogger(slog.New(slog.NewTextHandler(said, nil))),
		outlast.WithAlertFunc("pager", func(_ context.Context, m *alert.Message) error { messages <- m; return nil }))
	if err != nil {
		t.Fatal(err)
	}
	outlast.Handle(client, "pay", func(context.Context, struct{}) error { return errors.New("no") }, outlast.MaxAttempts(1))
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	draft.Type = "pay"
	if _, err := client.Enqueue(t.Context(), draft); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Second)
	if err := client.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	close(messages)
	for m := range messages {
		told = append(told, m.Rule)
	}
	return told
}

// Deaths are told of by the built-in rules, and by the alert of a task, without any
// language of conditions.
func TestDeathsAreToldOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said, backend := &log{}, memory.New()
		if told := dies(t, backend, said, outlast.Draft{Alert: json.RawMessage(`{"channels": ["pager"]}`)}); len(told) != 1 || told[0] != "task" {
			t.Errorf("%q", told)
		}
		if !strings.Contains(said.String(), "rule=exhausted") {
			t.Errorf("the log was not told by the built-in rule:\n%s", said)
		}
	})
}

// What other programs have stored and this one cannot read is not lost: it says so, and
// tells of deaths.
func TestWhatOthersHaveStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said, backend := &log{}, memory.New()
		if _, err := backend.Change(t.Context(), store.Change{Put: []store.Object{{
			Kind: alerts.KindRule, Name: "mine", Body: []byte(`{"on": "dead", "when": "attempt > 7", "channels": ["pager"]}`),
		}}}); err != nil {
			t.Fatal(err)
		}
		told := dies(t, backend, said, outlast.Draft{})
		if len(told) != 0 || !strings.Contains(said.String(), "rule/mine") || !strings.Contains(said.String(), "outlast/cel") {
			t.Errorf("told by %q; the log:\n%s", told, said)
		}
	})
}

// A built-in rule that others have given channels, or turned off, is as they have it.
func TestBuiltinRulesAsOthersHaveThem(t *testing.T) {
	for body, want := range map[string]bool{
		`{"on": "dead", "when": "reason == \"exhausted\"", "channels": ["pager"]}`: true,
		`{"on": "dead", "when": "reason == \"exhausted\"", "disabled": true}`:      false,
	} {
		synctest.Test(t, func(t *testing.T) {
			said, backend := &log{}, memory.New()
			if _, err := backend.Change(t.Context(), store.Change{Put: []store.Object{{Kind: alerts.KindRule, Name: "exhausted", Body: []byte(body)}}}); err != nil {
				t.Fatal(err)
			}
			told := dies(t, backend, said, outlast.Draft{})
			if (len(told) == 1 && told[0] == "exhausted") != want || strings.Contains(said.String(), "rule=exhausted") || strings.Contains(said.String(), "outlast/cel") {
				t.Errorf("%s: told by %q; the log:\n%s", body, told, said)
			}
		})
	}
}

// A task that others have accepted with a condition in its own policy goes by the rest of
// that policy.
func TestInlinePolicyOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said, backend := &log{}, memory.New()
		client, err := outlast.Open(t.Context(), backend, outlast.WithLogger(slog.New(slog.NewTextHandler(said, nil))))
		if err != nil {
			t.Fatal(err)
		}
		ran := 0
		outlast.Handle(client, "pay", func(context.Context, struct{}) error { ran++; return errors.New("no") })
		if err := client.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		defer client.Stop(context.WithoutCancel(t.Context()))
		queues, err := client.Inspector().Queues.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(queues, func(q store.Queue) bool { return q.Name == task.DefaultQueue })
		given := &task.Task{ID: outlast.NewID().WithLane(queues[at].Numbers[0]), Queue: task.DefaultQueue, Type: "pay", Target: "pay", Payload: []byte("{}")}
		given.Spec.Retry = json.RawMessage(`{"max_attempts": 3, "backoff": {"kind": "fixed", "initial": "1s"}, "rules": [{"when": "attempt > 7", "then": "dead"}]}`)
		if _, err := backend.Enqueue(t.Context(), []store.Batch{{Items: []store.Insert{{Task: given}}}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if ran != 3 || strings.Count(said.String(), "policy.unreadable") != 1 || !strings.Contains(said.String(), "outlast/cel") {
			t.Errorf("it ran %d times; the log:\n%s", ran, said)
		}
	})
}

// A condition and a channel that this program cannot read are refused, with what to import.
func TestWhatIsMissingIsNamed(t *testing.T) {
	backend := memory.New()
	_, err := outlast.Open(t.Context(), backend, outlast.WithAllQueues())
	wants(t, err, "server", "outlast/cel")
	client, err := outlast.Open(t.Context(), backend)
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer client.Stop(context.WithoutCancel(t.Context()))
	_, err = client.Enqueue(t.Context(), outlast.Draft{Type: "pay", Alert: json.RawMessage(`{"when": "attempt > 1"}`)})
	wants(t, err, "alert.when", "outlast/cel")
	sent := outlast.Draft{Type: "pay"}
	serving.SetRetry(&sent, json.RawMessage(`{"rules": [{"when": "status == 409", "action": "dead"}]}`))
	_, err = client.Enqueue(t.Context(), sent)
	wants(t, err, "retry.rules[0].when", "outlast/cel")
	_, err = client.Enqueue(t.Context(), outlast.Draft{Target: &task.Request{URL: "https://example.com", Success: "status == 200"}})
	wants(t, err, "target.success", "outlast/cel")
	if _, err := backend.Change(t.Context(), store.Change{Put: []store.Object{{
		Kind: policy.Kind, Name: "others", Body: []byte(`{"rules": [{"when": "attempt > 7", "then": "dead"}]}`),
	}}}); err != nil {
		t.Fatal(err)
	}
	_, err = client.Enqueue(t.Context(), outlast.Draft{Type: "pay", Policy: "others"})
	wants(t, err, "policy", "outlast/cel")

	spec := &alert.ChannelSpec{Name: "mail", Kind: alert.ToEmail, Address: "smtp.example.com:587", From: "a@example.com", To: []string{"b@example.com"}}
	if err := channel.Check(spec); err != nil {
		t.Fatal(err)
	}
	for _, rule := range alerts.Builtin(7) {
		if err := alerts.CheckRule(&rule); err != nil {
			t.Errorf("%s: %v", rule.Name, err)
		}
	}
	if _, err := channel.New(spec, channel.Options{Trusted: true}); err == nil || !strings.Contains(err.Error(), "alert/email") {
		t.Error(err)
	}
}

// wants looks for a field and for a hint in an error.
func wants(t *testing.T, err error, field, hint string) {
	t.Helper()
	refused, ok := errors.AsType[*task.Error](err)
	if !ok {
		t.Fatalf("%s: %v", field, err)
	}
	for _, f := range refused.Fields {
		if f.Path == field && strings.Contains(f.Message+refused.Hint, hint) {
			return
		}
	}
	t.Errorf("%s, %s: %v %+v", field, hint, err, refused)
}
