package keeper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// desk is a keeper whose tasks the test runs by hand, in virtual time.
type desk struct {
	*testing.T
	*Keeper
	store *memory.Store
	got   []alert.Message
	fail  error
}

type loneNode struct{ queue store.Queue }

func (n *loneNode) Wake(...uint16)                        {}
func (n *loneNode) Topology() *store.Topology             { return &store.Topology{} }
func (n *loneNode) Node() string                          { return "n" }
func (n *loneNode) Queue(name string) (store.Queue, bool) { return n.queue, name == alerts.Queue }

// What two vendors let through.
var (
	perSecond1  = alerts.Settings{Timeout: alerts.DefaultTimeout, Limits: []alerts.Limit{alerts.PerSecond(1)}}
	perMinute20 = alerts.Settings{Timeout: alerts.DefaultTimeout, Limits: []alerts.Limit{alerts.PerMinute(20)}}
)

func onDesk(t *testing.T, settings alerts.Settings, body func(d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &desk{T: t, store: memory.New()}
		queue, err := d.store.PutQueue(t.Context(), store.Queue{Name: alerts.Queue, Lanes: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.store.Change(t.Context(), store.Change{Put: []store.Object{{Kind: alerts.KindChannel, Name: "ops", Body: []byte(`{}`)}}}); err != nil {
			t.Fatal(err)
		}
		d.Keeper = New(Config{
			Backend: d.store, Node: &loneNode{*queue}, Logger: slog.New(slog.DiscardHandler),
			Read: func([]byte) (alerts.Settings, error) { return settings, nil },
			Open: func(string, []byte) (alert.Channel, error) {
				return alert.ChannelFunc(func(_ context.Context, m *alert.Message) error {
					if d.fail != nil {
						return d.fail
					}
					d.got = append(d.got, *m)
					return nil
				}), nil
			},
		})
		if err := d.Book.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		body(d)
	})
}

// send hands a message over as the task of a delivery would.
func (d *desk) send(subject string) {
	d.Helper()
	id := task.NewID(time.Now(), random{})
	payload, _ := json.Marshal(delivery{Message: &alert.Message{ID: id.String(), Kind: alert.Raised, Rule: "r", Subject: subject, At: time.Now()}})
	if _, err := d.Sender.Send(d.Context(), id, "ops", payload); err != nil {
		d.Fatal(err)
	}
}

// work runs what is due in the queue, as the engine would, until time.
func (d *desk) work(until time.Duration) {
	d.Helper()
	done := map[task.ID]bool{}
	for end := time.Now().Add(until); time.Now().Before(end); time.Sleep(100 * time.Millisecond) { // sleep: virtual time
		tasks, _, err := d.store.Find(d.Context(), store.Filter{Queue: alerts.Queue, State: task.Pending}, store.Page{Limit: 500})
		if err != nil {
			d.Fatal(err)
		}
		for _, t := range tasks {
			if done[t.ID] || t.RunAt.After(time.Now()) || !strings.HasPrefix(t.Type, alerts.SendType("")) {
				continue
			}
			_, err := d.Sender.Send(d.Context(), t.ID, "ops", t.Payload)
			if later, ok := errors.AsType[*Later](err); ok {
				_, err = d.store.Reschedule(d.Context(), t.ID, time.Now().Add(later.After))
			} else {
				done[t.ID] = true
			}
			if err != nil {
				d.Fatal(err)
			}
		}
	}
}

// TestVendorsRateIsKept: 100 messages within a second, of which DingTalk takes
// 20 a minute. The rest is one message that counts and names.
func TestVendorsRateIsKept(t *testing.T) {
	t.Parallel()
	onDesk(t, perMinute20, func(d *desk) {
		for i := range 100 {
			d.send(fmt.Sprint("s", i))
		}
		if len(d.got) != 20 {
			t.Fatalf("%d were sent at once", len(d.got))
		}
		d.work(5 * time.Minute)
		if len(d.got) != 21 {
			t.Fatalf("%d messages", len(d.got))
		}
		if m := d.got[20]; m.HeldBack != 80 || len(m.Names) != 20 || !strings.Contains(m.Names[0], "s20") || m.Kind != alert.Held {
			t.Errorf("%+v", m)
		}
	})
}

// TestRaiseThatIsRepeatedTellsOnce: a process died between the change of the state
// and the end of the task, and any number of other alerts came since.
func TestRaiseThatIsRepeatedTellsOnce(t *testing.T) {
	t.Parallel()
	onDesk(t, perSecond1, func(d *desk) {
		ids, payloads := make([]task.ID, 300), make([][]byte, 300)
		raise := func(i int) {
			if err := d.Teller.Raise(d.Context(), ids[i], payloads[i]); err != nil {
				d.Fatal(err)
			}
		}
		for i := range ids {
			ids[i] = task.NewID(time.Now(), random{})
			payloads[i], _ = json.Marshal(raised{Askers: []asker{{Account: "r", Rule: "r", Channels: []string{"ops"}}}, Message: &alert.Message{ID: ids[i].String(), Kind: alert.Raised, Rule: "r", Subject: "s", At: time.Now()}})
			raise(i)
		}
		time.Sleep(time.Second) // sleep: virtual time
		for i := range ids {
			raise(i)
		}
		messages, err := d.store.Count(d.Context(), store.Filter{Queue: alerts.Queue, Type: alerts.SendType("ops")}, 10_000)
		if err != nil || messages != len(ids) {
			t.Errorf("%d messages of %d alerts, %v", messages, len(ids), err)
		}
	})
}

// TestUnknownChannelIsNotTheEnd: a task may misspell a channel. Who is told otherwise is
// told too, and of the name.
func TestUnknownChannelIsNotTheEnd(t *testing.T) {
	t.Parallel()
	for usual, wants := range map[bool]string{true: "ops", false: alerts.LogChannel} {
		settings := perSecond1
		settings.Default = usual
		onDesk(t, settings, func(d *desk) {
			id := task.NewID(time.Now(), random{})
			payload, _ := json.Marshal(raised{Askers: []asker{{Account: "r", Rule: "r", Channels: []string{"opps"}}}, Message: &alert.Message{ID: id.String(), Kind: alert.Raised, Rule: "r", Subject: "s", At: time.Now()}})
			if err := d.Teller.Raise(d.Context(), id, payload); err != nil {
				d.Fatal(err)
			}
			for _, channel := range []string{"opps", wants} {
				tasks, _, err := d.store.Find(d.Context(), store.Filter{Queue: alerts.Queue, Type: alerts.SendType(channel)}, store.Page{})
				if err != nil || len(tasks) != 1 {
					d.Fatalf("%d messages to %s, %v", len(tasks), channel, err)
				}
				if named := strings.Contains(string(tasks[0].Payload), "no such channel"); named != (channel == wants) {
					d.Errorf("%s: %s", channel, tasks[0].Payload)
				}
			}
		})
	}
}

// TestOneMessageTooManyStaysItself: nothing is gained by a collection of one.
func TestOneMessageTooManyStaysItself(t *testing.T) {
	t.Parallel()
	onDesk(t, perSecond1, func(d *desk) {
		d.send("a")
		d.send("b")
		d.work(time.Minute)
		if len(d.got) != 2 || d.got[1].Subject != "b" || d.got[1].HeldBack != 0 {
			t.Errorf("%+v", d.got)
		}
	})
}

// TestRulesThatCannotBeReadChangeNothingElse: they are named.
func TestRulesThatCannotBeReadChangeNothingElse(t *testing.T) {
	t.Parallel()
	b := newEdition(alerts.Builtin(1), []store.Object{
		{Kind: alerts.KindRule, Name: "odd", Body: []byte(`{"on": "tomorrow"}`)}, {Kind: alerts.KindRule, Name: "mine", Body: []byte(`{"on": "dead"}`)},
		{Kind: alerts.KindRule, Name: "exhausted", Body: []byte(`{"on": "dead", "disabled": true}`)}, {Kind: alerts.KindChannel, Name: "c", Body: []byte(`{}`)},
	}, func([]byte) (alerts.Settings, error) { return alerts.Settings{}, errors.New("no kind") })
	if len(b.wrong) != 2 || b.wrong["rule/odd"] == nil || b.wrong["channel/c"] == nil {
		t.Errorf("%v", b.wrong)
	}
	var names []string
	for _, rule := range b.rules[alert.OnDead] {
		names = append(names, rule.Name)
	}
	if got := strings.Join(names, " "); got != "crash_loop died follow_up_dead mine" || b.builtin["exhausted"] {
		t.Errorf("%s, built in: %v", got, b.builtin)
	}
}

// TestIncompleteTasksAreRefused: they may be of another release. None is the end of the
// process, and none is tried again.
func TestIncompleteTasksAreRefused(t *testing.T) {
	t.Parallel()
	onDesk(t, perSecond1, func(d *desk) {
		_, sent := d.Sender.Send(d.Context(), task.ID{}, "ops", []byte(`{}`))
		for what, err := range map[string]error{
			"a raise without rules": d.Teller.Raise(d.Context(), task.ID{}, []byte(`{"message": {"rule": "r"}}`)), "a delivery without a message": sent,
			"no JSON": d.Teller.Digest(d.Context(), task.ID{}, []byte(`x`)),
		} {
			if !errors.Is(err, &task.Error{Code: task.CodeInvalid}) {
				t.Errorf("%s: %v", what, err)
			}
		}
	})
}

// TestWhatIsReadLastHolds: who reads the configuration slowly does not bring back what
// it was before.
func TestWhatIsReadLastHolds(t *testing.T) {
	t.Parallel()
	slow := &slowStore{Backend: memory.New(), read: make(chan struct{}), goOn: make(chan struct{})}
	k := New(Config{Backend: slow, Node: &loneNode{}, Logger: slog.New(slog.DiscardHandler)})
	var loads sync.WaitGroup
	load := func() {
		if err := k.Book.Load(t.Context()); err != nil {
			t.Error(err)
		}
	}
	loads.Go(load)
	<-slow.read
	if _, err := slow.Backend.Change(t.Context(), store.Change{Put: []store.Object{{Kind: alerts.KindRule, Name: "mine", Body: []byte(`{"on": "dead"}`)}}}); err != nil {
		t.Fatal(err)
	}
	later := make(chan struct{})
	loads.Go(func() {
		load()
		close(later)
	})
	select {
	case <-later: // the other one must not come after it
	case <-time.After(200 * time.Millisecond):
	}
	close(slow.goOn)
	loads.Wait()
	if !slices.ContainsFunc(k.Book.edition.Load().all, func(r alert.Rule) bool { return r.Name == "mine" }) {
		t.Error("the rule was there, and is gone")
	}
}

// slowStore waits with the answer to the first question for rules.
type slowStore struct {
	store.Backend
	once       sync.Once
	read, goOn chan struct{}
}

func (s *slowStore) Objects(ctx context.Context, kind string) ([]store.Object, error) {
	objects, err := s.Backend.Objects(ctx, kind)
	s.once.Do(func() {
		close(s.read)
		<-s.goOn
	})
	return objects, err
}

// TestNothingIsRaisedAboutAlerts, or a channel that fails would raise for ever.
func TestNothingIsRaisedAboutAlerts(t *testing.T) {
	t.Parallel()
	onDesk(t, alerts.Settings{Timeout: alerts.DefaultTimeout}, func(d *desk) {
		s := settlement(task.OutcomeDead, task.Exhausted)
		if inserts := d.Events.OnFailure(s, 3, nil); len(inserts) != 1 {
			t.Errorf("%d tasks for a death", len(inserts))
		}
		s.Task.Queue = alerts.Queue
		if inserts := d.Events.OnFailure(s, 3, nil); inserts != nil {
			t.Errorf("%+v", inserts)
		}
	})
}

func BenchmarkBesideWithoutRules(b *testing.B) {
	k := New(Config{Logger: slog.New(slog.DiscardHandler)})
	s := settlement(task.OutcomeFailed, "")
	b.ReportAllocs()
	for b.Loop() {
		k.Events.OnFailure(s, 3, nil)
	}
}

// settlement is the end of an attempt that failed.
func settlement(outcome task.Outcome, reason task.DeadReason) *store.Settlement {
	return &store.Settlement{
		Task:    &task.Task{Type: "mail.send", Queue: "mail", Target: "smtp.example.com", Attempt: 3},
		Outcome: outcome, DeadReason: reason, EndedAt: time.Now(), RunAt: time.Now().Add(2 * time.Second),
		Failure: &task.Failure{Category: "unavailable", Code: "503", Message: "down"},
	}
}
