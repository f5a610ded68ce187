package outlast_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// The rules that hold without any configuration, each with what it is there for.
// Without channels they tell the log.
func TestBuiltinAlerts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule    string
		happens func(k *kit)
		says    string // in the text of the first alert
	}{
		{"exhausted", dies, "mail died after 1 attempt: exhausted"},
		{"died", func(k *kit) {
			refuses := func(context.Context, json.RawMessage) error {
				return outlast.GiveUp(errors.New("the credential has expired"))
			}
			outlast.Handle(k.client, "mail", refuses)
			k.start()
			k.enqueue(outlast.Draft{Type: "mail"})
		}, "mail died after 1 attempt: rejected"},
		{"process_died", killedWhileWorking, "3 running tasks lost with the process: 2 × mail in node "},
		{"key_blocked", func(k *kit) { k.blocks(`{}`, 1) }, "the ordering key lampA of queue default has been blocked by a dead letter for "},
		{"dead_letters", dies, "there is 1 dead letter"},
		{"crash_loop", killsItsNode, "poison died after 0 attempts: crash_loop"},
		{"no_owner", func(k *kit) {
			k.queue("forgotten")
			k.start()
			k.enqueue(outlast.Draft{Type: "mail", Queue: "forgotten"})
		}, "queue forgotten has 1 pending task; no node works on it"},
		{"no_worker", func(k *kit) {
			k.start()
			k.enqueue(outlast.Draft{Type: "mial"})
			k.enqueue(outlast.Draft{Type: "later", RunAt: time.Now().Add(time.Hour)})
		}, "queue default has 2 pending tasks; no living node can start 1 type of them"},
		{"dead_group", func(k *kit) {
			k.start()
			k.enqueue(outlast.Draft{Target: &task.Request{URL: task.GroupURL("mailers", "/send")}})
		}, "group mailers has 0 living members"},
		{"schedule_missed", missesTicks, "the schedule hourly has missed"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			virtually(t, func(k *kit) {
				c.happens(k)
				k.after(2 * time.Minute)
				told := ruled(k.log.events(t, "alert"), c.rule)
				if len(told) == 0 {
					t.Fatal("nobody is told")
				}
				if text, _ := told[0]["text"].(string); !strings.Contains(text, c.says) || told[0]["level"] != "WARN" {
					t.Errorf("%v", told[0])
				}
			})
		})
	}
}

// TestNoWorkerIsOver once a node comes that has the handler.
func TestNoWorkerIsOver(t *testing.T) {
	t.Parallel()
	box := &inbox{}
	virtually(t, func(k *kit) {
		k.start()
		k.putRule(`{"name": "no_worker", "on": "queue", "when": "stranded > 0", "for": "1m", "channels": ["box"]}`)
		k.enqueue(outlast.Draft{Type: "mail"})
		k.after(50 * time.Second)
		if told := box.of("no_worker"); len(told) != 0 {
			t.Fatalf("too early: %+v", told)
		}
		k.after(time.Minute)
		if told := box.of("no_worker"); len(told) != 1 || told[0].Subject != "default" || told[0].Fields[0] != (alert.Field{Name: "types", Value: "mail"}) {
			t.Fatalf("%+v", told)
		}
		second := k.open(k.store.Handle())
		outlast.Handle(second, "mail", func(context.Context, json.RawMessage) error { return nil })
		if err := second.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.after(time.Minute)
		if told := box.of("no_worker"); len(told) != 2 || told[1].Kind != alert.Recovered {
			t.Errorf("%+v", told)
		}
	}, outlast.WithAlertFunc("box", box.send))
}

// killedWhileWorking is a process that is killed while three tasks run in it.
func killedWhileWorking(k *kit) {
	hang := func(ctx context.Context, _ json.RawMessage) error { <-ctx.Done(); return ctx.Err() }
	k.start()
	k.works(hang, true)
}

// works lets three tasks run in another process, and then kills it, or stops it.
func (k *kit) works(run func(context.Context, json.RawMessage) error, killed bool) {
	k.Helper()
	handle := k.store.Handle()
	other, err := outlast.Open(k.ctx, handle)
	if err != nil {
		k.Fatal(err)
	}
	for _, name := range []string{"mail", "sms"} {
		outlast.Handle(other, name, run)
	}
	if err := other.Start(k.ctx); err != nil {
		k.Fatal(err)
	}
	for _, name := range []string{"mail", "mail", "sms"} {
		k.enqueue(outlast.Draft{Type: name})
	}
	k.after(15 * time.Second)
	if killed {
		handle.Kill()
	}
	_ = other.Stop(k.ctx) // a killed one cannot
	k.after(30 * time.Second)
}

// TestStoppedProcessesAreNoAlert: what a graceful stop hands back was not lost.
func TestStoppedProcessesAreNoAlert(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		k.start()
		k.works(func(ctx context.Context, _ json.RawMessage) error { <-ctx.Done(); return ctx.Err() }, false)
		k.after(10 * time.Minute)
		if told := ruled(k.log.events(t, "alert"), "process_died"); len(told) != 0 {
			t.Errorf("%v", told)
		}
	})
}

// TestKilledProcessIsToldOnce, with all tasks that ran, however many there were.
func TestKilledProcessIsToldOnce(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		killedWhileWorking(k)
		k.after(30 * time.Minute)
		told := ruled(k.log.events(t, "alert"), "process_died")
		if len(told) != 1 || told[0]["held_back"] != 3.0 || !strings.Contains(told[0]["text"].(string), "; 1 × sms in node ") || strings.Count(told[0]["text"].(string), "(node dead)") != 2 {
			t.Errorf("%v", told)
		}
	})
}

// TestPausedQueueHasNoWorkerMissing: it is paused so that nothing starts.
func TestPausedQueueHasNoWorkerMissing(t *testing.T) {
	t.Parallel()
	virtually(t, func(k *kit) {
		k.start()
		k.enqueue(outlast.Draft{Type: "mail"})
		if _, err := k.client.Inspector().Queues.Pause(k.ctx, "default", true); err != nil {
			t.Fatal(err)
		}
		k.after(5 * time.Minute)
		if told := ruled(k.log.events(t, "alert"), "no_worker"); len(told) != 0 {
			t.Errorf("%v", told)
		}
		if _, err := k.client.Inspector().Queues.Pause(k.ctx, "default", false); err != nil {
			t.Fatal(err)
		}
		k.after(2 * time.Minute)
		if told := ruled(k.log.events(t, "alert"), "no_worker"); len(told) != 1 {
			t.Errorf("resumed: %v", told)
		}
	})
}

func (k *kit) queue(name string) {
	k.Helper()
	if _, err := k.client.Inspector().Queues.Put(k.ctx, store.Queue{Name: name}); err != nil {
		k.Fatal(err)
	}
}

// dies is a task that fails with its only attempt.
func dies(k *kit) {
	outlast.Handle(k.client, "mail", failing)
	k.start()
	d := outlast.Draft{Type: "mail"}
	once(&d)
	k.enqueue(d)
}

// killsItsNode is a task that three processes die of.
func killsItsNode(k *kit) {
	hang := func(ctx context.Context, _ json.RawMessage) error { <-ctx.Done(); return ctx.Err() }
	k.start()
	k.enqueue(outlast.Draft{Type: "poison"})
	for range 3 {
		handle := k.store.Handle()
		victim, err := outlast.Open(k.ctx, handle)
		if err != nil {
			k.Fatal(err)
		}
		outlast.Handle(victim, "poison", hang)
		if err := victim.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		k.after(15 * time.Second)
		handle.Kill()
		_ = victim.Stop(k.ctx) // it is dead
		k.after(15 * time.Second)
	}
	next := k.open(k.store.Handle(), outlast.WithLogger(k.log.logger()))
	outlast.Handle(next, "poison", hang)
	if err := next.Start(k.ctx); err != nil {
		k.Fatal(err)
	}
}

// missesTicks is a schedule for which no node runs in time.
func missesTicks(k *kit) {
	first := k.open(k.store.Handle())
	if err := first.Start(k.ctx); err != nil {
		k.Fatal(err)
	}
	rule := inspect.Schedule{Name: "hourly", Every: time.Hour, Task: inspect.ScheduledTask{Type: "report"}, Misfire: inspect.MisfireSkip}
	if _, err := first.Inspector().Schedules.Put(k.ctx, rule); err != nil {
		k.Fatal(err)
	}
	if err := first.Stop(k.ctx); err != nil {
		k.Fatal(err)
	}
	k.after(5 * time.Hour)
	k.start()
}
