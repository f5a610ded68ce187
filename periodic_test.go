package outlast_test

import (
	"bytes"
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/retry"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sealed"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// hourly is a schedule of the code that fires in some minute of the hour.
func hourly(cron string) inspect.Schedule {
	return inspect.Schedule{Name: "hourly", Cron: cron, Task: inspect.ScheduledTask{Type: "job"}}
}

// release is a node of an application whose code names a schedule, on a handle of its own.
type release struct {
	*outlast.Client
	stop func()
	kill func()
}

func (k *kit) release(named ...inspect.Schedule) *release {
	k.Helper()
	handle := k.store.Handle()
	client, err := outlast.Open(k.ctx, handle, outlast.WithLogger(k.log.logger()))
	if err != nil {
		k.Fatal(err)
	}
	outlast.Handle(client, "job", func(context.Context, json.RawMessage) error { return nil })
	client.Periodic(named...)
	if err := client.Start(k.ctx); err != nil {
		k.Fatal(err)
	}
	ended := false
	r := &release{Client: client}
	r.stop = func() {
		if !ended {
			ended = true
			if err := client.Stop(context.Background()); err != nil {
				k.Error(err)
			}
		}
	}
	r.kill = func() {
		ended = true
		handle.Kill()
		_ = client.Stop(context.Background()) // its store is gone
	}
	k.Cleanup(r.stop)
	return r
}

// puts are the rows of the audit log about schedules that code has put.
func (k *kit) puts() (n int) {
	k.Helper()
	rows, _, err := k.store.Audit(k.ctx, store.AuditFilter{Action: "schedule.put"}, store.Page{Limit: 100})
	if err != nil {
		k.Fatal(err)
	}
	for _, row := range rows {
		if row.Actor == "code" {
			n++
		}
	}
	return n
}

// TestPeriodic: a schedule of the code is there when Start returns and runs; a start with the
// same changes nothing, one with another rule changes it, and a pause outlives that.
func TestPeriodic(t *testing.T) {
	virtually(t, func(k *kit) {
		first := k.release(hourly("5 * * * *"))
		if view := k.schedule("hourly"); view.Version != 1 || view.Managed != "code" || view.Actor != "code" {
			k.Errorf("got %+v", view)
		}
		k.after(70 * time.Minute)
		if view := k.schedule("hourly"); view.Fired != 2 {
			k.Errorf("it has fired %d times", view.Fired)
		}
		if _, err := first.Inspector().Schedules.Pause(k.ctx, "hourly", true); err != nil {
			k.Error(err)
		}
		first.stop()
		same := k.release(hourly("5 * * * *"))
		k.after(10 * time.Minute)
		if view := k.schedule("hourly"); view.Version != 1 || !view.Paused {
			k.Errorf("after a start with the same: %+v", view)
		}
		same.stop()
		k.release(hourly("10 * * * *"))
		if view := k.schedule("hourly"); view.Version != 2 || view.Cron != "10 * * * *" || !view.Paused || view.Fired != 2 || view.Managed != "code" {
			k.Errorf("after a start with another: %+v", view)
		}
		if n := k.puts(); n != 2 {
			k.Errorf("%d puts", n)
		}
	})
}

// TestPeriodicOfTwoReleases: while nodes of two releases live the rule stays, however often
// they start; when none is left that names it the other one holds, also after a crash.
func TestPeriodicOfTwoReleases(t *testing.T) {
	for name, end := range map[string]func(*release){"stopped": func(r *release) { r.stop() }, "killed": func(r *release) { r.kill() }} {
		t.Run(name, func(t *testing.T) {
			virtually(t, func(k *kit) {
				older := k.release(hourly("5 * * * *"))
				newer := k.release(hourly("10 * * * *"))
				for range 2 {
					k.after(2 * time.Minute)
					again := k.release(hourly("5 * * * *"))
					older.stop()
					older = again
					k.after(2 * time.Minute)
					end(newer)
					newer = k.release(hourly("10 * * * *"))
				}
				k.after(2 * time.Minute)
				if view := k.schedule("hourly"); view.Version != 1 || view.Cron != "5 * * * *" {
					k.Errorf("while both live: %+v", view)
				}
				if waits := k.log.events(k.T, "periodic.waits"); len(waits) != 3 || waits[0]["schedule"] != "hourly" || !strings.HasPrefix(waits[0]["kept_by"].(string), "node ") {
					k.Errorf("told %v", waits)
				}
				end(older)
				k.after(20 * time.Second)
				if view := k.schedule("hourly"); view.Version != 2 || view.Cron != "10 * * * *" {
					k.Errorf("when the older is gone: %+v", view)
				}
				k.after(3 * time.Minute)
				if n := k.puts(); n != 2 {
					k.Errorf("%d puts", n)
				}
			})
		})
	}
}

// TestPeriodicOfOperators: while a living node names it, an operator pauses and triggers, but
// neither changes nor deletes; when none does it stays, and is theirs.
func TestPeriodicOfOperators(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		node := k.release(hourly("5 * * * *"))
		schedules := k.client.Inspector().Schedules
		_, err := schedules.Put(k.ctx, hourly("7 * * * *"))
		wantCode(k.T, err, task.CodeConflict)
		_, err = schedules.Delete(k.ctx, "hourly")
		wantCode(k.T, err, task.CodeConflict)
		if _, _, err := schedules.Trigger(k.ctx, "hourly", task.ID{}); err != nil {
			k.Error(err)
		}
		aside := k.open(k.store.Handle()) // has not started: it knows no nodes
		k.after(2 * time.Minute)
		_, err = aside.Inspector().Schedules.Put(k.ctx, hourly("7 * * * *"))
		wantCode(k.T, err, task.CodeConflict)
		node.stop()
		k.release() // of another application
		k.after(58 * time.Minute)
		if view := k.schedule("hourly"); view.Fired != 1 || view.Version != 1 {
			k.Errorf("nobody names it: %+v", view)
		}
		if view, err := schedules.Put(k.ctx, hourly("7 * * * *")); err != nil || view.Managed != "" {
			k.Errorf("%+v, %v", view, err)
		}
		if _, err := schedules.Delete(k.ctx, "hourly"); err != nil {
			k.Error(err)
		}
		k.put(hourly("9 * * * *"))
		k.release(hourly("5 * * * *"))
		if view := k.schedule("hourly"); view.Cron != "5 * * * *" || view.Managed != "code" {
			k.Errorf("code takes over what was put: %+v", view)
		}
	})
}

// TestPeriodicBesideTheFile: what the configuration file has is its own.
func TestPeriodicBesideTheFile(t *testing.T) {
	virtually(t, func(k *kit) {
		rule := hourly("9 * * * *")
		object, err := schedules.Object(&rule)
		if err != nil {
			k.Fatal(err)
		}
		object.Managed = "file"
		if _, err := k.store.Change(k.ctx, store.Change{Put: []store.Object{object}}); err != nil {
			k.Fatal(err)
		}
		k.release(hourly("5 * * * *"))
		k.after(10 * time.Minute)
		if view := k.schedule("hourly"); view.Version != 1 || view.Managed != "file" {
			k.Errorf("got %+v", view)
		}
		if waits := k.log.events(k.T, "periodic.waits"); len(waits) != 1 || waits[0]["kept_by"] != "the configuration file" {
			k.Errorf("told %v", waits)
		}
	})
}

// TestPeriodicRefused: Start reports all that is wrong, each under the name of its schedule;
// what comes later is logged.
func TestPeriodicRefused(t *testing.T) {
	virtually(t, func(k *kit) {
		k.client.Periodic(
			inspect.Schedule{Name: "a", Cron: "0 0 30 2 *", Task: inspect.ScheduledTask{Type: "job"}},
			inspect.Schedule{Name: "b", Every: time.Minute, Task: inspect.ScheduledTask{Type: "job", Queue: "nowhere", Payload: json.RawMessage("{")}},
			hourly("5 * * * *"), hourly("6 * * * *"))
		outlast.Define[chan int, outlast.None]("f").Periodic(k.client, inspect.Schedule{Name: "c", Every: time.Minute}, make(chan int))
		err := wantCode(k.T, k.client.Start(k.ctx), task.CodeInvalid)
		var paths []string
		for _, field := range err.Fields {
			paths = append(paths, field.Path)
		}
		slices.Sort(paths)
		if want := []string{"periodic.a.cron", "periodic.b.task.payload", "periodic.b.task.queue", "periodic.c.payload", "periodic.hourly.name"}; !slices.Equal(paths, want) {
			k.Errorf("got %q", paths)
		}
	})
	virtually(t, func(k *kit) {
		k.start()
		k.client.Periodic(hourly("5 * * * *"))
		k.after(2 * time.Minute)
		if _, err := k.client.Inspector().Schedules.Get(k.ctx, "hourly"); err == nil || len(k.log.events(k.T, "periodic.refused")) != 1 {
			k.Errorf("a late call: %v", err)
		}
	})
}

// TestPeriodicDefinition: calls of a definition have their payload, and its key.
func TestPeriodicDefinition(t *testing.T) {
	virtually(t, func(k *kit) {
		var mu sync.Mutex
		var seen []string
		report := outlast.Define[string, outlast.None]("report").Key(func(kind string) string { return "report-" + kind })
		report.Handle(k.client, outlast.NoResult(func(ctx context.Context, kind string) error {
			info, _ := outlast.Info(ctx)
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, kind+" "+info.Key+" "+info.Metadata["outlast.schedule"]+" "+info.Metadata["a"])
			return nil
		}))
		report.Periodic(k.client, inspect.Schedule{Name: "hourly", Every: time.Hour, Task: inspect.ScheduledTask{Metadata: map[string]string{"a": "b"}}}, "short")
		report.Periodic(k.client, inspect.Schedule{Name: "daily", Cron: "0 1 * * *"}, "long")
		k.start()
		k.after(2 * time.Hour)
		mu.Lock()
		defer mu.Unlock()
		slices.Sort(seen)
		if seen = slices.Compact(seen); !slices.Equal(seen, []string{"long report-long daily ", "short report-short hourly b"}) {
			k.Errorf("seen %q", seen)
		}
	})
}

// TestPeriodicWithoutNode: a program that only works what is due keeps its schedules at each
// call, and leaves alone what a living node names.
func TestPeriodicWithoutNode(t *testing.T) {
	virtually(t, func(k *kit) {
		k.client.Periodic(hourly("5 * * * *"))
		if _, err := k.client.RunDue(k.ctx, outlast.Due{}); err != nil {
			k.Fatal(err)
		}
		if view := k.schedule("hourly"); view.Cron != "5 * * * *" {
			k.Errorf("got %+v", view)
		}
		node := k.release(hourly("10 * * * *"))
		if view := k.schedule("hourly"); view.Cron != "10 * * * *" {
			k.Errorf("no node names the first: %+v", view)
		}
		k.after(time.Minute)
		if _, err := k.client.RunDue(k.ctx, outlast.Due{}); err != nil {
			k.Fatal(err)
		}
		if view := k.schedule("hourly"); view.Version != 2 {
			k.Errorf("a node names it: %+v", view)
		}
		node.stop()
	})
}

// TestPeriodicOnDisk: on SQLite too a new rule holds when Start returns, behind a node that
// has stopped.
func TestPeriodicOnDisk(t *testing.T) {
	backend, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "app.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = backend.Close() })
	for i, cron := range []string{"5 * * * *", "10 * * * *", "10 * * * *", "5 * * * *"} {
		client, err := outlast.Open(t.Context(), backend)
		if err != nil {
			t.Fatal(err)
		}
		client.Periodic(hourly(cron))
		if err := client.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		view, err := client.Inspector().Schedules.Get(t.Context(), "hourly")
		if want := []int64{1, 2, 2, 3}[i]; err != nil || view.Cron != cron || view.Version != want {
			t.Errorf("start %d: %+v, %v", i, view, err)
		}
		if err := client.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestPeriodicCallOptions: what a definition says of its calls holds for those of a schedule,
// and what the schedule says goes before.
func TestPeriodicCallOptions(t *testing.T) {
	virtually(t, func(k *kit) {
		policy, err := retry.New(retry.Attempts(3))
		if err != nil {
			k.Fatal(err)
		}
		of := outlast.Define[string, outlast.None]("report", outlast.CallOption(func(d *outlast.Draft) {
			d.Metadata, d.TTL, d.Retry = map[string]string{"tenant": "acme", "a": "b"}, time.Hour, policy
		}))
		of.Handle(k.client, outlast.NoResult(func(context.Context, string) error { return nil }))
		of.Periodic(k.client, inspect.Schedule{Name: "often", Every: time.Minute, Task: inspect.ScheduledTask{Metadata: map[string]string{"a": "c"}, TTL: time.Minute}}, "x")
		of.Periodic(k.client, inspect.Schedule{Name: "named", Every: time.Minute, Task: inspect.ScheduledTask{Policy: "payment"}}, "x")
		k.start()
		if named, err := k.client.Inspector().Schedules.Get(k.ctx, "named"); err != nil || named.Task.Policy != "payment" || named.Task.Retry != nil {
			k.Errorf("its own policy does not hold: %+v, %v", named, err)
		}
		view, err := k.client.Inspector().Schedules.Get(k.ctx, "often")
		if err != nil || view.Task.Metadata["tenant"] != "acme" || view.Task.Metadata["a"] != "c" || view.Task.TTL != time.Minute || !strings.Contains(string(view.Task.Retry), `"max_attempts":3`) {
			k.Errorf("%+v, %v", view, err)
		}
	})
	virtually(t, func(k *kit) {
		policy, err := retry.New(retry.OnType[*task.Error](retry.Rule{Then: retry.GiveUp}))
		if err != nil {
			k.Fatal(err)
		}
		of := outlast.Define[string, outlast.None]("report", outlast.CallOption(func(d *outlast.Draft) { d.Retry = policy }))
		of.Periodic(k.client, inspect.Schedule{Name: "often", Every: time.Minute}, "x")
		if err := wantCode(k.T, k.client.Start(k.ctx), task.CodeInvalid); len(err.Fields) != 1 || err.Fields[0].Path != "periodic.often.task.retry" {
			k.Errorf("%+v", err.Fields)
		}
	})
}

// TestPeriodicManyNames: more schedules than a store takes at once are refused, by Start.
func TestPeriodicManyNames(t *testing.T) {
	virtually(t, func(k *kit) {
		for i := range store.MaxChange + 1 {
			k.client.Periodic(inspect.Schedule{Name: "s" + strconv.Itoa(i), Every: time.Hour, Task: inspect.ScheduledTask{Type: "job"}})
		}
		if err := wantCode(k.T, k.client.Start(k.ctx), task.CodeInvalid); len(err.Fields) != 1 || err.Fields[0].Path != "periodic" {
			k.Errorf("%+v", err.Fields)
		}
	})
}

// TestPeriodicOfTwoKeys: nodes that cannot read what the other has written do not write it in
// turns.
func TestPeriodicOfTwoKeys(t *testing.T) {
	virtually(t, func(k *kit) {
		for i, id := range []string{"k1", "k2"} {
			keys := sealed.Keys{Secrets: map[string][]byte{id: bytes.Repeat([]byte{byte(i), 7}, 16)}}
			client := k.open(k.store, outlast.WithEncryption(keys))
			client.Periodic(hourly("5 * * * *"))
			if err := client.Start(k.ctx); err != nil {
				k.Fatal(err)
			}
			k.after(10 * time.Minute)
		}
		objects, err := k.store.Objects(k.ctx, "schedule")
		if err != nil || len(objects) != 1 || objects[0].Version > 3 {
			k.Errorf("%+v, %v", objects, err)
		}
	})
}
