package outlast_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/internal/racetest"
	"github.com/outlast-dev/outlast/internal/schedules"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// ran is what handlers of the type "job" have seen.
type ran struct {
	mu   sync.Mutex
	runs []run
}

type run struct {
	schedule, tick string
	at             time.Time
}

func (r *ran) handle(client *outlast.Client, work func(ctx context.Context) error) {
	outlast.Handle(client, "job", func(ctx context.Context, _ json.RawMessage) error {
		info, _ := outlast.Info(ctx)
		metadata := info.Metadata
		r.mu.Lock()
		r.runs = append(r.runs, run{metadata["outlast.schedule"], metadata["outlast.tick"], time.Now()})
		r.mu.Unlock()
		return work(ctx)
	})
}

func (r *ran) all() []run {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.runs)
}

func (r *ran) ticks() (ticks []string) {
	for _, one := range r.all() {
		ticks = append(ticks, one.tick)
	}
	return ticks
}

func done(context.Context) error { return nil }

func (k *kit) put(s inspect.Schedule) *inspect.ScheduleView {
	k.Helper()
	s.Task.Type = cmp.Or(s.Task.Type, "job")
	view, err := k.client.Inspector().Schedules.Put(k.ctx, s)
	if err != nil {
		k.Fatal(err)
	}
	return view
}

func (k *kit) schedule(name string) *inspect.ScheduleView {
	k.Helper()
	view, err := k.client.Inspector().Schedules.Get(k.ctx, name)
	if err != nil {
		k.Fatal(err)
	}
	return view
}

// TestScheduleTicks: each tick runs once, at its time, on three nodes.
func TestScheduleTicks(t *testing.T) {
	racetest.WithoutDetector(t)
	virtually(t, func(k *kit) {
		var seen ran
		seen.handle(k.client, done)
		k.start()
		for range 2 {
			other := k.open(k.store.Handle())
			seen.handle(other, done)
			if err := other.Start(k.ctx); err != nil {
				k.Fatal(err)
			}
		}
		k.after(10 * time.Second)
		view := k.put(inspect.Schedule{Name: "minutely", Cron: "* * * * *", Task: inspect.ScheduledTask{Payload: json.RawMessage(`{"a":1}`)}})
		if !view.Created || view.Version != 1 {
			t.Errorf("got %+v", view)
		}
		k.after(time.Hour)
		runs := seen.all()
		if len(runs) != 60 {
			t.Fatalf("%d runs in an hour", len(runs))
		}
		for i, one := range runs {
			tick, err := time.Parse(time.RFC3339, one.tick)
			if err != nil || one.schedule != "minutely" || tick.Second() != 0 || i > 0 && one.tick <= runs[i-1].tick {
				t.Fatalf("run %d: %+v, %v", i, one, err)
			}
			if late := one.at.Sub(tick); late < 0 || late > 100*time.Millisecond {
				t.Errorf("the tick %s ran %s late", one.tick, late)
			}
		}
		if view = k.schedule("minutely"); view.Fired != 60 || view.Missed != 0 || view.Last.UTC().Format(time.RFC3339) != runs[59].tick {
			t.Errorf("got %+v", view.ScheduleState)
		}
	})
}

// TestScheduleOutlivesNodes: while nodes are killed and others start, each tick
// runs once; one that falls into the gap is made up for.
func TestScheduleOutlivesNodes(t *testing.T) {
	virtually(t, func(k *kit) {
		var seen ran
		seen.handle(k.client, done)
		k.start()
		k.put(inspect.Schedule{Name: "s", Cron: "*/5 * * * * *", Misfire: inspect.FireAll})
		for range 10 {
			handle := k.store.Handle()
			other, err := outlast.Open(k.ctx, handle)
			if err != nil {
				t.Fatal(err)
			}
			seen.handle(other, done)
			if err := other.Start(k.ctx); err != nil {
				t.Fatal(err)
			}
			k.after(37 * time.Second)
			handle.Kill()
			if err := other.Stop(k.ctx); err == nil {
				t.Error("a node whose store is gone has stopped well")
			}
		}
		k.after(time.Minute)
		checkOnce(t, &seen, 5*time.Second)
		if n := len(seen.all()); n < 80 {
			t.Errorf("only %d ticks", n)
		}
	})
}

// checkOnce checks that ticks ran once each, none left out.
func checkOnce(t *testing.T, seen *ran, every time.Duration) {
	t.Helper()
	ticks := seen.ticks()
	slices.Sort(ticks)
	for i := range ticks[1:] {
		before, _ := time.Parse(time.RFC3339, ticks[i])
		after, _ := time.Parse(time.RFC3339, ticks[i+1])
		if after.Sub(before) != every {
			t.Errorf("from tick %s to %s", ticks[i], ticks[i+1])
		}
	}
}

// TestScheduleLostAnswers: a store that loses answers, fails and is slow makes
// no tick run twice or not at all.
func TestScheduleLostAnswers(t *testing.T) {
	virtually(t, func(k *kit) {
		var seen ran
		methods := []string{"Change", "Object", "Objects", "Get"}
		for seed := range uint64(3) {
			s, _ := faulty.Wrap(k.store.Handle(), seed, faulty.Rule{Kind: faulty.Lose, Methods: methods, Probability: 0.3},
				faulty.Rule{Kind: faulty.Fail, Methods: methods, Probability: 0.2}, faulty.Rule{Kind: faulty.Delay, Methods: methods, Probability: 0.2, Wait: time.Second})
			other := k.open(s)
			seen.handle(other, done)
			for other.Start(k.ctx) != nil {
				k.after(time.Second)
			}
		}
		k.put(inspect.Schedule{Name: "s", Every: 3 * time.Second, Misfire: inspect.FireAll})
		k.after(10 * time.Minute)
		if _, err := k.client.Inspector().Schedules.Pause(k.ctx, "s", true); err != nil {
			t.Fatal(err)
		}
		k.after(time.Minute) // the last ticks need not run in their order
		checkOnce(t, &seen, 3*time.Second)
		if n := len(seen.all()); n < 195 {
			t.Errorf("only %d ticks", n)
		}
	})
}

// TestScheduleOverlap runs a job of 25 s every 10 s by each rule.
func TestScheduleOverlap(t *testing.T) {
	for _, c := range []struct {
		overlap inspect.Overlap
		started int // of 12 ticks
		most    int // at a time; of replace one or two, as the old one hears of it
		ended   int
		skipped int64
		waiting int
	}{
		{inspect.OverlapAllow, 12, 3, 12, 0, 0},
		{inspect.OverlapSkip, 4, 1, 4, 8, 0},
		{inspect.OverlapReplace, 12, 2, 1, 0, 0},
		{inspect.OverlapQueue, 5, 1, 5, 0, 7},
	} {
		t.Run(string(c.overlap), func(t *testing.T) {
			virtually(t, func(k *kit) {
				var seen ran
				var mu sync.Mutex
				running, most, ended := 0, 0, 0
				seen.handle(k.client, func(ctx context.Context) error {
					mu.Lock()
					running++
					most = max(most, running)
					mu.Unlock()
					timer := time.NewTimer(25 * time.Second)
					defer timer.Stop()
					var err error
					select {
					case <-timer.C:
					case <-ctx.Done():
						err = ctx.Err()
					}
					mu.Lock()
					running--
					if err == nil {
						ended++
					}
					mu.Unlock()
					return err
				})
				k.start()
				k.after(10 * time.Second)
				k.put(inspect.Schedule{Name: "s", Every: 10 * time.Second, Overlap: c.overlap})
				k.after(125 * time.Second)
				if _, err := k.client.Inspector().Schedules.Pause(k.ctx, "s", true); err != nil {
					t.Fatal(err)
				}
				k.after(time.Minute)
				view := k.schedule("s")
				if len(seen.all()) != c.started || ended != c.ended || view.Skipped != c.skipped || len(view.Waiting) != c.waiting {
					t.Errorf("%d started, %d ended, %d skipped, %d wait; want %d, %d, %d, %d",
						len(seen.all()), ended, view.Skipped, len(view.Waiting), c.started, c.ended, c.skipped, c.waiting)
				}
				if !slices.IsSorted(seen.ticks()) {
					t.Errorf("the order is %v", seen.ticks())
				}
				if most > c.most || most < c.most && c.overlap != inspect.OverlapReplace {
					t.Errorf("%d at a time, want %d", most, c.most)
				}
			})
		})
	}
}

// TestSchedulePauseAndTrigger: nothing comes while paused but what is triggered
// by hand, the ticks of the pause are left out, and a trigger with an id runs once.
func TestSchedulePauseAndTrigger(t *testing.T) {
	virtually(t, func(k *kit) {
		var seen ran
		fails := 1
		seen.handle(k.client, func(context.Context) error {
			if fails--; fails >= 0 {
				return errors.New("not this time")
			}
			return nil
		})
		k.start()
		k.put(inspect.Schedule{Name: "s", Every: time.Minute})
		k.after(time.Second)
		inspector := k.client.Inspector()
		for range 2 { // the second one changes nothing
			if view, err := inspector.Schedules.Pause(k.ctx, "s", true); err != nil || !view.Paused {
				t.Fatal(view, err)
			}
		}
		k.after(10 * time.Minute)
		if runs := seen.all(); len(runs) != 0 {
			t.Fatalf("it ran: %v", runs)
		}
		id := outlast.NewID()
		for i := range 2 {
			made, existing, err := inspector.Schedules.Trigger(k.ctx, "s", id)
			if err != nil || existing != (i == 1) {
				t.Fatalf("%+v, %v, %v", made, existing, err)
			}
		}
		k.after(5 * time.Minute)
		if runs := seen.all(); len(runs) != 2 || runs[0].tick != "" || runs[0].schedule != "s" {
			t.Errorf("want one failure and its retry: %+v", runs)
		}
		if _, err := inspector.Schedules.Pause(k.ctx, "s", false); err != nil {
			t.Fatal(err)
		}
		resumed := time.Now()
		k.after(61 * time.Second)
		if runs := seen.all(); len(runs) < 3 || runs[2].tick == "" || runs[2].at.Before(resumed) {
			t.Errorf("after the pause: %+v", runs)
		}
		rows, _, err := k.store.Audit(k.ctx, store.AuditFilter{Subject: "schedule/s"}, store.Page{})
		var actions []string
		for _, row := range rows {
			actions = append(actions, row.Action)
		}
		if err != nil || !slices.Equal(actions, []string{"schedule.resume", "schedule.trigger", "schedule.pause", "schedule.put"}) {
			t.Errorf("the audit log has %v, %v", actions, err)
		}
	})
}

// TestScheduleChanged: a new rule holds at once, a deleted one fires no more.
func TestScheduleChanged(t *testing.T) {
	virtually(t, func(k *kit) {
		var seen ran
		seen.handle(k.client, done)
		k.start()
		k.after(500 * time.Millisecond)
		k.put(inspect.Schedule{Name: "s", Every: time.Hour})
		k.after(time.Minute)
		if view := k.put(inspect.Schedule{Name: "s", Every: 10 * time.Second}); view.Created || view.Version != 2 {
			t.Errorf("got %+v", view)
		}
		k.after(time.Minute)
		if n := len(seen.all()); n != 6 {
			t.Errorf("%d runs in a minute", n)
		}
		gone, err := k.client.Inspector().Schedules.Delete(k.ctx, "s")
		if err != nil || gone.Every != 10*time.Second {
			t.Fatal(gone, err)
		}
		before := len(seen.all())
		k.after(time.Minute)
		if n := len(seen.all()) - before; n != 0 {
			t.Errorf("%d runs after the end", n)
		}
		_, err = k.client.Inspector().Schedules.Get(k.ctx, "s")
		wantCode(t, err, task.CodeNotFound)
		if view := k.put(inspect.Schedule{Name: "s", Every: 10 * time.Second}); !view.Created {
			t.Errorf("made again: %+v", view)
		}
		k.after(time.Minute)
		if n := len(seen.all()) - before; n != 6 {
			t.Errorf("%d runs of the new one", n)
		}
	})
}

// Two installations with the same schedule give their tasks different ids, by which
// receivers tell them apart; nodes of one, and later processes, agree on them.
func TestTicksOfTwoInstallations(t *testing.T) {
	virtually(t, func(k *kit) {
		ids := map[outlast.ID]bool{}
		tick := func(c *outlast.Client) {
			outlast.Handle(c, "job", func(context.Context, json.RawMessage) error { return nil })
			if err := c.Start(k.ctx); err != nil {
				t.Fatal(err)
			}
			rule := inspect.Schedule{Name: "s", Every: time.Minute}
			rule.Task.Type = "job"
			if _, err := c.Inspector().Schedules.Put(k.ctx, rule); err != nil {
				t.Fatal(err)
			}
		}
		other := memory.New()
		tick(k.client)
		tick(k.open(k.store.Handle()))
		tick(k.open(other))
		k.after(150 * time.Second)
		again := k.open(other.Handle())
		tick(again)
		k.after(2 * time.Minute)
		for _, c := range []*outlast.Client{k.client, again} {
			found, _, err := c.Inspector().Tasks.Find(k.ctx, store.Filter{Type: "job"}, store.Page{})
			if err != nil || len(found) != 4 {
				t.Fatalf("%d tasks, %v", len(found), err)
			}
			for i := range found {
				ids[found[i].ID] = true
			}
		}
		if len(ids) != 8 {
			t.Errorf("the 8 tasks of two installations have %d ids", len(ids))
		}
		for _, s := range []*memory.Store{k.store, other} {
			if made, err := s.Objects(k.ctx, "installation"); err != nil || len(made) != 1 || made[0].Version != 1 {
				t.Errorf("%+v, %v", made, err)
			}
		}
	})
}

// A tick that has its task already, under another id and of another definition (an older
// version has made it), gets no second one, and the schedule goes on.
func TestTickWithATaskOfAnotherID(t *testing.T) {
	virtually(t, func(k *kit) {
		var seen ran
		seen.handle(k.client, done)
		k.start()
		k.put(inspect.Schedule{Name: "s", Every: time.Minute})
		k.after(time.Second)
		next := k.schedule("s").Next
		k.enqueue(outlast.Draft{
			Type: "job", Payload: []byte(`"another"`), Delay: time.Hour,
			DedupeKey: "outlast.schedule/s/" + next.UTC().Format(time.RFC3339Nano),
		})
		k.after(150 * time.Second)
		if ticks := seen.ticks(); len(ticks) != 1 || ticks[0] == next.UTC().Format(time.RFC3339Nano) {
			t.Errorf("the ticks %v ran; that of %v has a task", ticks, next)
		}
		if view := k.schedule("s"); view.Fired != 2 {
			t.Errorf("%+v", view.ScheduleState)
		}
	})
}

// TestScheduleOnce: a single tick that fell into an outage is made up for.
func TestScheduleOnce(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		k.put(inspect.Schedule{Name: "once", At: time.Now().Add(time.Minute)})
		if err := k.client.Stop(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.after(time.Hour)
		var seen ran
		later := k.open(k.store.Handle())
		seen.handle(later, done)
		if err := later.Start(k.ctx); err != nil {
			t.Fatal(err)
		}
		k.after(time.Minute)
		view, err := later.Inspector().Schedules.Get(k.ctx, "once")
		if err != nil || len(seen.all()) != 1 || !view.Next.IsZero() || view.Fired != 1 {
			t.Errorf("%v, %+v, %v", seen.all(), view, err)
		}
	})
}

// TestScheduleOnceInThePast: what would never fire is refused, but what has fired is
// no mistake when it is put again, in the words of another zone or of the file.
func TestScheduleOnceInThePast(t *testing.T) {
	racetest.WithoutDetector(t)
	virtually(t, func(k *kit) {
		var seen ran
		seen.handle(k.client, done)
		k.start()
		k.after(4 * time.Hour)
		inspector := k.client.Inspector()
		once := inspect.Schedule{Name: "once", At: time.Now().Add(-3 * time.Hour), Task: inspect.ScheduledTask{Type: "job"}}
		_, err := inspector.Schedules.Put(k.ctx, once)
		e := wantCode(t, err, task.CodeInvalid)
		if e.Fields[0].Path != "at" || e.Message != "lies 3h0m0s in the past, so the schedule would never fire" || e.Hint == "" {
			t.Errorf("got %+v", e)
		}
		if _, err := inspector.Schedules.Get(k.ctx, "once"); err == nil {
			t.Error("it was stored")
		}
		once.At = time.Now().Add(time.Minute)
		k.put(once)
		k.after(2 * time.Minute)
		once.At = once.At.In(time.FixedZone("", 8*3600))
		if view := k.put(once); view.Fired != 1 {
			t.Errorf("put again: %+v", view)
		}
		changed := once
		changed.Task.Key = "k"
		_, err = inspector.Schedules.Put(k.ctx, changed)
		wantCode(t, err, task.CodeInvalid)
		if k.after(time.Minute); len(seen.all()) != 1 {
			t.Errorf("ran %v", seen.all())
		}
	})
}

// TestScheduleRefused: everything that is wrong is told at once, with its field.
func TestScheduleRefused(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		inspector := k.client.Inspector()
		job := inspect.ScheduledTask{Type: "job"}
		for want, s := range map[string]inspect.Schedule{
			"cron: the cron expression never fires: no such day comes":              {Name: "a", Cron: "0 0 30 2 *", Task: job},
			"cron: \"x\" has 1 fields instead of 5, or 6 with seconds first":        {Name: "a", Cron: "x", Task: job},
			"cron: is required, or every, or at":                                    {Name: "a", Task: job},
			"cron: is given together with every or at":                              {Name: "a", Cron: "* * * * *", Every: time.Hour, Task: job},
			"every: the interval is 100ms; the least is 1s":                         {Name: "a", Every: 100 * time.Millisecond, Task: job},
			"zone: \"Mars/Phobos\" is not an IANA time zone, such as Asia/Shanghai": {Name: "a", Cron: "* * * * *", Zone: "Mars/Phobos", Task: job},
			"zone: is for cron expressions":                                         {Name: "a", Every: time.Hour, Zone: "Asia/Shanghai", Task: job},
			"misfire: \"maybe\" is not a misfire rule":                              {Name: "a", Every: time.Hour, Misfire: "maybe", Task: job},
			"overlap: \"maybe\" is not an overlap rule":                             {Name: "a", Every: time.Hour, Overlap: "maybe", Task: job},
			"window: is for the misfire rule fire_all":                              {Name: "a", Every: time.Hour, Window: time.Hour, Task: job},
			"window: 1000h0m0s is outside 0s to 744h":                               {Name: "a", Every: time.Hour, Misfire: inspect.FireAll, Window: 1000 * time.Hour, Task: job},
			"name: is required":                                                     {Every: time.Hour, Task: job},
			"name: \"a b\" has a character that is not possible":                    {Name: "a b", Every: time.Hour, Task: job},
			"task.type: is required":                                                {Name: "a", Every: time.Hour},
			"task.queue: there is no queue \"absent\"":                              {Name: "a", Every: time.Hour, Task: inspect.ScheduledTask{Type: "job", Queue: "absent"}},
			"task.payload: is not JSON":                                             {Name: "a", Every: time.Hour, Task: inspect.ScheduledTask{Type: "job", Payload: []byte("{")}},
			"start: is for every":                                                   {Name: "a", At: time.Now().Add(time.Hour), Start: time.Now(), Task: job},
			"at: lies more than ten years ahead":                                    {Name: "a", At: time.Now().AddDate(11, 0, 0), Task: job},
			"task.priority: 11 is outside 0 to 9":                                   {Name: "a", Every: time.Hour, Task: inspect.ScheduledTask{Type: "job", Priority: ptr(11)}},
			"task: the schedule has 70053 bytes; the limit is 65536":                {Name: "a", Every: time.Hour, Task: inspect.ScheduledTask{Type: "job", Payload: slices.Concat([]byte{'"'}, make70k(), []byte{'"'})}},
			"at: lies before the year 2000":                                         {Name: "a", At: time.Unix(1, 0), Task: job},
		} {
			_, err := inspector.Schedules.Put(k.ctx, s)
			var e *outlast.Error
			if !errors.As(err, &e) || len(e.Fields) != 1 || e.Fields[0].Path+": "+e.Fields[0].Message != want {
				t.Errorf("want %s\ngot  %v", want, err)
			}
		}
		_, err := inspector.Schedules.Put(k.ctx, inspect.Schedule{Name: "a b", Cron: "x", Misfire: "y", Overlap: "z"})
		if e := wantCode(t, err, task.CodeInvalid); len(e.Fields) != 5 {
			t.Errorf("not all is told: %v", e.Fields)
		}
		if list, err := inspector.Schedules.List(k.ctx); err != nil || len(list) != 0 {
			t.Errorf("%v, %v", list, err)
		}
		_, _, err = inspector.Schedules.Trigger(k.ctx, "a", outlast.ID{})
		wantCode(t, err, task.CodeNotFound)
		_, err = inspector.Schedules.Pause(k.ctx, "a", true)
		wantCode(t, err, task.CodeNotFound)
		_, err = inspector.Schedules.Delete(k.ctx, "a")
		wantCode(t, err, task.CodeNotFound)
		_, err = inspector.Schedules.NextTicks(k.ctx, "a", 101)
		wantCode(t, err, task.CodeInvalid)
	})
}

func make70k() []byte {
	text := make([]byte, 70_000)
	for i := range text {
		text[i] = 'x'
	}
	return text
}

// TestScheduleOfFile: what the configuration file owns ticks, can be paused and
// triggered, but not changed.
func TestScheduleOfFile(t *testing.T) {
	virtually(t, func(k *kit) {
		var seen ran
		seen.handle(k.client, done)
		k.start()
		s := inspect.Schedule{Name: "s", Every: 10 * time.Second, Task: inspect.ScheduledTask{Type: "job"}}
		object, err := schedules.Object(&s)
		if err != nil {
			t.Fatal(err)
		}
		object.Managed = "file"
		if _, err := k.store.Change(k.ctx, store.Change{Put: []store.Object{object}}); err != nil {
			t.Fatal(err)
		}
		k.after(time.Minute)
		if n := len(seen.all()); n != 6 {
			t.Errorf("%d runs in a minute", n)
		}
		inspector := k.client.Inspector()
		_, err = inspector.Schedules.Put(k.ctx, s)
		wantCode(t, err, task.CodeManagedByFile)
		_, err = inspector.Schedules.Delete(k.ctx, "s")
		wantCode(t, err, task.CodeManagedByFile)
		if view, err := inspector.Schedules.Pause(k.ctx, "s", true); err != nil || !view.Paused || view.Managed != "file" {
			t.Error(view, err)
		}
	})
}
