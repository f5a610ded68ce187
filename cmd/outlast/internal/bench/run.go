package bench

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast"
	"github.com/outlast-dev/outlast/inspect"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

const (
	benchBatch = 500
	// benchSamples is how many tasks are timed from their enqueue to their start.
	benchSamples = 1000
	// benchForgotten is after how long what waits is of a bench that was killed.
	benchForgotten = time.Hour
)

// benching is one bench. Tasks carry their number; those that are timed have one
// below zero.
type benching struct {
	node    *outlast.Client
	summary *benchSummary
	kind    string // the type of its tasks, so that two benches do not run each other's
	left    atomic.Int64
	ended   chan struct{}  // closed when all have run
	started chan time.Time // of those that are timed
}

func newBenching(node *outlast.Client, summary *benchSummary) *benching {
	b := &benching{node: node, summary: summary, kind: "bench-" + outlast.NewID().String(), ended: make(chan struct{}), started: make(chan time.Time, 1)}
	b.left.Store(int64(summary.Tasks))
	outlast.Handle(node, b.kind, func(_ context.Context, number int) error {
		if number < 0 {
			b.started <- time.Now()
		} else if b.left.Add(-1) == 0 {
			close(b.ended)
		}
		return nil
	})
	return b
}

func (b *benching) draft(number int) outlast.Draft {
	return outlast.Draft{Type: b.kind, Queue: benchQueue, Payload: json.RawMessage(strconv.Itoa(number))}
}

// run enqueues while the queue is paused, a quarter one by one, then lets all run,
// then times single tasks.
func (b *benching) run(ctx context.Context) error {
	if _, err := b.node.Inspector().Queues.Pause(ctx, benchQueue, true); err != nil {
		return err
	}
	singles := b.summary.Tasks / 4
	began := time.Now()
	err := b.share(singles, 1, func(from, _ int) error {
		_, err := b.node.Enqueue(ctx, b.draft(from))
		return err
	})
	if err != nil {
		return err
	}
	b.summary.Single = rate(singles, began)
	began = time.Now()
	err = b.share(b.summary.Tasks-singles, benchBatch, func(from, n int) error {
		drafts := make([]outlast.Draft, n)
		for i := range drafts {
			drafts[i] = b.draft(from + i)
		}
		_, err := b.node.EnqueueMany(ctx, drafts, true)
		return err
	})
	if err != nil {
		return err
	}
	b.summary.Batch = rate(b.summary.Tasks-singles, began)
	if err := b.runAll(ctx); err != nil {
		return err
	}
	return b.timeStarts(ctx)
}

func (b *benching) runAll(ctx context.Context) error {
	began := time.Now()
	if _, err := b.node.Inspector().Queues.Pause(ctx, benchQueue, false); err != nil {
		return err
	}
	select {
	case <-b.ended:
		b.summary.Run = rate(b.summary.Tasks, began)
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// timeStarts enqueues tasks one after the other, each when the one before has begun.
func (b *benching) timeStarts(ctx context.Context) error {
	took := make([]time.Duration, benchSamples)
	for i := range took {
		began := time.Now()
		if _, err := b.node.Enqueue(ctx, b.draft(-1)); err != nil {
			return err
		}
		select {
		case at := <-b.started:
			took[i] = at.Sub(began)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	slices.Sort(took)
	b.summary.StartP50, b.summary.StartP99 = inMillis(took[benchSamples/2]), inMillis(took[benchSamples*99/100])
	return nil
}

// share lets the callers do n things in portions.
func (b *benching) share(n, portion int, do func(from, n int) error) error {
	var next atomic.Int64
	failures := make([]error, b.summary.Concurrency)
	var callers sync.WaitGroup
	for i := range failures {
		callers.Go(func() {
			for failures[i] == nil {
				from := int(next.Add(int64(portion))) - portion
				if from >= n {
					return
				}
				failures[i] = do(from, min(portion, n-from))
			}
		})
	}
	callers.Wait()
	return errors.Join(failures...)
}

// empty leaves nothing waiting in the queue.
func (b *benching) empty(ctx context.Context) error {
	inspector := b.node.Inspector()
	_, err := inspector.Queues.Pause(ctx, benchQueue, false)
	for page := (store.Page{Limit: benchBatch}); err == nil; {
		var left []*inspect.View
		if left, page.Cursor, err = inspector.Tasks.Find(ctx, store.Filter{Queue: benchQueue, State: task.Pending}, page); err != nil {
			return err
		}
		for _, view := range left {
			if view.Type != b.kind && time.Since(view.CreatedAt) < benchForgotten {
				continue // of another bench
			}
			if _, err := inspector.Tasks.Cancel(ctx, view.ID); err != nil && !errors.Is(err, &task.Error{Code: task.CodeConflict}) {
				return err
			}
		}
		if page.Cursor == "" {
			return nil
		}
	}
	return err
}

func rate(n int, began time.Time) float64 { return float64(n) / time.Since(began).Seconds() }

func inMillis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
