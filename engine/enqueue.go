package engine

import (
	"context"
	"errors"
	"time"

	"github.com/outlast-dev/outlast/store"
	"github.com/outlast-dev/outlast/task"
)

// What commits and the queue before them hold at most.
const (
	mostCommitBytes  = 8 << 20
	mostWaitingRows  = 100_000
	mostWaitingBytes = 32 << 20
)

// enqueueCall is one caller's batches on their way to disk.
type enqueueCall struct {
	ctx     context.Context
	batches []store.Batch
	size    weight
	results []store.BatchResult
	err     error
	done    chan struct{}
}

func (c *enqueueCall) weigh() weight { return c.size }

// abandoned reports whether nobody waits for the call any more.
func (c *enqueueCall) abandoned() bool { return c.ctx.Err() != nil }

// Enqueue commits one batch, all or nothing, together with those of
// concurrent callers. It returns after the commit. If ctx ends first, the
// outcome is unknown, and repeating the call with the same ids is safe.
func (e *Engine) Enqueue(ctx context.Context, items []store.Insert) ([]store.Inserted, error) {
	results, err := e.enqueue(ctx, []store.Batch{{Items: items}}, items)
	if err != nil {
		return nil, err
	}
	return results[0].Items, results[0].Err
}

// EnqueueEach commits items that do not share fate, in as few transactions
// as they fit in, with one result per item.
func (e *Engine) EnqueueEach(ctx context.Context, items []store.Insert) ([]store.BatchResult, error) {
	batches := make([]store.Batch, len(items))
	for i := range items {
		batches[i].Items = items[i : i+1 : i+1]
	}
	return e.enqueue(ctx, batches, items)
}

func (e *Engine) enqueue(ctx context.Context, batches []store.Batch, items []store.Insert) ([]store.BatchResult, error) {
	call := &enqueueCall{ctx: ctx, batches: batches, size: weight{items: len(items)}, done: make(chan struct{})}
	for i := range items {
		call.size.bytes += len(items[i].Task.Payload)
	}
	if !e.started.Load() {
		return nil, &task.Error{Code: task.CodeUnavailable, Message: "the engine has not started", Hint: "call Start first"}
	}
	switch e.enqueues.put(call) {
	case isClosed:
		return nil, stopping()
	case isFull:
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

func stopping() error {
	return &task.Error{Code: task.CodeUnavailable, Message: "the engine has stopped", RetryAfter: time.Second}
}

// commitEnqueues is the commit of the group of enqueues.
func (e *Engine) commitEnqueues(calls []*enqueueCall) {
	var batches []store.Batch
	rows := 0
	for _, call := range calls {
		batches = append(batches, call.batches...)
		rows += call.size.items
	}
	began := time.Now()
	results, err := e.enqueueUntilKnown(calls, batches)
	if err == nil {
		e.committed("enqueue", rows, began)
		e.learnNew(batches, results)
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
func (e *Engine) enqueueUntilKnown(calls []*enqueueCall, batches []store.Batch) ([]store.BatchResult, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(calls[0].ctx), 10*time.Second)
	defer cancel()
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		results, err := e.config.Store.Enqueue(ctx, batches)
		if err == nil {
			return results, nil
		}
		var refused *task.Error
		if errors.As(err, &refused) {
			return nil, err
		}
		e.log.Warn("enqueue.repeated", "rows", len(batches), "error", err)
		e.unknown("enqueue")
		if !anyWaits(calls) || !sleep(ctx, pause) {
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
func (e *Engine) learnNew(batches []store.Batch, results []store.BatchResult) {
	e.mu.Lock()
	for i := range results {
		if results[i].Err != nil {
			continue
		}
		for _, inserted := range results[i].Items {
			if inserted.Existing == nil {
				e.learn(inserted.Entry)
			}
		}
	}
	e.mu.Unlock()
	signal(e.wake)
}

// learn puts one pending row into memory if this node owns its lane and can
// start it. The engine's lock must be held.
func (e *Engine) learn(row store.Entry) {
	l := e.near.lanes[row.ID.Lane()]
	if l == nil {
		e.changedLane(row.ID.Lane())
		return
	}
	if row.Park != 0 {
		return
	}
	e.sighted(row.ID)
	if e.parksType(l.queue, &row) {
		e.parking[row.ID] = l.noteType(&row)
		signal(e.load)
		return
	}
	e.near.add(l.queue, row, false)
}

// sleep waits for d; false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
