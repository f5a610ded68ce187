package outlast_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/alerts"
	"github.com/outlast-dev/outlast/internal/channel"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/internal/serving"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// inbox is a channel that keeps what it is told.
type inbox struct {
	mu   sync.Mutex
	got  []alert.Message
	fail error
}

func (b *inbox) send(_ context.Context, m *alert.Message) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fail != nil {
		return b.fail
	}
	b.got = append(b.got, *m)
	return nil
}

func (b *inbox) failWith(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.fail = err
}

// of are the messages of a rule.
func (b *inbox) of(rule string) (found []alert.Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.got {
		if m.Rule == rule {
			found = append(found, m)
		}
	}
	return found
}

func (k *kit) putRule(rule string) {
	k.Helper()
	parsed, err := alerts.ParseRule([]byte(rule))
	if err != nil {
		k.Fatal(err)
	}
	if _, err := k.client.Inspector().Alerts.Rules.Put(k.ctx, *parsed); err != nil {
		k.Fatal(err)
	}
}

// once lets a task die with its first failure, whatever happened before it.
func once(d *outlast.Draft) {
	d.Retry = inline(`{"max_attempts": 1, "breaker": "none", "budget": "none"}`)
}

func failing(context.Context, json.RawMessage) error { return errors.New("no") }

func TestDeathAlertsOnceACooldownAndNamesTheRest(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "mail", failing)
		k.start()
		k.putRule(`{"name": "exhausted", "on": "dead", "when": "reason == \"exhausted\" && type == \"mail\"", "channels": ["box"]}`)
		var ids []string
		for range 30 {
			d := outlast.Draft{Type: "mail"}
			once(&d)
			ids = append(ids, k.enqueue(d).ID.String())
			k.after(time.Second)
		}
		told := box.of("exhausted")
		if len(told) != 1 || told[0].Kind != alert.Raised || told[0].Subject != "mail" || told[0].HeldBack != 0 || !strings.Contains(told[0].Text, "mail died after 1 attempt: exhausted") {
			t.Fatalf("%+v", told)
		}
		k.after(5 * time.Minute)
		if told = box.of("exhausted"); len(told) != 2 || told[1].HeldBack != 29 {
			t.Fatalf("%+v", told)
		}
		for _, name := range told[1].Names {
			if !slices.Contains(ids[1:], name) {
				t.Errorf("%s was not held back", name)
			}
		}
		if len(told[1].Names) != 20 {
			t.Errorf("%d are named", len(told[1].Names))
		}
		if gap := told[1].At.Sub(told[0].At); gap < 5*time.Minute-time.Second || gap > 5*time.Minute+10*time.Second {
			t.Errorf("the second message came %s after the first", gap)
		}
		k.after(11 * time.Minute)
		if told = box.of("exhausted"); len(told) != 2 {
			t.Errorf("%+v", told[2:])
		}
	}, outlast.WithAlertFunc("box", box.send))
}

func TestAlertOfATask(t *testing.T) {
	t.Parallel()
	box, fromType := &inbox{}, &inbox{}
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "job", failing, outlast.Interval(time.Second), outlast.MaxAttempts(6),
			outlast.AlertWhen("attempt > 1 && attempt < 5"), outlast.AlertTo(fromType.send))
		k.start()
		k.enqueue(outlast.Draft{Type: "job"})
		own := k.enqueue(outlast.Draft{Type: "job", Alert: json.RawMessage(`{"channels": ["box"], "cooldown": "0s"}`)})
		k.enqueue(sent(outlast.Draft{Type: "job"}, `{"max_attempts": 1, "alert": {"when": "event == \"dead\"", "channels": ["box"], "cooldown": "0s"}}`))
		k.after(30 * time.Minute)
		var heard []string
		for _, m := range fromType.of("task") {
			heard = append(heard, m.Text)
		}
		// Attempts 2, 3 and 4 of one task are one subject: one message, and one of
		// what was held back.
		if len(heard) != 2 || !strings.Contains(heard[0], "failed at attempt 2") || fromType.of("task")[1].HeldBack != 2 {
			t.Errorf("the type's: %q", heard)
		}
		told := box.of("task")
		if len(told) != 2 || told[0].Fields[0].Value != own.ID.String() && told[1].Fields[0].Value != own.ID.String() {
			t.Errorf("the tasks': %+v", told)
		}
	}, outlast.WithAlertFunc("box", box.send))
}

func TestBadAlertsAreRefused(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		k.start()
		_, err := k.client.Enqueue(k.ctx, outlast.Draft{Type: "a", Alert: json.RawMessage(`{"when": "attemt > 1", "channel": ["x"]}`)})
		e := wantCode(t, err, task.CodeInvalid)
		if len(e.Fields) != 2 || e.Fields[0].Path != "alert.channel" || e.Fields[1].Path != "alert.when" {
			t.Errorf("%+v", e.Fields)
		}
		_, err = k.client.Enqueue(k.ctx, sent(outlast.Draft{Type: "a"}, `{"alert": {"cooldown": 5}}`))
		if e = wantCode(t, err, task.CodeInvalid); e.Fields[0].Path != "retry.alert.cooldown" {
			t.Errorf("%+v", e.Fields)
		}
		_, err = k.client.Inspector().Alerts.Rules.Put(k.ctx, alert.Rule{Name: "r", On: alert.OnDead, Channels: []string{"nobody"}})
		if e = wantCode(t, err, task.CodeInvalid); e.Fields[0].Path != "channels[0]" {
			t.Errorf("%+v", e.Fields)
		}
		_, err = k.client.Inspector().Alerts.Channels.Put(k.ctx, alert.ChannelSpec{Name: "c", Kind: alert.ToWeCom, URLFile: "/etc/passwd"})
		if e = wantCode(t, err, task.CodeInvalid); !strings.Contains(e.Error(), "configuration file") {
			t.Error(e)
		}
	})
}

// TestUnknownChannelsAreRefused: a misspelled channel would not be noticed before the
// task is dead.
func TestUnknownChannelsAreRefused(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		k.start()
		other := k.open(k.store.Handle(), outlast.WithAlertFunc("pager", (&inbox{}).send))
		inspector, to := k.client.Inspector(), func(channel string) json.RawMessage {
			return json.RawMessage(`{"channels": ["log", "` + channel + `"]}`)
		}
		refused := func(path string, err error) {
			k.Helper()
			e := wantCode(k.T, err, task.CodeInvalid)
			if len(e.Fields) != 1 || e.Fields[0].Path != path || e.Hint != "did you mean ops?" {
				k.Errorf("%+v, %s; want %s", e.Fields, e.Hint, path)
			}
		}
		k.enqueue(outlast.Draft{Type: "a", Alert: to("opps")}) // nobody has any: it may be to come
		spec, _ := channel.Parse([]byte(`{"name": "ops", "kind": "log"}`))
		if _, err := inspector.Alerts.Channels.Put(k.ctx, *spec); err != nil {
			k.Fatal(err)
		}
		_, err := k.client.Enqueue(k.ctx, outlast.Draft{Type: "a", Alert: to("opps")})
		refused("alert.channels[1]", err)
		_, err = k.client.Enqueue(k.ctx, sent(outlast.Draft{Type: "a"}, `{"alert": `+string(to("opps"))+`}`))
		refused("retry.alert.channels[1]", err)
		_, _, err = inspector.Policies.Put(k.ctx, inspect.PolicyChange{Name: "p", Form: json.RawMessage(`{"alert": ` + string(to("opps")) + `}`)})
		refused("alert.channels[1]", err)
		s := inspect.Schedule{Name: "s", Every: time.Minute, Task: inspect.ScheduledTask{Type: "a", Retry: json.RawMessage(`{"alert": ` + string(to("opps")) + `}`)}}
		_, err = inspector.Schedules.Put(k.ctx, s)
		refused("task.retry.alert.channels[1]", err)

		// The function of another node, and a channel that a node has just put.
		if err := other.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		k.after(2 * time.Second)
		k.enqueue(outlast.Draft{Type: "a", Alert: to("pager")})
		spec.Name = "night"
		if _, err := other.Inspector().Alerts.Channels.Put(k.ctx, *spec); err != nil {
			k.Fatal(err)
		}
		k.enqueue(outlast.Draft{Type: "a", Alert: to("night")})

		// One that has gone keeps no schedule from its ticks.
		s.Task.Retry = json.RawMessage(`{"alert": ` + string(to("night")) + `}`)
		if _, err := inspector.Schedules.Put(k.ctx, s); err != nil {
			k.Fatal(err)
		}
		if err := inspector.Alerts.Channels.Delete(k.ctx, "night"); err != nil {
			k.Fatal(err)
		}
		k.after(2 * time.Minute)
		if view, err := inspector.Schedules.Get(k.ctx, "s"); err != nil || view.LastTask.IsZero() {
			k.Errorf("%+v, %v", view, err)
		}
		if _, _, err := inspector.Schedules.Trigger(k.ctx, "s", outlast.ID{}); err != nil {
			k.Error(err)
		}
	})
}

// TestAlertsSurviveTheDeathOfTheirNode kills nodes at every step between a
// death and its message. Nothing is lost, and nothing told twice.
func TestAlertsSurviveTheDeathOfTheirNode(t *testing.T) {
	t.Parallel()
	for step := range 12 {
		t.Run(fmt.Sprint(step), func(t *testing.T) {
			t.Parallel()
			box, stuck := &inbox{}, &inbox{}
			virtually(t, func(k *kit) {
				handle := k.store.Handle()
				victim, err := outlast.Open(k.ctx, handle, outlast.WithAlertFunc("box", func(ctx context.Context, m *alert.Message) error {
					if step < 8 {
						return stuck.send(ctx, m) // the victim delivers nothing
					}
					return box.send(ctx, m)
				}))
				if err != nil {
					t.Fatal(err)
				}
				stuck.failWith(errors.New("not yet"))
				outlast.Handle(victim, "mail", failing)
				if err := victim.Start(k.ctx); err != nil {
					t.Fatal(err)
				}
				if _, err := victim.Inspector().Alerts.Rules.Put(k.ctx, alert.Rule{Name: "died", On: alert.OnDead, Channels: []string{"box"}, Cooldown: ptr(retry.Duration(time.Minute))}); err != nil {
					t.Fatal(err)
				}
				for range 5 {
					d := outlast.Draft{Type: "mail"}
					once(&d)
					if _, err := victim.Enqueue(k.ctx, d); err != nil {
						t.Fatal(err)
					}
				}
				k.after(time.Duration(step) * time.Millisecond)
				handle.Kill()
				outlast.Handle(k.client, "mail", failing)
				k.start()
				k.after(10 * time.Minute)
				_ = victim.Stop(k.ctx) // it is dead
				letters := k.deadCount("mail")
				total, seen := 0, map[string]bool{}
				for _, m := range box.of("died") {
					if seen[m.ID] {
						continue // delivered again, under the same id: the channel's answer was lost
					}
					seen[m.ID] = true
					if m.Kind == alert.Raised {
						total++
					}
					total += m.HeldBack
				}
				if letters != 5 || total != 5 {
					t.Errorf("%d letters, told of %d: %+v", letters, total, box.of("died"))
				}
			}, outlast.WithAlertFunc("box", box.send))
		})
	}
}

func (k *kit) deadCount(taskType string) int {
	k.Helper()
	stats, err := k.store.DeadStats(k.ctx)
	if err != nil {
		k.Fatal(err)
	}
	return stats.ByType[taskType]
}

// TestChannelThatFails: that an alert could not be sent is visible, and it is
// sent when the channel works again.
func TestChannelThatFails(t *testing.T) {
	racetest.WithoutDetector(t)
	t.Parallel()
	box := &inbox{}
	box.failWith(errors.New("no signal"))
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "mail", failing)
		k.start()
		k.putRule(`{"name": "died", "on": "dead", "channels": ["box"]}`)
		d := outlast.Draft{Type: "mail"}
		once(&d)
		k.enqueue(d)
		k.after(time.Minute)
		problems := k.client.Inspector().Alerts.Problems()
		if len(problems) != 1 || !strings.Contains(problems[0], "channel box does not deliver: no signal") {
			t.Errorf("%q", problems)
		}
		if len(k.log.events(t, "alert.undelivered")) == 0 {
			t.Error("the log does not tell")
		}
		events, _, err := k.client.Inspector().Alerts.Events(k.ctx, alert.EventFilter{}, store.Page{})
		if err != nil || !slices.ContainsFunc(events, func(e alert.EventView) bool {
			return e.Channel == "box" && e.State == "pending" && e.Attempts > 0 && strings.Contains(e.Error, "no signal")
		}) {
			t.Errorf("%+v, %v", events, err)
		}
		box.failWith(nil)
		k.after(time.Hour)
		if len(box.of("died")) != 1 || len(k.client.Inspector().Alerts.Problems()) != 0 {
			t.Errorf("%+v, %q", box.of("died"), k.client.Inspector().Alerts.Problems())
		}
	}, outlast.WithAlertFunc("box", box.send))
}

// TestAlertsOfAnotherNode: a message for a channel that only another node can
// reach waits for that node.
func TestAlertsOfAnotherNode(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		owner := k.open(k.store.Handle(), outlast.WithAlertFunc("box", box.send), outlast.WithQueues("other"))
		if err := owner.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := owner.Inspector().Alerts.Rules.Put(k.ctx, alert.Rule{Name: "died", On: alert.OnDead, Channels: []string{"box"}}); err != nil {
			t.Fatal(err)
		}
		outlast.Handle(k.client, "mail", failing)
		k.start()
		for range 3 {
			d := outlast.Draft{Type: "mail"}
			once(&d)
			k.enqueue(d)
			k.after(20 * time.Second)
		}
		k.after(6 * time.Minute)
		told := box.of("died")
		if len(told) != 2 || told[1].HeldBack != 2 {
			t.Errorf("%+v", told)
		}
	})
}

// TestDeadLettersAreToldWhenTheyGrow, with the total and the count per type, by one of
// several nodes, and so is that there are none any more.
func TestDeadLettersAreToldWhenTheyGrow(t *testing.T) {
	racetest.WithoutDetector(t)
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		second := k.open(k.store.Handle(), outlast.WithAlertFunc("box", box.send))
		outlast.Handle(k.client, "mail", failing)
		k.start()
		if err := second.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.putRule(`{"name": "dead_letters", "on": "letters", "when": "total >= 1", "channels": ["box"]}`)
		die := func(letters int) {
			for range letters {
				d := outlast.Draft{Type: "mail"}
				once(&d)
				k.enqueue(d)
			}
			k.after(20 * time.Minute)
		}
		die(3)
		told := box.of("dead_letters")
		if len(told) != 1 || told[0].Text != "there are 3 dead letters" || told[0].Fields[0] != (alert.Field{Name: "mail", Value: "3"}) {
			t.Fatalf("%+v", told)
		}
		die(1)
		if told = box.of("dead_letters"); len(told) != 2 || told[1].Text != "there are 4 dead letters" {
			t.Fatalf("%+v", told)
		}
		if _, err := k.client.Inspector().Letters.Purge(k.ctx, store.Filter{}, false); err != nil {
			t.Fatal(err)
		}
		k.after(20 * time.Minute)
		if told = box.of("dead_letters")[2:]; len(told) != 1 || told[0].Kind != alert.Recovered {
			t.Errorf("%+v", told)
		}
	}, outlast.WithAlertFunc("box", box.send))
}

// TestAlertsWithoutChannelsGoToTheLog, at WARN, and are among the events.
func TestAlertsWithoutChannelsGoToTheLog(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "mail", failing)
		k.start()
		d := outlast.Draft{Type: "mail"}
		once(&d)
		k.enqueue(d)
		k.after(time.Minute)
		told := k.log.events(t, "alert")
		if len(told) == 0 || told[0]["level"] != "WARN" || told[0]["rule"] != "exhausted" || told[0]["type"] != "mail" {
			t.Errorf("%v", told)
		}
		events, _, err := k.client.Inspector().Alerts.Events(k.ctx, alert.EventFilter{}, store.Page{})
		if err != nil || len(events) == 0 || events[len(events)-1].State != "sent" {
			t.Errorf("%+v, %v", events, err)
		}
	})
}

// TestQueueWithoutOwner: nobody works on a queue in which tasks wait.
func TestQueueWithoutOwner(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		k.start()
		if _, err := k.client.Inspector().Queues.Put(k.ctx, store.Queue{Name: "forgotten"}); err != nil {
			t.Fatal(err)
		}
		k.putRule(`{"name": "no_owner", "on": "queue", "when": "!owned && backlog > 0", "for": "1m", "channels": ["box"]}`)
		k.enqueue(outlast.Draft{Type: "a", Queue: "forgotten"})
		k.after(50 * time.Second)
		if told := box.of("no_owner"); len(told) != 0 {
			t.Fatalf("too early: %+v", told)
		}
		k.after(time.Minute)
		told := box.of("no_owner")
		if len(told) != 1 || told[0].Subject != "forgotten" || !strings.Contains(told[0].Text, "no node works on it") {
			t.Fatalf("%+v", told)
		}
		second := k.open(k.store.Handle(), outlast.WithQueues("forgotten"))
		outlast.Handle(second, "a", func(context.Context, json.RawMessage) error { return nil })
		if err := second.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.after(time.Minute)
		if told = box.of("no_owner"); len(told) != 2 || told[1].Kind != alert.Recovered {
			t.Errorf("%+v", told)
		}
	}, outlast.WithAlertFunc("box", box.send))
}

// TestFailureShareOfATarget over two nodes.
func TestFailureShareOfATarget(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		k.start()
		k.putRule(`{"name": "failing", "on": "type", "when": "attempts >= 20 && failure_share > 0.4", "channels": ["box"]}`)
		for _, name := range []string{"one", "two"} {
			node := k.open(k.store.Handle(), outlast.WithQueues(name))
			var n atomic.Int64
			outlast.Handle(node, "job", func(context.Context, json.RawMessage) error {
				if n.Add(1)%2 == 0 {
					return errors.New("no")
				}
				return nil
			})
			if err := node.Start(k.ctx); err != nil {
				t.Fatal(err)
			}
			for range 12 {
				if _, err := node.Enqueue(k.ctx, outlast.Draft{Type: "job", Queue: name, MaxAttempts: ptr(1)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		k.after(time.Minute)
		told := box.of("failing")
		if len(told) != 1 || told[0].Subject != "job" || !strings.Contains(told[0].Text, "24 attempts in the last minute, 50% failed") {
			t.Errorf("%+v", told)
		}
	}, outlast.WithAlertFunc("box", box.send))
}

// TestManySubjectsAtOnce: a storm of failures is no storm of alerts.
func TestManySubjectsAtOnce(t *testing.T) {
	racetest.WithoutDetector(t)
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "mail", failing, outlast.Interval(time.Hour))
		k.start()
		k.putRule(`{"name": "again", "on": "retry", "channels": ["box"]}`)
		const n = 2500
		drafts := make([]outlast.Draft, n)
		for i := range drafts {
			drafts[i] = outlast.Draft{Type: "mail", Retry: inline(`{"max_attempts": 2, "budget": "none", "breaker": "none", "backoff": {"kind": "fixed", "initial": "1h"}}`)}
		}
		if _, err := k.client.EnqueueMany(k.ctx, drafts, true); err != nil {
			t.Fatal(err)
		}
		k.after(20 * time.Minute)
		told := box.of("again")
		total := 0
		for _, m := range told {
			if m.Kind == alert.Raised {
				total++
			}
			total += m.HeldBack
		}
		if total != n || len(told) > 2010 {
			t.Errorf("%d alerts in %d messages", total, len(told))
		}
	}, outlast.WithAlertFunc("box", box.send))
}

func TestChannelsOfObjects(t *testing.T) {
	t.Parallel()
	k := &kit{T: t, ctx: t.Context(), store: memory.New(), log: &logBook{}}
	k.client = k.open(k.store)
	k.start()
	inspector := k.client.Inspector()
	if _, err := inspector.Alerts.Channels.Put(k.ctx, alert.ChannelSpec{Name: "spare", Kind: alert.ToLog}); err != nil {
		t.Fatal(err)
	}
	stored, err := inspector.Alerts.Channels.Put(k.ctx, alert.ChannelSpec{Name: "ops", Kind: alert.ToDingTalk, URLEnv: "OUTLAST_SECRET_NOT_SET", Fallback: "spare"})
	if err != nil || stored.Usable || !strings.Contains(stored.Problem, "OUTLAST_SECRET_NOT_SET") || stored.Version != 1 {
		t.Fatalf("%+v, %v", stored, err)
	}
	wantCode(t, inspector.Alerts.Channels.Test(k.ctx, "ops"), task.CodeInvalid)
	wantCode(t, inspector.Alerts.Channels.Test(k.ctx, "nobody"), task.CodeNotFound)
	wantCode(t, inspector.Alerts.Channels.Probe(k.ctx, "ops"), task.CodeInvalid)
	wantCode(t, inspector.Alerts.Channels.Probe(k.ctx, "nobody"), task.CodeNotFound)
	if err := inspector.Alerts.Channels.Probe(k.ctx, "spare"); err != nil {
		t.Error(err)
	}
	wantCode(t, inspector.Alerts.Channels.Delete(k.ctx, "spare"), task.CodeConflict)
	wantCode(t, inspector.Alerts.Channels.Delete(k.ctx, ""), task.CodeNotFound)
	if err := inspector.Alerts.Channels.Test(k.ctx, "spare"); err != nil {
		t.Error(err)
	}
	k.putRule(`{"name": "died", "on": "dead", "channels": ["ops"]}`)
	wantCode(t, inspector.Alerts.Channels.Delete(k.ctx, "ops"), task.CodeConflict)
	if err := inspector.Alerts.Rules.Delete(k.ctx, "died"); err != nil {
		t.Fatal(err)
	}
	if err := inspector.Alerts.Channels.Delete(k.ctx, "ops"); err != nil {
		t.Fatal(err)
	}
	wantCode(t, inspector.Alerts.Rules.Delete(k.ctx, "exhausted"), task.CodeNotFound)
	rows, _, err := k.store.Audit(k.ctx, store.AuditFilter{Action: "channel."}, store.Page{})
	if err != nil || len(rows) != 3 || rows[0].Action != "channel.delete" || rows[0].Subject != "channel/ops" {
		t.Errorf("%+v, %v", rows, err)
	}
}

// A channel in the database that names a file or a variable is used only where the
// configuration of the process says the same.
func TestChannelsOfRowsNameNothingOfTheServer(t *testing.T) {
	t.Setenv("TEST_HOOK", "https://hooks.example.com/x")
	own := &alert.ChannelSpec{Name: "ops", Kind: alert.ToWebhook, URLEnv: "TEST_HOOK"}
	for name, row := range map[string]struct {
		own    *alert.ChannelSpec
		body   string
		usable bool
	}{
		"a variable":             {nil, `{"kind":"webhook","url_env":"TEST_HOOK"}`, false},
		"a file":                 {nil, `{"kind":"webhook","url_file":"/etc/hostname"}`, false},
		"its own":                {own, `{"kind":"webhook","url_env":"TEST_HOOK"}`, true},
		"its own, with its name": {own, `{"name":"ops","kind":"webhook","url_env":"TEST_HOOK"}`, true},
		"another than its own":   {own, `{"kind":"webhook","url_env":"TEST_HOOK","secret_env":"HOME"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			k := &kit{T: t, ctx: t.Context(), store: memory.New(), log: &logBook{}}
			object := store.Object{Kind: alerts.KindChannel, Name: "ops", Body: []byte(row.body), Managed: "file"}
			if _, err := k.store.Change(k.ctx, store.Change{Put: []store.Object{object}}); err != nil {
				t.Fatal(err)
			}
			k.client = k.open(k.store, serving.WithOwnChannels(func(string) (all []*alert.ChannelSpec) {
				if row.own != nil {
					all = append(all, row.own)
				}
				return all
			}))
			k.start()
			got, err := k.client.Inspector().Alerts.Channels.Get(k.ctx, "ops")
			if err != nil || got.Usable != row.usable || (got.Problem == "") != row.usable {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
