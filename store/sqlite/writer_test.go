package sqlite_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/store/sqlite"
	"github.com/outlast-dev/outlast/task"
)

// TestWaitingCallsShareOneCommit holds the writer in its first commit while
// other calls queue up.
func TestWaitingCallsShareOneCommit(t *testing.T) {
	const callers = 50
	var commits atomic.Int32
	held, resume := make(chan struct{}), make(chan struct{})
	var once sync.Once
	var inGroup atomic.Int32
	f := newFixture(t, 1, sqlite.WithHook(func(point string) {
		switch point {
		case "enqueue.before_commit":
			inGroup.Add(1)
			once.Do(func() { close(held); <-resume })
		case "enqueue.after_commit":
			if inGroup.Swap(0) > 0 {
				commits.Add(1)
			}
		}
	}))
	tasks := make([]*task.Task, callers)
	for i := range tasks {
		tasks[i] = f.task(0)
	}
	var wait sync.WaitGroup
	wait.Go(func() { f.insert(tasks[0]) })
	<-held
	var queued sync.WaitGroup
	for _, one := range tasks[1:] {
		queued.Add(1)
		wait.Go(func() { queued.Done(); f.insert(one) })
	}
	queued.Wait()
	close(resume)
	wait.Wait()
	f.expect(commits.Load() < callers/2, "%d calls took %d commits", callers, commits.Load())
}

func TestCanceledCallIsDroppedBeforeItIsTaken(t *testing.T) {
	held, resume := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f := newFixture(t, 1, sqlite.WithHook(func(point string) {
		if point == "enqueue.before_commit" {
			once.Do(func() { close(held); <-resume })
		}
	}))
	first, second := f.task(0), f.task(0)
	var wait sync.WaitGroup
	wait.Go(func() { f.insert(first) })
	<-held
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.Enqueue(ctx, []store.Batch{{Items: []store.Insert{{Task: second}}}})
	f.expect(errors.Is(err, context.Canceled), "got %v", err)
	close(resume)
	wait.Wait()
	_, err = f.Get(t.Context(), second.ID)
	f.expect(errors.Is(err, &task.Error{Code: task.CodeNotFound}), "the dropped task is there: %v", err)
}

// TestBadItemsFailAlone mixes a batch that is refused midway with good ones
// in one call: its own items vanish, the others stay.
func TestBadItemsFailAlone(t *testing.T) {
	f := newFixture(t, 1)
	there := f.task(0)
	f.insert(there)
	conflict := *there
	conflict.Payload = []byte("other")
	good, partner, invalid := f.task(0), f.task(0), f.task(0)
	invalid.Type = "a\x00b"
	results, err := f.Enqueue(f.ctx, []store.Batch{
		{Items: []store.Insert{{Task: good}}},
		{Items: []store.Insert{{Task: partner}, {Task: &conflict}}},
		{Items: []store.Insert{{Task: invalid}}},
	})
	f.ok(err)
	f.ok(results[0].Err)
	f.expect(errors.Is(results[1].Err, &task.Error{Code: task.CodeIDConflict}), "got %v", results[1].Err)
	f.expect(errors.Is(results[2].Err, &task.Error{Code: task.CodeInvalid}), "got %v", results[2].Err)
	_, err = f.Get(f.ctx, good.ID)
	f.ok(err)
	_, err = f.Get(f.ctx, partner.ID)
	f.expect(errors.Is(err, &task.Error{Code: task.CodeNotFound}), "half a batch was inserted")
	f.healthy()
}

// TestStaleAmongManySettlements takes the way back from the statement for
// many rows to one by one.
func TestStaleAmongManySettlements(t *testing.T) {
	f := newFixture(t, 2)
	ids := f.fill(benchBatch)
	claimed := f.claim(ids...)
	settlements := make([]store.Settlement, len(claimed))
	for i := range claimed {
		settlements[i] = store.Settlement{Task: claimed[i], Outcome: task.OutcomeSucceeded, EndedAt: time.Now()}
	}
	stale := *claimed[70]
	stale.Claim--
	settlements[70].Task = &stale
	for round := range 2 {
		results, err := f.Settle(f.ctx, settlements)
		f.ok(err)
		for i, result := range results {
			want := store.StatusOK
			if i == 70 {
				want = store.StatusStale
			}
			f.expect(result.Status == want, "round %d, %d: %+v", round, i, result)
		}
	}
	f.healthy()
}

func TestRepeatedBatchAnswersWithItsTasks(t *testing.T) {
	f := newFixture(t, 2)
	items := make([]store.Insert, 200)
	for i := range items {
		items[i].Task = f.task(i)
	}
	for round := range 2 {
		results, err := f.Enqueue(f.ctx, []store.Batch{{Items: items}})
		f.ok(err)
		f.ok(results[0].Err)
		for _, inserted := range results[0].Items {
			f.expect((inserted.Existing != nil) == (round == 1), "round %d: %+v", round, inserted)
		}
	}
	f.healthy()
}

func TestCloseIsIdempotentAndFinal(t *testing.T) {
	f := newFixture(t, 1)
	f.ok(f.Close())
	f.ok(f.Close())
	_, err := f.Topology(f.ctx)
	f.expect(errors.Is(err, store.ErrClosed), "read after close: %v", err)
	_, err = f.Beat(f.ctx, "n1", store.Report{})
	f.expect(errors.Is(err, store.ErrClosed), "write after close: %v", err)
}
