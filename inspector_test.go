package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/memory"
	"github.com/outlast-dev/outlast/task"
)

// Why a task is not running, for each answer that can be given today.
func TestWaiting(t *testing.T) {
	virtually(t, func(k *kit) {
		inspector := k.client.Inspector()
		release := make(chan struct{})
		for _, taskType := range []string{"slow", "slower", "other"} {
			outlast.Handle(k.client, taskType, func(context.Context, mail) error { <-release; return nil })
		}
		outlast.Handle(k.client, "fails", func(context.Context, mail) error { return errors.New("no") }, outlast.Interval(time.Hour))
		outlast.Handle(k.client, "dies", func(context.Context, mail) error { return outlast.GiveUp(errors.New("no")) })
		k.start()
		defer close(release)
		for _, queue := range []store.Queue{{Name: "paused"}, {Name: "one", Concurrency: 1}, {Name: "nobody"}} {
			if _, err := inspector.Queues.Put(k.ctx, queue); err != nil {
				k.Fatal(err)
			}
		}
		if _, err := inspector.Queues.Pause(k.ctx, "paused", true); err != nil {
			k.Fatal(err)
		}
		k.after(5 * time.Second) // lanes are taken
		want := map[outlast.ID]task.Waiting{}
		add := func(waiting task.Waiting, d outlast.Draft) { want[k.enqueue(d).ID] = waiting }
		add(task.QueuePaused, outlast.Draft{Type: "slow", Queue: "paused"})
		add(task.DueLater, outlast.Draft{Type: "slow", Delay: time.Hour})
		add(task.InBackoff, outlast.Draft{Type: "fails"})
		add(task.NoWorker, outlast.Draft{Type: "unheard"})
		add(task.Unowned, outlast.Draft{Type: "slow", Queue: "nobody"})
		add("", outlast.Draft{Type: "dies", Key: "blocked"})
		add("", outlast.Draft{Type: "slow", Key: "k"})
		k.after(time.Second)
		add(task.BehindKey, outlast.Draft{Type: "slow", Key: "k"})
		add(task.KeyBlocked, outlast.Draft{Type: "slow", Key: "blocked"})
		add("", outlast.Draft{Type: "slow", Queue: "one"})
		k.after(time.Second)
		add(task.AtConcurrency, outlast.Draft{Type: "slow", Queue: "one"})
		for range 4 {
			k.enqueue(outlast.Draft{Type: "slow"})
		}
		k.after(time.Second)
		add(task.AtConcurrency, outlast.Draft{Type: "slow"}) // its share of the slots
		for range 3 {
			k.enqueue(outlast.Draft{Type: "slower"})
		}
		k.after(time.Second)
		add(task.NoSlot, outlast.Draft{Type: "other"})
		k.after(5 * time.Second)
		for id, waiting := range want {
			if got := k.get(id); got.Waiting != waiting {
				k.Errorf("%s %q in %s is %s: waiting %q, want %q", got.Type, got.Key, got.Queue, got.State, got.Waiting, waiting)
			}
		}
		released, err := inspector.Keys.Release(k.ctx, "default", "blocked")
		if err != nil || !released {
			k.Errorf("released %v, %v", released, err)
		}
	}, outlast.WithSlots(6), outlast.WithQueues("default", "paused", "one"))
}

func TestOperatorActions(t *testing.T) {
	virtually(t, func(k *kit) {
		inspector := k.client.Inspector()
		stopped := make(chan error, 1)
		outlast.Handle(k.client, "t", func(context.Context, mail) error { return nil })
		outlast.Handle(k.client, "long", func(ctx context.Context, _ mail) error { <-ctx.Done(); stopped <- context.Cause(ctx); return ctx.Err() })
		k.start()
		now := k.enqueue(outlast.Draft{Type: "t", Delay: time.Hour}).ID
		moved := k.enqueue(outlast.Draft{Type: "t", Delay: time.Hour}).ID
		canceled := k.enqueue(outlast.Draft{Type: "t", Delay: time.Hour}).ID
		running := k.enqueue(outlast.Draft{Type: "long"}).ID
		k.after(time.Second)
		if _, err := inspector.Tasks.RetryNow(k.ctx, now); err != nil {
			k.Fatal(err)
		}
		if view, err := inspector.Tasks.Reschedule(k.ctx, moved, time.Now().Add(time.Minute)); err != nil || view.Waiting != task.DueLater {
			k.Fatal(view, err)
		}
		if view, err := inspector.Tasks.Cancel(k.ctx, canceled); err != nil || view.State != task.Canceled {
			k.Fatal(view, err)
		}
		if view, err := inspector.Tasks.Cancel(k.ctx, running); err != nil || !view.CancelRequested {
			k.Fatal(view, err)
		}
		k.after(time.Second)
		if cause := <-stopped; cause == nil {
			k.Error("the running attempt was not canceled")
		}
		for id, state := range map[outlast.ID]task.State{now: task.Succeeded, moved: task.Pending, canceled: task.Canceled, running: task.Canceled} {
			if got := k.get(id); got.State != state {
				k.Errorf("got %s, want %s", got.State, state)
			}
		}
		k.after(time.Minute)
		if got := k.get(moved); got.State != task.Succeeded {
			k.Errorf("the moved task is %s", got.State)
		}
		_, err := inspector.Tasks.Cancel(k.ctx, now)
		if e := wantCode(k.T, err, task.CodeConflict); e.State != task.Succeeded {
			k.Errorf("state %q", e.State)
		}
		_, err = inspector.Tasks.RetryNow(k.ctx, outlast.NewID())
		wantCode(k.T, err, task.CodeNotFound)
		_, err = inspector.Tasks.Reschedule(k.ctx, moved, time.Time{})
		wantCode(k.T, err, task.CodeInvalid)
	})
}

func TestBadInspections(t *testing.T) {
	virtually(t, func(k *kit) {
		inspector := k.client.Inspector()
		for name, err := range map[string]error{
			"state":    second(inspector.Tasks.Count(k.ctx, store.Filter{State: "asleep"}, 1)),
			"reason":   second(inspector.Tasks.Count(k.ctx, store.Filter{Reason: "bored"}, 1)),
			"order":    second(inspector.Tasks.Count(k.ctx, store.Filter{Since: time.Now(), Until: time.Now().Add(-1)}, 1)),
			"page":     third(inspector.Tasks.Find(k.ctx, store.Filter{}, store.Page{Limit: 501})),
			"cursor":   third(inspector.Tasks.Find(k.ctx, store.Filter{}, store.Page{Cursor: "no"})),
			"list":     second(inspector.Operations.List(k.ctx, -1)),
			"queue":    second(inspector.Queues.Put(k.ctx, store.Queue{Name: "a b"})),
			"lanes":    second(inspector.Queues.Put(k.ctx, store.Queue{Name: "a", Lanes: 257})),
			"type":     second(inspector.Queues.Put(k.ctx, store.Queue{Name: "a", UnknownType: "drop"})),
			"policy":   second(inspector.Queues.Put(k.ctx, store.Queue{Name: "a", Policy: "unheard"})),
			"pending":  second(inspector.Queues.Put(k.ctx, store.Queue{Name: "a", MaxPending: -1})),
			"nothing":  second(inspector.Letters.Redrive(k.ctx, inspect.RedriveRequest{})),
			"rate":     second(inspector.Letters.Redrive(k.ctx, inspect.RedriveRequest{Filter: &store.Filter{}, Rate: -1})),
			"slow":     second(inspector.Letters.Redrive(k.ctx, inspect.RedriveRequest{Filter: &store.Filter{}, Rate: 1e-9})),
			"both":     second(inspector.Letters.Redrive(k.ctx, inspect.RedriveRequest{Filter: &store.Filter{}, IDs: []outlast.ID{{}}})),
			"none":     second(inspector.Letters.Redrive(k.ctx, inspect.RedriveRequest{Filter: &store.Filter{}, IDs: []outlast.ID{}})),
			"no tasks": second(inspector.Tasks.Bulk(k.ctx, inspect.BulkRequest{Action: inspect.BulkCancel, Filter: &store.Filter{}, IDs: []outlast.ID{}})),
			"too many": second(inspector.Letters.Redrive(k.ctx, inspect.RedriveRequest{IDs: make([]outlast.ID, 10_001)})),
		} {
			if err == nil {
				k.Errorf("%s: accepted", name)
				continue
			}
			wantCode(k.T, err, task.CodeInvalid)
		}
		_, err := inspector.Operations.Pause(k.ctx, "x")
		wantCode(k.T, err, task.CodeNotFound)
	})
}

func second[A any](_ A, err error) error        { return err }
func third[A, B any](_ A, _ B, err error) error { return err }

// letters makes dead letters, each of a type of its own number.
func (k *kit) letters(n int) []outlast.ID {
	k.Helper()
	ids := make([]outlast.ID, n)
	for i := range ids {
		ids[i] = k.enqueue(outlast.Draft{Type: "dies", TraceParent: traceParent, Payload: fmt.Appendf(nil, `{"n":%d}`, i)}).ID
	}
	k.after(2 * time.Second)
	return ids
}

func (k *kit) countLetters() int {
	k.Helper()
	stats, err := k.client.Inspector().Letters.Stats(k.ctx)
	if err != nil {
		k.Fatal(err)
	}
	return stats.Total
}

func TestRedriveByIDs(t *testing.T) {
	virtually(t, func(k *kit) {
		inspector, broken := k.client.Inspector(), true
		var mu sync.Mutex
		var got []int
		outlast.Handle(k.client, "dies", func(_ context.Context, m mail) error {
			mu.Lock()
			defer mu.Unlock()
			if broken {
				return outlast.GiveUp(errors.New("no"))
			}
			got = append(got, m.N)
			return nil
		})
		k.start()
		ids := k.letters(3)
		stranger := outlast.NewID()
		request := inspect.RedriveRequest{IDs: append(ids[:2:2], stranger), DryRun: true}
		result, err := inspector.Letters.Redrive(k.ctx, request)
		if err != nil || result.Matched != 2 || len(result.Missing) != 1 || len(result.Sample) != 2 || result.Sample[0].Type != "dies" || k.countLetters() != 3 {
			k.Fatalf("a dry run gave %+v, %v", result, err)
		}
		broken = false
		request.DryRun, request.Payload = false, []byte(`{"n":77}`)
		result, err = inspector.Letters.Redrive(k.ctx, request)
		if err != nil || result.Matched != 2 || len(result.Missing) != 1 || result.Missing[0] != stranger {
			k.Fatalf("got %+v, %v", result, err)
		}
		k.after(time.Second)
		if len(got) != 2 || got[0] != 77 || k.countLetters() != 1 || k.get(ids[0]).Attempt != 1 {
			k.Errorf("ran %v, %d letters left", got, k.countLetters())
		}
		events := k.log.events(k.T, "attempt.repeated")
		if len(events) != 2 || events[0]["reason"] != "redrive" {
			k.Fatalf("events %v", events)
		}
		for name, want := range map[string]any{"task": ids[0].String(), "type": "dies", "queue": "default", "attempt": 1.0, "trace_id": traceParent[3:35]} {
			if got := events[0][name]; got != want {
				k.Errorf("%s is %v, want %v", name, got, want)
			}
		}
		if events[0]["claim"] == nil {
			k.Error("there is no claim")
		}
	})
}

func TestRedriveByFilter(t *testing.T) {
	virtually(t, func(k *kit) {
		inspector := k.client.Inspector()
		var ran []time.Time
		counting := false
		outlast.Handle(k.client, "dies", func(context.Context, mail) error {
			if counting {
				ran = append(ran, time.Now())
			}
			return outlast.GiveUp(errors.New("still no"))
		})
		k.start()
		k.letters(40)
		counting = true
		request := inspect.RedriveRequest{Filter: &store.Filter{Type: "dies"}, DryRun: true, Rate: 5}
		result, err := inspector.Letters.Redrive(k.ctx, request)
		if err != nil || result.Matched != 40 || len(result.Sample) != 10 || result.Operation != "" {
			k.Fatalf("a dry run gave %+v, %v", result, err)
		}
		request.DryRun = false
		result, err = inspector.Letters.Redrive(k.ctx, request)
		if err != nil || result.Matched != 40 || result.Operation == "" {
			k.Fatalf("got %+v, %v", result, err)
		}
		k.after(3500 * time.Millisecond)
		paused, err := inspector.Operations.Pause(k.ctx, result.Operation)
		if err != nil || paused.Done < 10 || paused.Done > 25 {
			k.Fatalf("got %+v, %v", paused, err)
		}
		k.after(10 * time.Second)
		before := len(ran)
		k.after(10 * time.Second)
		if len(ran) != before {
			k.Error("a paused operation goes on")
		}
		if _, err := inspector.Operations.Resume(k.ctx, result.Operation); err != nil {
			k.Fatal(err)
		}
		k.after(20 * time.Second)
		ended, err := inspector.Operations.Get(k.ctx, result.Operation)
		if err != nil || ended.State != store.OperationDone || ended.Done != 40 || len(ran) != 40 {
			k.Errorf("%s with %d of %d done, %v; %d runs", ended.State, ended.Done, ended.Matched, err, len(ran))
		}
		for i := 5; i < len(ran); i++ {
			if gap := ran[i].Sub(ran[i-5]); gap < 900*time.Millisecond {
				k.Fatalf("runs %d to %d are %v apart", i-5, i, gap)
			}
		}
		_, err = inspector.Operations.Cancel(k.ctx, result.Operation)
		wantCode(k.T, err, task.CodeConflict)
	})
}

// Another node goes on with the operation of a node that left or crashed.
func TestRedriveOutlivesItsNode(t *testing.T) {
	for name, end := range map[string]func(*kit, *outlast.Client, *memory.Store){
		"stop": func(k *kit, c *outlast.Client, _ *memory.Store) {
			if err := c.Stop(k.ctx); err != nil {
				k.Error(err)
			}
		},
		"crash": func(_ *kit, _ *outlast.Client, s *memory.Store) { s.Kill() },
	} {
		t.Run(name, func(t *testing.T) {
			virtually(t, func(k *kit) {
				outlast.Handle(k.client, "dies", func(context.Context, mail) error { return outlast.GiveUp(errors.New("no")) })
				k.start()
				k.letters(30)
				handle := k.store.Handle()
				second, err := outlast.Open(k.ctx, handle, outlast.WithEnqueueOnly())
				if err != nil {
					k.Fatal(err)
				}
				k.Cleanup(func() { _ = second.Stop(context.Background()) }) // its store may be gone
				if err := second.Start(k.ctx); err != nil {
					k.Fatal(err)
				}
				result, err := second.Inspector().Letters.Redrive(k.ctx, inspect.RedriveRequest{Filter: &store.Filter{}, Rate: 2})
				if err != nil {
					k.Fatal(err)
				}
				k.after(3 * time.Second)
				end(k, second, handle)
				k.after(time.Minute)
				ended, err := k.client.Inspector().Operations.Get(k.ctx, result.Operation)
				if err != nil || ended.State != store.OperationDone || ended.Done != 30 {
					k.Errorf("%s with %d of %d done, %v", ended.State, ended.Done, ended.Matched, err)
				}
			})
		})
	}
}

func TestPurgeAndExport(t *testing.T) {
	virtually(t, func(k *kit) {
		inspector := k.client.Inspector()
		outlast.Handle(k.client, "dies", func(context.Context, mail) error { return outlast.GiveUp(errors.New("no")) })
		k.start()
		k.letters(250)
		exported := 0
		err := inspector.Letters.Export(k.ctx, store.Filter{Type: "dies"}, func(letter inspect.Letter) error {
			if exported++; letter.Task.State != task.Dead || len(letter.Attempts) != 1 {
				return fmt.Errorf("%s with %d attempts", letter.Task.State, len(letter.Attempts))
			}
			return nil
		})
		if err != nil || exported != 250 {
			k.Errorf("exported %d, %v", exported, err)
		}
		groups, err := inspector.Letters.Groups(k.ctx, store.Filter{}, 10)
		if err != nil || len(groups) != 1 || groups[0].Count != 250 {
			k.Errorf("groups %+v, %v", groups, err)
		}
		for _, dryRun := range []bool{true, false} {
			if got, err := inspector.Letters.Purge(k.ctx, store.Filter{Type: "dies"}, dryRun); err != nil || got.Matched != 250 {
				k.Errorf("purged %+v, %v", got, err)
			}
		}
		if n := k.countLetters(); n != 0 {
			k.Errorf("%d letters are left", n)
		}
	})
}

// A key that a purged letter held goes on at once.
func TestPurgeReleasesTheKey(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "dies", func(context.Context, mail) error { return outlast.GiveUp(errors.New("no")) })
		outlast.Handle(k.client, "next", func(context.Context, mail) error { return nil })
		k.start()
		bad := k.enqueue(outlast.Draft{Type: "dies", Key: "k"}).ID
		next := k.enqueue(outlast.Draft{Type: "next", Key: "k"}).ID
		k.after(5 * time.Second)
		if got := k.get(next); got.Waiting != task.KeyBlocked {
			k.Fatalf("the next one is %s, waiting %q", got.State, got.Waiting)
		}
		if got, err := k.client.Inspector().Letters.Purge(k.ctx, store.Filter{IDs: []task.ID{bad}}, false); err != nil || got.Matched != 1 {
			k.Fatalf("purged %+v, %v", got, err)
		}
		k.after(100 * time.Millisecond)
		if got := k.get(next); got.State != task.Succeeded {
			k.Errorf("the next one is %s, waiting %q", got.State, got.Waiting)
		}
	})
}
