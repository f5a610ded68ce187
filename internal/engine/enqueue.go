package engine

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/internal/gather"
	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// What waits for a commit at most.
const (
	mostWaitingRows  = 100_000
	mostWaitingBytes = 32 << 20
)

// mostApart is how many full commits of enqueues go on beside the others. Small ones, which
// share a commit, do not wait for them.
const mostApart = 2

// enqueueCall is one caller's batches on their way to disk.
type enqueueCall struct {
	ctx     context.Context
	batches []store.Batch
	size    gather.Weight
	results []store.BatchResult
	err     error
	done    chan struct{}
}

// abandoned reports whether nobody waits for the call any more.
func (c *enqueueCall) abandoned() bool { return c.ctx.Err() != nil }

// enqueuer puts tasks on disk, those of concurrent callers together.
type enqueuer struct {
	*core
	enqueues *gather.Group[*enqueueCall]
	started  atomic.Bool // the node has joined
}

func newEnqueuer(c *core) *enqueuer {
	q := &enqueuer{core: c}
	q.enqueues = gather.New(gather.Config[*enqueueCall]{
		Commit: q.commitEnqueues, Drop: (*enqueueCall).abandoned,
		Most: gather.Weight{Items: c.config.Batch, Bytes: mostCommitBytes}, Queue: gather.Weight{Items: mostWaitingRows, Bytes: mostWaitingBytes}, Apart: mostApart,
	})
	return q
}

// Enqueue commits one batch, all or nothing, together with those of
// concurrent callers. It returns after the commit. If ctx ends first, the
// outcome is unknown, and repeating the call with the same ids is safe. On a node that has not
// started it needs a topology: see [Engine.Refresh].
func (q *enqueuer) Enqueue(ctx context.Context, items []store.Insert) ([]store.Inserted, error) {
	results, err := q.enqueue(ctx, []store.Batch{{Items: items}}, items)
	if err != nil {
		return nil, err
	}
	return results[0].Items, results[0].Err
}

// EnqueueEach commits items that do not share fate, in as few transactions
// as they fit in, with one result per item.
func (q *enqueuer) EnqueueEach(ctx context.Context, items []store.Insert) ([]store.BatchResult, error) {
	batches := make([]store.Batch, len(items))
	for i := range items {
		batches[i].Items = items[i : i+1 : i+1]
	}
	return q.enqueue(ctx, batches, items)
}

func (q *enqueuer) enqueue(ctx context.Context, batches []store.Batch, items []store.Insert) ([]store.BatchResult, error) {
	call := &enqueueCall{ctx: ctx, batches: batches, size: gather.Weight{Items: len(items)}, done: make(chan struct{})}
	for i := range items {
		call.size.Bytes += len(items[i].Task.Payload)
	}
	switch q.put(call) {
	case gather.IsClosed:
		return nil, stopping()
	case gather.IsFull:
		return nil, &task.Error{Code: task.CodeUnavailable, RetryAfter: time.Second,
			Message: "too many enqueues wait for the store", Hint: "the store is slow or does not answer; try again later"}
	}
	select {
	case <-call.done:
		return call.results, call.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// put hands a call to those who commit. One on a node that has not started is alone.
func (q *enqueuer) put(call *enqueueCall) gather.Refusal {
	if q.started.Load() {
		return q.enqueues.Put(call, call.size)
	}
	go q.commitEnqueues([]*enqueueCall{call})
	return gather.Taken
}

func stopping() error {
	return &task.Error{Code: task.CodeUnavailable, Message: "the engine has stopped", RetryAfter: time.Second}
}

// commitEnqueues is the commit of the group of enqueues.
func (q *enqueuer) commitEnqueues(calls []*enqueueCall) {
	var batches []store.Batch
	rows := 0
	for _, call := range calls {
		batches = append(batches, call.batches...)
		rows += call.size.Items
	}
	began := time.Now()
	results, err := q.enqueueUntilKnown(calls, batches)
	if err == nil {
		q.committed("enqueue", rows, began)
		q.learnNew(batches, results)
	}
	for _, call := range calls {
		if call.err = err; err == nil {
			call.results, results = results[:len(call.batches)], results[len(call.batches):]
		}
		close(call.done)
	}
}

// enqueueUntilKnown repeats an enqueue whose outcome is unknown, with the
// same ids, until it is known, nobody waits for it any more, or ten seconds
// have passed.
func (q *enqueuer) enqueueUntilKnown(calls []*enqueueCall, batches []store.Batch) ([]store.BatchResult, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(calls[0].ctx), 10*time.Second)
	defer cancel()
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		results, err := q.config.Store.Enqueue(ctx, batches)
		if err == nil {
			return results, nil
		}
		closed := errors.Is(err, store.ErrClosed) // perhaps after a part of it, or after a call whose answer was lost
		var refused *task.Error
		if !closed && errors.As(err, &refused) {
			return nil, err
		}
		q.log.Warn("enqueue.repeated", "rows", len(batches), "error", err)
		q.unknown("enqueue")
		if closed || !anyWaits(calls) || !background.Sleep(ctx, pause) {
			return nil, &task.Error{Code: task.CodeUnavailable, Err: err, RetryAfter: time.Second,
				Message: "the store did not answer: " + err.Error(),
				Hint:    "whether the task was accepted is unknown; repeating with the same id is safe"}
		}
	}
}

func anyWaits(calls []*enqueueCall) bool {
	for _, call := range calls {
		if call.ctx.Err() == nil {
			return true
		}
	}
	return false
}

// learnNew puts rows that this node has just committed into memory, if it
// owns their lane.
func (q *enqueuer) learnNew(batches []store.Batch, results []store.BatchResult) {
	q.lock()
	for i := range results {
		if results[i].Err != nil {
			continue
		}
		for _, inserted := range results[i].Items {
			if inserted.Existing == nil {
				q.learn(inserted.Entry)
			}
		}
	}
	q.unlock()
	signal(q.wake)
}
