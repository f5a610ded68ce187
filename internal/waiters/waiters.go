// Package waiters lets callers wait for the end of tasks, wherever that happens.
package waiters

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/outlast-dev/outlast/internal/background"
	"github.com/outlast-dev/outlast/task"
)

// How often a call looks into the store for an end that another node brought about: at
// first often, then less so.
const (
	firstLook = 200 * time.Millisecond
	lastLook  = time.Second
)

// Waiters are the calls that wait, told about ends on this node. They are safe for
// concurrent use.
type Waiters struct {
	get     func(ctx context.Context, id task.ID) (*task.Task, error)
	stopped error         // what those get who wait when the node stops
	closed  chan struct{} // closed by Close

	count atomic.Int64 // so that ends that nobody waits for cost no lock
	mu    sync.Mutex
	byID  map[task.ID][]chan struct{}
}

// New makes the waiters of a node. get reads a task, and stopped is the error of those who
// wait when the node stops.
func New(get func(ctx context.Context, id task.ID) (*task.Task, error), stopped error) *Waiters {
	return &Waiters{get: get, stopped: stopped, closed: make(chan struct{}), byID: make(map[task.ID][]chan struct{})}
}

// Wait returns the task once it has ended: at once for an end on this node, within a second
// for others. It ends early with ctx and with Close, and returns the task as it was last
// seen: as given, nil for never. The error wraps that of ctx, at whose pace it looks.
func (w *Waiters) Wait(ctx context.Context, id task.ID, seen *task.Task) (*task.Task, error) {
	ended, forget := w.add(id)
	defer forget()
	look := firstLook
	timer := background.NewTicker(ctx, look)
	defer timer.Stop()
	for {
		t, err := w.get(ctx, id)
		switch {
		case err != nil && ctx.Err() != nil:
			return seen, waitedTooLong(ctx, id)
		case err != nil:
			return seen, err
		case t.State.Final():
			return t, nil
		}
		seen = t
		select {
		case <-ended:
			ended = nil
		case <-timer.C:
			look = min(2*look, lastLook)
			timer.Reset(look)
		case <-w.closed:
			return t, w.stopped
		case <-ctx.Done():
			return t, waitedTooLong(ctx, id)
		}
	}
}

// waitedTooLong wraps the error of a context that ended before the task.
func waitedTooLong(ctx context.Context, id task.ID) error {
	return fmt.Errorf("waiting for task %s, which goes on: %w", id, ctx.Err())
}

// Close ends all waits, once.
func (w *Waiters) Close() { close(w.closed) }

// add returns a channel that is closed at the next end of the task here.
func (w *Waiters) add(id task.ID) (ended <-chan struct{}, forget func()) {
	channel := make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.byID[id] = append(w.byID[id], channel)
	w.count.Add(1)
	return channel, func() { w.forget(id, channel) }
}

func (w *Waiters) forget(id task.ID, channel chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.byID[id]
	for i := range rest {
		if rest[i] == channel {
			w.byID[id] = append(rest[:i], rest[i+1:]...)
			w.count.Add(-1)
			break
		}
	}
	if len(w.byID[id]) == 0 {
		delete(w.byID, id)
	}
}

// Tell wakes those who wait for the task, if any.
func (w *Waiters) Tell(id task.ID) {
	if w.count.Load() == 0 {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, channel := range w.byID[id] {
		close(channel)
		w.count.Add(-1)
	}
	delete(w.byID, id)
}
