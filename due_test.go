package outlast_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/alert"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// due runs a pass and compares what it has done.
func (k *kit) due(due outlast.Due, want outlast.DueCounts) {
	k.Helper()
	got, err := k.client.RunDue(k.ctx, due)
	if err != nil || got != want {
		k.Errorf("RunDue(%+v): got %+v, %v, want %+v", due, got, err, want)
	}
}

// A program with a timer of its own works what is due by a call, and nothing between.
func TestRunDue(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "good", func(context.Context, none) error { return nil })
		outlast.Handle(k.client, "bad", func(context.Context, none) error { return errors.New("no") }, outlast.Interval(time.Minute), outlast.MaxAttempts(2))
		outlast.Handle(k.client, "later", func(context.Context, none) error { return outlast.Snooze(time.Hour) })
		outlast.Handle(k.client, "off", func(context.Context, none) error { return outlast.Cancel(nil) })
		k.start()
		for _, name := range []string{"good", "good", "bad", "later", "off"} {
			k.enqueue(outlast.Draft{Type: name})
		}
		k.enqueue(outlast.Draft{Type: "good", Delay: 10 * time.Second})
		k.after(5 * time.Second)
		k.due(outlast.Due{}, outlast.DueCounts{Started: 5, Succeeded: 2, Failed: 1, Snoozed: 1, Canceled: 1})
		k.due(outlast.Due{}, outlast.DueCounts{})
		k.after(70 * time.Second)
		k.due(outlast.Due{}, outlast.DueCounts{Started: 2, Succeeded: 1, Dead: 1})
	}, outlast.WithEnqueueOnly())
}

// What comes up during a pass is for the next one: retries without a wait, and what
// handlers enqueue.
func TestRunDueOnce(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "again", func(ctx context.Context, _ none) error {
			time.Sleep(time.Millisecond) // sleep: virtual, so that what follows is later
			if _, err := k.client.Enqueue(ctx, outlast.Draft{Type: "again"}); err != nil {
				return err
			}
			return outlast.RetryAfter(0, errors.New("once more"))
		}, outlast.MaxAttempts(100))
		k.start()
		k.enqueue(outlast.Draft{Type: "again"})
		for _, tasks := range []int{1, 2, 4} {
			k.due(outlast.Due{}, outlast.DueCounts{Started: tasks, Failed: tasks})
		}
	}, outlast.WithEnqueueOnly())
}

type none struct{}

func TestRunDueFilters(t *testing.T) {
	virtually(t, func(k *kit) {
		for _, name := range []string{"a", "b"} {
			outlast.Handle(k.client, name, func(context.Context, none) error { return nil })
		}
		k.start()
		for _, queue := range []string{"mail", "bills"} {
			if _, err := k.client.Inspector().Queues.Put(k.ctx, store.Queue{Name: queue}); err != nil {
				k.Fatal(err)
			}
		}
		began := time.Now()
		for _, queue := range []string{"default", "mail", "bills"} {
			for range 3 {
				k.enqueue(outlast.Draft{Type: "a", Queue: queue})
				k.enqueue(outlast.Draft{Type: "b", Queue: queue})
			}
		}
		k.after(time.Hour)
		k.enqueue(outlast.Draft{Type: "a", Queue: "mail"})
		k.due(outlast.Due{Queues: []string{"mail"}, Since: began.Add(time.Minute)}, outlast.DueCounts{Started: 1, Succeeded: 1})
		k.due(outlast.Due{Queues: []string{"mail", "bills"}, Types: []string{"b"}}, outlast.DueCounts{Started: 6, Succeeded: 6})
		k.due(outlast.Due{Queues: []string{"mail"}, Limit: 2}, outlast.DueCounts{Started: 2, Succeeded: 2, Left: 1})
		k.due(outlast.Due{}, outlast.DueCounts{Started: 6, Succeeded: 6})
		k.due(outlast.Due{Queues: []string{"mail", "bills", "default"}}, outlast.DueCounts{Started: 4, Succeeded: 4})
	}, outlast.WithEnqueueOnly())
}

// A task behind a key's head that the pass does not work, or that nobody here can start,
// stays behind it: the pass ends, and has not asked for it over and over.
func TestRunDueBehindAHead(t *testing.T) {
	for _, c := range []struct {
		handled bool
		types   []string
		want    outlast.DueCounts
	}{
		{true, []string{"b"}, outlast.DueCounts{Left: 1}},
		{false, []string{"b"}, outlast.DueCounts{Left: 1}},
		{true, nil, outlast.DueCounts{Started: 2, Succeeded: 2}},
		{false, nil, outlast.DueCounts{Left: 2}},
	} {
		claims := 0
		count := outlast.WithObserver(outlast.Observer{Claimed: func(int, time.Duration) {
			if claims++; claims > 1000 {
				panic("the claims do not end") // or the test would not
			}
		}})
		virtually(t, func(k *kit) {
			if c.handled {
				outlast.Handle(k.client, "a", func(context.Context, none) error { return nil })
			}
			outlast.Handle(k.client, "b", func(context.Context, none) error { return nil })
			k.start()
			k.enqueue(outlast.Draft{Type: "a", Key: "one"})
			k.enqueue(outlast.Draft{Type: "b", Key: "one"})
			k.after(time.Second)
			k.due(outlast.Due{Types: c.types}, c.want)
		}, outlast.WithEnqueueOnly(), count)
	}
}

func TestRunDueRefuses(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		for field, due := range map[string]outlast.Due{
			"queues[1]": {Queues: []string{"default", "defualt"}},
			"types[0]":  {Types: []string{"no type"}},
			"limit":     {Limit: -1},
			"since":     {Since: time.Now().Add(time.Second)},
		} {
			_, err := k.client.RunDue(k.ctx, due)
			if e := wantCode(k.T, err, task.CodeInvalid); len(e.Fields) != 1 || e.Fields[0].Path != field || e.Hint == "" {
				k.Errorf("%+v: %+v", due, e)
			}
		}
	}, outlast.WithEnqueueOnly())
}

// A client that was never started works what others have enqueued.
func TestRunDueUnstarted(t *testing.T) {
	virtually(t, func(k *kit) {
		other := k.open(k.store.Handle(), outlast.WithEnqueueOnly())
		if err := other.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		if _, err := other.Enqueue(k.ctx, outlast.Draft{Type: "good"}); err != nil {
			k.Fatal(err)
		}
		outlast.Handle(k.client, "good", func(context.Context, none) error { return nil })
		k.due(outlast.Due{}, outlast.DueCounts{Started: 1, Succeeded: 1})
		k.start()
	})
}

// Tasks that ran on a node that was killed are taken over by the next pass, in the same
// call: the program has no other node that could.
func TestRunDueAfterKill(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "slow", func(context.Context, none) error { return nil })
		k.start()
		lost := k.enqueue(outlast.Draft{Type: "slow"})
		next := k.enqueue(outlast.Draft{Type: "slow"})
		k.claimAndDie(lost)
		k.due(outlast.Due{}, outlast.DueCounts{Started: 2, Succeeded: 2})
		if got := k.get(lost.ID); got.State != task.Succeeded || got.Crashes != 1 {
			k.Errorf("the task of the killed node: %s after %d crashes", got.State, got.Crashes)
		}
		if got := k.get(next.ID); got.State != task.Succeeded || got.Crashes != 0 {
			k.Errorf("the other task: %s after %d crashes", got.State, got.Crashes)
		}
	}, outlast.WithEnqueueOnly())
}

// claimAndDie is a node that takes all lanes, claims a task, and is not heard of again.
func (k *kit) claimAndDie(t *outlast.Task) {
	k.Helper()
	node := store.Node{ID: "killed", Embedded: true, Serves: store.Serves{"default": {Types: []string{t.Type}}}}
	if err := k.store.Join(k.ctx, node); err != nil {
		k.Fatal(err)
	}
	topology, err := k.store.Topology(k.ctx)
	if err != nil {
		k.Fatal(err)
	}
	var lanes []store.LaneEpoch
	for _, l := range topology.Lanes {
		lanes = append(lanes, store.LaneEpoch{Lane: l.Number, Epoch: l.Epoch})
	}
	taken, err := k.store.TakeLanes(k.ctx, node.ID, lanes)
	if err != nil || len(taken) != len(lanes) {
		k.Fatal(taken, err)
	}
	claimed, err := k.store.Claim(k.ctx, store.Claim{Node: node.ID, Lanes: taken, Items: []store.ClaimItem{{ID: t.ID}}})
	if err != nil || len(claimed.Tasks) != 1 {
		k.Fatal(claimed, err)
	}
}

// Two programs that start at the same moment share what is due: nothing runs twice.
func TestRunDueTwice(t *testing.T) {
	virtually(t, func(k *kit) {
		const tasks = 200
		var runs sync.Map
		handler := func(ctx context.Context, _ none) error {
			info, _ := outlast.Info(ctx)
			if _, twice := runs.LoadOrStore(info.ID, true); twice {
				k.Errorf("task %s ran twice", info.ID)
			}
			return nil
		}
		other := k.open(k.store.Handle(), outlast.WithEnqueueOnly())
		outlast.Handle(k.client, "some", handler)
		outlast.Handle(other, "some", handler)
		k.start()
		if err := other.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		for range tasks {
			k.enqueue(outlast.Draft{Type: "some"})
		}
		var counts [2]outlast.DueCounts
		var both sync.WaitGroup
		for i, client := range []*outlast.Client{k.client, other} {
			both.Go(func() {
				var err error
				if counts[i], err = client.RunDue(k.ctx, outlast.Due{}); err != nil {
					k.Error(err)
				}
			})
		}
		both.Wait()
		if sum := counts[0].Succeeded + counts[1].Succeeded; sum != tasks || counts[0].Left+counts[1].Left != 0 {
			k.Errorf("%+v and %+v, want %d in all", counts[0], counts[1], tasks)
		}
	}, outlast.WithEnqueueOnly())
}

// A context that ends stops a pass as Stop does a node.
func TestRunDueCanceled(t *testing.T) {
	virtually(t, func(k *kit) {
		ctx, cancel := context.WithCancel(k.ctx)
		outlast.Handle(k.client, "short", func(context.Context, none) error { cancel(); time.Sleep(time.Second); return nil }) // sleep: virtual
		outlast.Handle(k.client, "long", func(ctx context.Context, _ none) error { <-ctx.Done(); return ctx.Err() })
		k.start()
		k.enqueue(outlast.Draft{Type: "short"})
		long := k.enqueue(outlast.Draft{Type: "long"})
		got, err := k.client.RunDue(ctx, outlast.Due{})
		want := outlast.DueCounts{Started: 2, Succeeded: 1, Released: 1}
		if !errors.Is(err, context.Canceled) || got != want {
			k.Errorf("got %+v, %v, want %+v", got, err, want)
		}
		if t := k.get(long.ID); t.State != task.Pending || t.Attempt != 0 {
			k.Errorf("the task that was handed back: %s, attempt %d", t.State, t.Attempt)
		}
	}, outlast.WithEnqueueOnly(), outlast.WithGrace(2*time.Second))
}

// What is held back is left, and does not hold the pass up.
func TestRunDueHeld(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "keyed", func(context.Context, none) error { return outlast.GiveUp(errors.New("no")) })
		outlast.Handle(k.client, "good", func(context.Context, none) error { return nil })
		k.start()
		if _, err := k.client.Inspector().Queues.Put(k.ctx, store.Queue{Name: "idle"}); err != nil {
			k.Fatal(err)
		}
		if _, err := k.client.Inspector().Queues.Pause(k.ctx, "idle", true); err != nil {
			k.Fatal(err)
		}
		for range 3 {
			k.enqueue(outlast.Draft{Type: "keyed", Key: "one"})
			k.enqueue(outlast.Draft{Type: "good", Queue: "idle"})
		}
		k.enqueue(outlast.Draft{Type: "unknown"})
		k.enqueue(outlast.Draft{Type: "good"})
		k.due(outlast.Due{Queues: []string{"default", "idle"}}, outlast.DueCounts{Started: 2, Succeeded: 1, Dead: 1, Left: 6})
		k.due(outlast.Due{Queues: []string{"default", "idle"}}, outlast.DueCounts{Left: 6})
	}, outlast.WithEnqueueOnly())
}

// Ticks that are due belong to what is due.
func TestRunDueTicks(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "report", func(context.Context, none) error { return nil })
		other := k.open(k.store.Handle(), outlast.WithEnqueueOnly())
		if err := other.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		if _, err := other.Inspector().Schedules.Put(k.ctx, inspect.Schedule{Name: "hourly", Cron: "0 * * * *", Task: inspect.ScheduledTask{Type: "report"}}); err != nil {
			k.Fatal(err)
		}
		if err := other.Stop(k.ctx); err != nil {
			k.Fatal(err)
		}
		k.after(time.Hour + time.Minute)
		k.due(outlast.Due{}, outlast.DueCounts{Started: 1, Succeeded: 1})
		k.due(outlast.Due{}, outlast.DueCounts{})
	})
}

// A client with loops of its own works as ever; the call waits until it has.
func TestRunDueBesideLoops(t *testing.T) {
	virtually(t, func(k *kit) {
		free := make(chan struct{})
		outlast.Handle(k.client, "good", func(context.Context, none) error { <-free; return nil })
		k.start()
		for range 3 {
			k.enqueue(outlast.Draft{Type: "good"})
		}
		time.AfterFunc(time.Minute, func() { close(free) })
		k.due(outlast.Due{}, outlast.DueCounts{Started: 3, Succeeded: 3})
	})
}

// A pass takes nothing from nodes that work all the time, but what only it can start.
func TestRunDueBesideOthers(t *testing.T) {
	virtually(t, func(k *kit) {
		busy := k.open(k.store.Handle())
		outlast.Handle(busy, "theirs", func(context.Context, none) error { return nil })
		if err := busy.Start(k.ctx); err != nil {
			k.Fatal(err)
		}
		outlast.Handle(k.client, "ours", func(context.Context, none) error { return nil })
		k.start()
		for range 3 {
			k.enqueue(outlast.Draft{Type: "ours"})
		}
		k.after(5 * time.Second)
		lanes := busy.Stats().Lanes
		outlast.Handle(k.client, "look", func(context.Context, none) error {
			if now := busy.Stats().Lanes; now != lanes {
				k.Errorf("the node beside has %d lanes, of %d", now, lanes)
			}
			return nil
		})
		k.enqueue(outlast.Draft{Type: "look"})
		k.due(outlast.Due{}, outlast.DueCounts{Started: 4, Succeeded: 4})
	}, outlast.WithEnqueueOnly())
}

// One pass works on a client at a time.
func TestRunDueBusy(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "inner", func(ctx context.Context, _ none) error {
			_, err := k.client.RunDue(ctx, outlast.Due{})
			wantCode(k.T, err, task.CodeConflict)
			return nil
		})
		k.start()
		k.enqueue(outlast.Draft{Type: "inner"})
		k.due(outlast.Due{}, outlast.DueCounts{Started: 1, Succeeded: 1})
	}, outlast.WithEnqueueOnly())
}

// Whoever is to be told of a death hears of it in the pass in which the task died.
func TestRunDueAlerts(t *testing.T) {
	virtually(t, func(k *kit) {
		told := 0
		outlast.Handle(k.client, "bad", func(context.Context, none) error { return outlast.GiveUp(errors.New("no")) },
			outlast.AlertTo(func(context.Context, *alert.Message) error { told++; return nil }))
		k.start()
		k.enqueue(outlast.Draft{Type: "bad"})
		k.due(outlast.Due{}, outlast.DueCounts{Started: 1, Dead: 1})
		if told != 1 {
			k.Errorf("told %d times", told)
		}
	}, outlast.WithEnqueueOnly())
}

// The same on a database: many tasks by several calls with a limit.
func TestRunDueSQLite(t *testing.T) {
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "due.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	client, err := outlast.Open(t.Context(), s, outlast.WithEnqueueOnly())
	if err != nil {
		t.Fatal(err)
	}
	outlast.Handle(client, "some", func(context.Context, none) error { return nil })
	if err := client.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Stop(context.Background()) }()
	for range 50 {
		if _, err := client.Enqueue(t.Context(), outlast.Draft{Type: "some"}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []outlast.DueCounts{{Started: 30, Succeeded: 30, Left: 20}, {Started: 20, Succeeded: 20}, {}} {
		if got, err := client.RunDue(t.Context(), outlast.Due{Limit: 30}); err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
}
