package outlast_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/internal/bulk"
	"github.com/outlast-dev/outlast/internal/faulty"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

func (k *kit) bulk(request inspect.BulkRequest) inspect.BulkResult {
	k.Helper()
	result, err := k.client.Inspector().Tasks.Bulk(k.ctx, request)
	if err != nil {
		k.Fatal(err)
	}
	return result
}

// bulkEnded is how an operation has ended, with its report by status.
func (k *kit) bulkEnded(id string) (bulk.Progress, map[inspect.BulkStatus]int) {
	k.Helper()
	operation, err := k.client.Inspector().Operations.Get(k.ctx, id)
	if err != nil || operation.State != store.OperationDone {
		k.Fatalf("the operation is %+v, %v", operation, err)
	}
	counts := map[inspect.BulkStatus]int{}
	for cursor := ""; ; {
		items, next, err := k.client.Inspector().Operations.BulkItems(k.ctx, id, store.Page{Limit: 7, Cursor: cursor})
		if err != nil {
			k.Fatal(err)
		}
		for _, item := range items {
			counts[item.Status]++
		}
		if cursor = next; next == "" {
			progress, _ := bulk.ProgressOf(operation)
			if seen := k.client.Inspector().Operations.Progress(operation); seen.Changed != progress.Changed || seen.Skipped != progress.Skipped || seen.Waiting != progress.Waiting {
				k.Errorf("the progress is shown as %+v: %+v", seen, progress)
			}
			return progress, counts
		}
	}
}

// crowd are tasks of a type in every state: succeeded, dead, canceled, running,
// waiting in backoff, and waiting for their time.
func (k *kit) crowd(kind string) (ids []outlast.ID) {
	k.Helper()
	for _, fate := range []string{"succeeds", "dies", "waits", "runs", "fails"} {
		d := outlast.Draft{Type: kind, Payload: fmt.Appendf(nil, "%q", fate)}
		if fate == "waits" {
			d.Delay = 10 * time.Hour
		}
		for range 3 {
			ids = append(ids, k.enqueue(d).ID)
		}
	}
	k.after(time.Second)
	if _, err := k.client.Inspector().Tasks.Cancel(k.ctx, ids[6]); err != nil {
		k.Fatal(err)
	}
	return ids
}

func fated(ctx context.Context, fate string) error {
	switch fate {
	case "dies":
		return outlast.GiveUp(errors.New("no"))
	case "runs":
		<-ctx.Done()
		return context.Cause(ctx)
	case "fails":
		return outlast.Snooze(time.Hour)
	}
	return nil
}

// A task that was asked to end has not ended: who follows the feed hears of its end.
func TestAskingManyToEndIsNoEnd(t *testing.T) {
	virtually(t, func(k *kit) {
		outlast.Handle(k.client, "slow", func(context.Context, struct{}) error {
			timer := time.NewTimer(time.Minute) // it does not heed its context
			<-timer.C
			return nil
		})
		k.start()
		listener, _ := k.client.Inspector().Events.Listen("")
		defer listener.Close()
		id := k.enqueue(outlast.Draft{Type: "slow"}).ID
		k.after(time.Second)
		if result := k.bulk(inspect.BulkRequest{Action: inspect.BulkCancel, IDs: []outlast.ID{id}}); result.Items[0].Status != inspect.BulkAsked {
			k.Fatalf("%+v", result)
		}
		told := map[inspect.EventKind]task.State{}
		for range 5 {
			k.after(30 * time.Second)
			pages, _, _, _ := listener.Read()
			for _, page := range pages {
				for _, change := range page.Tasks {
					told[change.What] = change.State
				}
			}
		}
		if _, canceled := told[inspect.EventCanceled]; canceled || told[inspect.EventSucceeded] != task.Succeeded || told[inspect.EventStarted] != task.Running {
			k.Errorf("told: %v", told)
		}
	})
}

// What an operation makes of tasks is what is made of their likes one by one.
func TestBulkIsAsOneByOne(t *testing.T) {
	for _, action := range []inspect.BulkAction{inspect.BulkCancel, inspect.BulkRetry, inspect.BulkReschedule} {
		t.Run(string(action), func(t *testing.T) {
			virtually(t, func(k *kit) {
				outlast.Handle(k.client, "many", fated)
				outlast.Handle(k.client, "one", fated)
				k.start()
				many, ones := k.crowd("many"), k.crowd("one")
				at := time.Now().Add(20 * time.Hour)
				request := inspect.BulkRequest{Action: action, IDs: many}
				// More than are done at once, so that it is an operation.
				for len(request.IDs) <= bulk.AtOnce {
					request.IDs = append(request.IDs, k.enqueue(outlast.Draft{Type: "later", Delay: 5 * time.Hour}).ID)
				}
				if action == inspect.BulkReschedule {
					request.RunAt = at
				}
				result := k.bulk(request)
				inspector := k.client.Inspector()
				changed := len(request.IDs) - len(many)
				for _, id := range ones {
					var err error
					switch action {
					case inspect.BulkCancel:
						_, err = inspector.Tasks.Cancel(k.ctx, id)
					case inspect.BulkRetry:
						_, err = inspector.Tasks.RetryNow(k.ctx, id)
					default:
						_, err = inspector.Tasks.Reschedule(k.ctx, id, at)
					}
					if err == nil {
						changed++
					}
				}
				k.after(10 * time.Second)
				progress, counts := k.bulkEnded(result.Operation)
				if progress.Changed != changed || progress.Skipped != len(request.IDs)-changed || counts[inspect.BulkChanged]+counts[inspect.BulkAsked] != changed {
					t.Errorf("changed %+v, %v; one by one %d", progress, counts, changed)
				}
				for i := range many {
					if got, want := k.get(many[i]), k.get(ones[i]); got.State != want.State || got.Attempt != want.Attempt || got.RunAt.Sub(want.RunAt).Abs() > time.Second {
						t.Errorf("task %d is %s, attempt %d, at %v; one by one %s, attempt %d, at %v", i, got.State, got.Attempt, got.RunAt, want.State, want.Attempt, want.RunAt)
					}
				}
			})
		})
	}
}

// Tasks that are enqueued after an operation has begun are not meant, also while it is paused.
func TestBulkMeansWhatMatchedWhenItBegan(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		later := func() outlast.ID { return k.enqueue(outlast.Draft{Type: "t", Delay: time.Hour}).ID }
		first := later()
		k.after(time.Second)
		elsewhere := k.open(k.store) // it only begins operations
		result, err := elsewhere.Inspector().Tasks.Bulk(k.ctx, inspect.BulkRequest{Action: inspect.BulkCancel, Filter: &store.Filter{Type: "t"}})
		if err != nil {
			t.Fatal(err)
		}
		inspector := k.client.Inspector()
		if _, err := inspector.Operations.Pause(k.ctx, result.Operation); err != nil {
			t.Fatal(err)
		}
		k.after(time.Second)
		second := later()
		k.after(10 * time.Second)
		if got := k.get(first).State; got != task.Pending {
			t.Errorf("a paused operation has made it %s", got)
		}
		if _, err := inspector.Operations.Resume(k.ctx, result.Operation); err != nil {
			t.Fatal(err)
		}
		k.after(10 * time.Second)
		if progress, _ := k.bulkEnded(result.Operation); progress.Changed != 1 || k.get(first).State != task.Canceled || k.get(second).State != task.Pending {
			t.Errorf("%+v: the first is %s, the second %s", progress, k.get(first).State, k.get(second).State)
		}
		if _, err := inspector.Operations.Cancel(k.ctx, result.Operation); !errors.Is(err, &outlast.Error{Code: task.CodeConflict}) {
			t.Errorf("canceling what has ended: %v", err)
		}
	})
}

// A batch that was done although the store answered with an error is not done again.
// draw is what a random source has drawn.
type draw uint64

func (d draw) Uint64() uint64 { return uint64(d) }

// Whoever gave a task its id may have a clock that is ahead.
func TestBulkMeansTasksOfAClockThatIsAhead(t *testing.T) {
	virtually(t, func(k *kit) {
		k.start()
		for _, ahead := range []time.Duration{0, time.Minute, time.Hour} {
			k.enqueue(outlast.Draft{ID: task.NewID(time.Now().Add(ahead), draw(ahead)), Type: "t", Delay: 9 * time.Hour})
		}
		k.after(time.Second)
		request := inspect.BulkRequest{Action: inspect.BulkCancel, Filter: &store.Filter{Type: "t"}, DryRun: true}
		counted, err := k.client.Inspector().Tasks.Bulk(k.ctx, request)
		if err != nil || counted.Matched != 3 {
			t.Fatalf("%+v, %v", counted, err)
		}
		later := k.enqueue(outlast.Draft{ID: task.NewID(counted.Until.Add(time.Minute), draw(1)), Type: "t", Delay: 9 * time.Hour}).ID
		request.DryRun, request.Filter.Until = false, counted.Until
		result := k.bulk(request)
		k.after(10 * time.Second)
		if progress, _ := k.bulkEnded(result.Operation); progress.Changed != 3 || k.get(later).State != task.Pending {
			t.Errorf("%+v: a task that was not counted is %s", progress, k.get(later).State)
		}
	})
}

func TestBulkDoesNoneTwice(t *testing.T) {
	virtually(t, func(k *kit) {
		const n = 500
		k.start()
		for range n {
			k.enqueue(outlast.Draft{Type: "t", Delay: time.Hour})
		}
		k.after(time.Second)
		lossy, _ := faulty.Wrap(k.store, 1, faulty.Rule{Kind: faulty.Lose, Methods: []string{"Steer", "PutOperation", "Change"}, Probability: 0.3})
		k.client = k.open(lossy)
		k.start()
		result := k.bulk(inspect.BulkRequest{Action: inspect.BulkCancel, Filter: &store.Filter{Type: "t"}})
		k.after(time.Minute)
		if progress, counts := k.bulkEnded(result.Operation); progress.Changed != n || counts[inspect.BulkChanged] != n {
			t.Errorf("%+v, %v", progress, counts)
		}
	})
}
