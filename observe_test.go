package outlast_test

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/prom"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/task"
)

// Each step of a task is an event with the same names for the same things,
// and none repeats what the task carries.
func TestEvents(t *testing.T) {
	virtually(t, func(k *kit) {
		runs := 0
		outlast.Handle(k.client, "t", func(context.Context, mail) error {
			switch runs++; runs {
			case 1:
				return io.ErrUnexpectedEOF
			case 2:
				return outlast.Snooze(time.Minute)
			case 3:
				return nil
			}
			return outlast.GiveUp(errors.New("secret message"))
		})
		k.start()
		id := k.enqueue(outlast.Draft{Type: "t", TraceParent: traceParent, Payload: []byte(`{"to":"secret payload"}`)}).ID
		k.after(10 * time.Minute)
		k.enqueue(outlast.Draft{Type: "t"})
		k.after(time.Minute)

		want := map[string]map[string]any{
			"attempt.failed":    {"category": "network", "attempt": 1.0, "effect": "maybe", "rule": "policy", "policy": "default"},
			"attempt.repeated":  {"reason": "snooze"},
			"attempt.succeeded": {"attempt": 2.0},
		}
		for message, fields := range want {
			events := k.log.events(k.T, message)
			if len(events) == 0 {
				k.Errorf("no event %s", message)
				continue
			}
			fields["task"], fields["type"], fields["target"], fields["trace_id"] = id.String(), "t", "t", traceParent[3:35]
			for name, value := range fields {
				if got := events[0][name]; got != value {
					k.Errorf("%s: %s is %v, want %v", message, name, got, value)
				}
			}
			if events[0]["claim"] == nil {
				k.Errorf("%s has no claim", message)
			}
		}
		for message, count := range map[string]int{"attempt.failed": 1, "attempt.repeated": 1, "task.dead": 1} {
			if events := k.log.events(k.T, message); len(events) != count {
				k.Errorf("%s: %v", message, events)
			}
		}
		if dead := k.log.events(k.T, "task.dead"); dead[0]["category"] == nil || dead[0]["reason"] != "rejected" || dead[0]["level"] != "WARN" || dead[0]["attempts"] != 1.0 {
			k.Errorf("dead %v", dead)
		}
		if strings.Contains(k.log.lines.String(), "secret") {
			k.Error("the log holds what is private")
		}
	})
}

// Messages of errors are in the log for who asks for them, payloads never.
func TestEventsWithErrorTexts(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "t", func(context.Context, mail) error { return errors.New("the printer is on fire") }, outlast.MaxAttempts(2))
		k.start()
		k.enqueue(outlast.Draft{Type: "t", Payload: []byte(`{"to":"secret payload"}`)})
		k.after(10 * time.Minute)
		for message, count := range map[string]int{"attempt.failed": 1, "task.dead": 1} {
			events := k.log.events(k.T, message)
			if len(events) != count || events[0]["error"] != "the printer is on fire" {
				k.Errorf("%s: %v", message, events)
			}
		}
		if strings.Contains(k.log.lines.String(), "secret") {
			k.Error("the log holds what is private")
		}
	}, outlast.WithErrorTexts())
}

// A crash of a node is the reason of a repeat, and named as such.
func TestCrashIsNamed(t *testing.T) {
	virtually(t, func(k *kit) {
		hang := make(chan struct{})
		handle := func(c *outlast.Client, fn func()) {
			outlast.Handle(c, "t", func(context.Context, mail) error { fn(); return nil })
		}
		first := k.store.Handle()
		crashing, err := outlast.Open(k.ctx, first)
		if err != nil {
			k.Fatal(err)
		}
		k.Cleanup(func() { _ = crashing.Stop(context.Background()) }) // its store is gone
		handle(crashing, func() { <-hang })
		if err := crashing.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		k.after(2 * time.Second)
		receipt, err := crashing.Enqueue(k.ctx, outlast.Draft{Type: "t", TraceParent: traceParent})
		if err != nil {
			k.Fatal(err)
		}
		k.after(time.Second)
		first.Kill()
		handle(k.client, func() {})
		k.start()
		k.after(30 * time.Second)
		close(hang)
		if got := k.get(receipt.Task.ID); got.State != task.Succeeded || got.Crashes != 1 {
			k.Errorf("got %s after %d crashes", got.State, got.Crashes)
		}
		events := k.log.events(k.T, "attempt.repeated")
		if len(events) != 1 || !strings.HasPrefix(events[0]["reason"].(string), "crash of node ") {
			k.Fatalf("events %v", events)
		}
		for name, want := range map[string]any{"task": receipt.Task.ID.String(), "type": "t", "queue": "default", "attempt": 1.0, "trace_id": traceParent[3:35]} {
			if got := events[0][name]; got != want {
				k.Errorf("%s is %v, want %v", name, got, want)
			}
		}
		if events[0]["claim"] == nil {
			k.Error("there is no claim")
		}
		if lines := k.log.events(k.T, "tasks.recovered"); len(lines) != 1 || lines[0]["tasks"] != 1.0 || lines[0]["level"] != "WARN" || events[0]["level"] != "DEBUG" {
			k.Errorf("a crash is one line with the number of tasks: %v, %v", lines, events)
		}
	})
}

// A handler's error may name a category that is none and not even text.
func TestOddCategoryOfAHandler(t *testing.T) {
	registry := prometheus.NewRegistry()
	virtually(t, func(k *kit) {
		odd := []string{"caf\xe9", "made up", ""}
		for _, category := range odd {
			outlast.Handle(k.client, "t"+strconv.Itoa(len(category)), func(context.Context, mail) error { return oddError(category) })
		}
		k.start()
		var ids []outlast.ID
		for _, category := range odd {
			ids = append(ids, k.enqueue(outlast.Draft{Type: "t" + strconv.Itoa(len(category)), MaxAttempts: ptr(2)}).ID)
		}
		k.after(time.Hour)
		for _, id := range ids {
			if got := k.get(id); got.State != task.Dead || got.Attempt != 2 {
				k.Errorf("%s is %s after %d attempts", got.Type, got.State, got.Attempt)
			}
		}
		families, err := registry.Gather()
		if err != nil {
			k.Fatal(err)
		}
		for _, family := range families {
			for _, metric := range family.GetMetric() {
				for _, label := range metric.GetLabel() {
					if label.GetName() == "category" && label.GetValue() != "unknown" && label.GetValue() != "" {
						k.Errorf("there is a category %q", label.GetValue())
					}
				}
			}
		}
	}, prom.Register(registry))
}

// oddError is an error whose verdict has this category.
type oddError string

func (e oddError) Error() string { return "odd" }

func (e oddError) RetryVerdict() retry.Verdict { return retry.Verdict{Category: retry.Category(e)} }

func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	virtually(t, func(k *kit) {
		runs := 0
		outlast.Handle(k.client, "t", func(context.Context, mail) error {
			if runs++; runs == 1 {
				return io.ErrUnexpectedEOF
			}
			return nil
		})
		outlast.Handle(k.client, "dies", func(context.Context, mail) error { return outlast.GiveUp(errors.New("no")) })
		k.start()
		draft := outlast.Draft{Type: "t", DedupeKey: "d"}
		k.enqueue(draft)
		k.enqueue(draft)
		k.enqueue(outlast.Draft{Type: "dies"})
		k.enqueue(outlast.Draft{Type: "unknown.to.all"})
		_, err := k.client.Enqueue(k.ctx, outlast.Draft{})
		wantCode(k.T, err, task.CodeInvalid)
		k.after(time.Minute)
		want := `
# HELP outlast_dead_letters Dead letters in the store, over all nodes.
# TYPE outlast_dead_letters gauge
outlast_dead_letters{type="dies"} 1
outlast_dead_letters{type="other"} 0
# HELP outlast_dead_total Tasks that became dead letters, by reason.
# TYPE outlast_dead_total counter
outlast_dead_total{queue="default",reason="rejected",type="dies"} 1
# HELP outlast_queue_depth Tasks of a queue over all nodes, by state: pending, parked (behind keys that are held in mode park) or running. Counted to 10000; of the first 100 queues by name.
# TYPE outlast_queue_depth gauge
outlast_queue_depth{queue="default",state="parked"} 0
outlast_queue_depth{queue="default",state="pending"} 1
outlast_queue_depth{queue="default",state="running"} 0
# HELP outlast_queue_oldest_due_seconds How long the oldest pending task of a queue has been due, over all nodes.
# TYPE outlast_queue_oldest_due_seconds gauge
outlast_queue_oldest_due_seconds{queue="default"} 60
# HELP outlast_task_attempts_total Attempts that ended, by outcome and, of failures, category.
# TYPE outlast_task_attempts_total counter
outlast_task_attempts_total{category="",outcome="succeeded",queue="default",type="dies"} 0
outlast_task_attempts_total{category="",outcome="succeeded",queue="default",type="t"} 1
outlast_task_attempts_total{category="",outcome="succeeded",queue="default",type="unknown.to.all"} 0
outlast_task_attempts_total{category="network",outcome="failed",queue="default",type="t"} 1
outlast_task_attempts_total{category="unknown",outcome="dead",queue="default",type="dies"} 1
# HELP outlast_tasks_enqueued_total Tasks handed in, by kind: created, existing, or the code of the error (without a queue).
# TYPE outlast_tasks_enqueued_total counter
outlast_tasks_enqueued_total{kind="created",queue="default"} 3
outlast_tasks_enqueued_total{kind="existing",queue="default"} 1
outlast_tasks_enqueued_total{kind="invalid",queue=""} 1
`
		if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "outlast_task_attempts_total", "outlast_dead_letters",
			"outlast_dead_total", "outlast_queue_depth", "outlast_queue_oldest_due_seconds", "outlast_tasks_enqueued_total"); err != nil {
			k.Error(err)
		}
		for _, name := range []string{"outlast_task_run_seconds", "outlast_task_wait_seconds"} {
			if n, err := testutil.GatherAndCount(registry, name); err != nil || n != 3 { // two attempts of one type, one of the other
				k.Errorf("%s has %d series, %v", name, n, err)
			}
		}
		twin := k.open(k.store.Handle(), prom.Register(registry))
		wantCode(k.T, twin.Start(k.ctx), task.CodeConflict)
	}, prom.Register(registry))
	if n, err := testutil.GatherAndCount(registry); err != nil || n != 0 {
		t.Errorf("%d series are left after Stop, %v", n, err)
	}
}

// Old letters are deleted at 03:00, each with a line that never has its
// payload; before, a warning tells how many there are.
func TestHousekeeping(t *testing.T) {
	racetest.WithoutDetector(t)
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "dies", func(context.Context, mail) error { return outlast.GiveUp(errors.New("no")) })
		outlast.Handle(k.client, "lives", func(context.Context, mail) error { return nil })
		k.start()
		k.enqueue(outlast.Draft{Type: "dies", Payload: []byte(`{"to":"secret"}`)})
		lived := k.enqueue(outlast.Draft{Type: "lives"}).ID
		k.after(6 * time.Minute)
		stats := k.log.events(k.T, "dead.stats")
		if len(stats) != 1 || stats[0]["level"] != "WARN" || stats[0]["total"] != 1.0 || stats[0]["by_type"].(map[string]any)["dies"] != 1.0 {
			k.Errorf("stats %v", stats)
		}
		k.after(90 * time.Minute)
		if _, err := k.client.Inspector().Tasks.Get(k.ctx, lived); err == nil {
			k.Error("a done task outlives its retention")
		}
		if n := k.countLetters(); n != 1 {
			k.Errorf("%d letters before their time", n)
		}
		k.after(90 * time.Minute)
		deleted := k.log.events(k.T, "dead.deleted")
		if len(deleted) != 1 || deleted[0]["type"] != "dies" || deleted[0]["reason"] != "rejected" || deleted[0]["attempts"] != 1.0 ||
			deleted[0]["category"] != "unknown" || deleted[0]["fingerprint"] == "" {
			k.Errorf("deleted %v", deleted)
		}
		at, _ := time.Parse(time.RFC3339, deleted[0]["time"].(string))
		if at.UTC().Hour() != 3 || at.UTC().Minute() != 0 { // 11:00 in Shanghai
			k.Errorf("deleted at %v", at.UTC())
		}
		if strings.Contains(k.log.lines.String(), "secret") {
			k.Error("the log holds a payload")
		}
	}, outlast.WithDeadRetention(150*time.Minute), outlast.WithDoneRetention(time.Hour), outlast.WithCleanup("0 11 * * *", "Asia/Shanghai"))
}
